//! Writing of lengths and strings. An allocation failure is recorded and reported once, by [`Output::finish`].

use alloc::vec::Vec;

use super::input::{INT8, INT16, INT32, LZF};
use super::lzf_pack;
use crate::base::headroom::OutOfMemory;
use crate::base::number::parse_integer;

/// Length of the longest text of a 32-bit integer. Longer strings are never integers.
const INTEGER_TEXT_MAX: usize = 11;

/// Length of the longest string that is never compressed.
const UNPACKED_MAX: usize = 20;
/// Bytes that compression has to save.
const PACKING_SAVES_MIN: usize = 4;
/// Bytes before and after the string of a payload.
const AROUND_BYTES: usize = 32;

/// Growing RDB output.
#[derive(Debug, Default)]
pub struct Output {
    bytes: Vec<u8>,
    failed: bool,
}

impl Output {
    /// Returns the output, or an error if memory was exhausted.
    pub fn finish(self) -> Result<Vec<u8>, OutOfMemory> {
        if self.failed { Err(OutOfMemory) } else { Ok(self.bytes) }
    }

    /// Output so far.
    pub fn written(&self) -> &[u8] {
        &self.bytes
    }

    pub fn byte(&mut self, byte: u8) {
        self.raw(&[byte]);
    }

    pub fn raw(&mut self, bytes: &[u8]) {
        if self.failed || self.bytes.try_reserve(bytes.len()).is_err() {
            self.failed = true;
            return;
        }
        self.bytes.extend_from_slice(bytes);
    }

    /// Appends a length in the shortest of its four forms.
    pub fn length(&mut self, length: u64) {
        match length {
            0..=0x3f => self.byte(length as u8),
            0x40..=0x3fff => self.raw(&(0x4000 | length as u16).to_be_bytes()),
            0x4000..=0xffff_ffff => {
                self.byte(0x80);
                self.raw(&(length as u32).to_be_bytes());
            }
            _ => {
                self.byte(0x81);
                self.raw(&length.to_be_bytes());
            }
        }
    }

    /// Appends a string with its length; the text of a 32-bit integer as that integer.
    pub fn string(&mut self, bytes: &[u8]) {
        let integer = if bytes.len() <= INTEGER_TEXT_MAX { parse_integer(bytes) } else { None };
        if !integer.is_some_and(|integer| self.integer(integer)) {
            self.length(bytes.len() as u64);
            self.raw(bytes);
        }
    }

    /// Appends a string as [`Output::string`] does, compressed if that saves at least four bytes, as Redis does in DUMP.
    pub fn packed_string(&mut self, bytes: &[u8]) {
        let packed = match bytes.len() {
            ..=UNPACKED_MAX => Ok(None),
            len => lzf_pack::pack(bytes, len - PACKING_SAVES_MIN),
        };
        match packed {
            Ok(Some(packed)) => {
                self.byte(LZF);
                self.length(packed.len() as u64);
                self.length(bytes.len() as u64);
                self.raw(&packed);
            }
            // The end of the payload is reserved with the string: growing for it would copy the string.
            Ok(None) => {
                self.failed |= self.bytes.try_reserve_exact(bytes.len() + AROUND_BYTES).is_err();
                self.string(bytes);
            }
            Err(OutOfMemory) => self.failed = true,
        }
    }

    /// Appends an integer of at most 32 bits. Returns false for a larger one.
    fn integer(&mut self, integer: i64) -> bool {
        if let Ok(integer) = i8::try_from(integer) {
            self.byte(INT8);
            self.raw(&integer.to_le_bytes());
        } else if let Ok(integer) = i16::try_from(integer) {
            self.byte(INT16);
            self.raw(&integer.to_le_bytes());
        } else if let Ok(integer) = i32::try_from(integer) {
            self.byte(INT32);
            self.raw(&integer.to_le_bytes());
        } else {
            return false;
        }
        true
    }
}
