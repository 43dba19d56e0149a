//! Settings of a module, and the value of JSON's null, for the encoder and the decoder.

use lua_types::LuaValue;

/// Treatment of infinite numbers, and of those that are none, by the encoder.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InvalidNumbers {
    Refused,
    Written,
    Null,
}

/// Settings of a module. Each module that `cjson.new` makes has its own.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Excessively sparse arrays are objects instead of errors.
    pub sparse_convert: bool,
    /// An array is excessively sparse with more slots than elements times this; 0 allows all.
    pub sparse_ratio: i32,
    /// An array up to this length is never excessively sparse.
    pub sparse_safe: i32,
    pub encode_max_depth: i32,
    pub decode_max_depth: i32,
    pub encode_invalid: InvalidNumbers,
    pub decode_invalid: bool,
    /// Accepted without effect: every call has a buffer of its own.
    pub keep_buffer: bool,
    /// Significant digits of numbers.
    pub precision: i32,
}

pub const DEFAULTS: Settings = Settings {
    sparse_convert: false,
    sparse_ratio: 2,
    sparse_safe: 10,
    encode_max_depth: 1000,
    decode_max_depth: 1000,
    encode_invalid: InvalidNumbers::Refused,
    decode_invalid: true,
    keep_buffer: true,
    precision: 14,
};

/// Value that stands for JSON's null: tables cannot contain nil.
pub fn null() -> LuaValue {
    LuaValue::LightUserData(core::ptr::null_mut())
}
