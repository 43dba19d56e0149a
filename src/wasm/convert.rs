//! Conversion of engine values to JavaScript values.

use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::Timestamp;

/// Converts a value to a plain JavaScript object; `None` becomes null.
pub(super) fn to_js<T: Serialize>(value: &T) -> Result<JsValue, JsError> {
    let serializer = serde_wasm_bindgen::Serializer::new().serialize_missing_as_null(true);
    Ok(value.serialize(&serializer)?)
}

pub(super) fn out_of_memory() -> JsError {
    JsError::new("out of memory")
}

pub(super) fn ms(instant: Timestamp) -> f64 {
    instant.as_ms() as f64
}
