//! Conversion of engine values to JavaScript values.

use serde::{Serialize, Serializer};
use wasm_bindgen::prelude::*;

use crate::Timestamp;

/// Bytes that become a Uint8Array.
pub(super) struct Bytes<'a>(pub(super) &'a [u8]);

impl Serialize for Bytes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0)
    }
}

/// List that is converted to JavaScript element by element, since memory may not suffice for all converted elements at
/// once.
pub(super) struct Views<'a, T, V>(pub(super) &'a [T], pub(super) fn(&'a T) -> V);

impl<T, V: Serialize> Serialize for Views<'_, T, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(self.1))
    }
}

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
