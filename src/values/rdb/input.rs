//! Reading of lengths and strings, with every bound checked.

use alloc::borrow::Cow;
use alloc::vec::Vec;

use super::{DumpError, lzf};
use crate::base::number::write_integer;

/// First bytes of strings in a special encoding.
pub(super) const INT8: u8 = 0xc0;
pub(super) const INT16: u8 = 0xc1;
pub(super) const INT32: u8 = 0xc2;
pub(super) const LZF: u8 = 0xc3;

/// Largest length that is stored in the first byte itself.
const SHORT_MAX: u8 = 0x3f;
const LENGTH_32: u8 = 0x80;
const LENGTH_64: u8 = 0x81;

/// Cursor over RDB input.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Input<'a> {
    pub fn new(bytes: &'a [u8]) -> Input<'a> {
        Input { bytes, at: 0 }
    }

    /// Number of bytes read so far.
    pub fn offset(&self) -> usize {
        self.at
    }

    pub fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub fn take(&mut self, len: usize) -> Result<&'a [u8], DumpError> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let taken = rest.get(..len).ok_or(DumpError::Malformed)?;
        self.at += len;
        Ok(taken)
    }

    pub fn byte(&mut self) -> Result<u8, DumpError> {
        let [byte] = self.array()?;
        Ok(byte)
    }

    pub fn array<const LEN: usize>(&mut self) -> Result<[u8; LEN], DumpError> {
        self.take(LEN)?.try_into().map_err(|_| DumpError::Malformed)
    }

    /// Reads a length or count. The following data may be shorter, so memory must be allocated only as elements are
    /// read.
    pub fn length(&mut self) -> Result<u64, DumpError> {
        let first = self.byte()?;
        self.rest_of_length(first)
    }

    fn rest_of_length(&mut self, first: u8) -> Result<u64, DumpError> {
        match first {
            0..=SHORT_MAX => Ok(first.into()),
            0x40..=0x7f => Ok(u64::from(first & SHORT_MAX) << 8 | u64::from(self.byte()?)),
            LENGTH_32 => Ok(u32::from_be_bytes(self.array()?).into()),
            LENGTH_64 => Ok(u64::from_be_bytes(self.array()?)),
            _ => Err(DumpError::Malformed),
        }
    }

    /// Reads a string in any of its encodings.
    pub fn string(&mut self) -> Result<Cow<'a, [u8]>, DumpError> {
        let first = self.byte()?;
        match first {
            INT8 => Ok(text(i8::from_le_bytes(self.array()?).into())),
            INT16 => Ok(text(i16::from_le_bytes(self.array()?).into())),
            INT32 => Ok(text(i32::from_le_bytes(self.array()?).into())),
            LZF => {
                let (packed_len, unpacked_len) = (self.size()?, self.size()?);
                let packed = self.take(packed_len)?;
                Ok(Cow::Owned(lzf::unpack(packed, unpacked_len)?))
            }
            _ => {
                let len = self.rest_of_length(first)?;
                let len = usize::try_from(len).map_err(|_| DumpError::Malformed)?;
                Ok(Cow::Borrowed(self.take(len)?))
            }
        }
    }

    /// Reads past a string in any of its encodings, without decoding it.
    pub fn skip_string(&mut self) -> Result<(), DumpError> {
        let first = self.byte()?;
        let len = match first {
            INT8 => 1,
            INT16 => 2,
            INT32 => 4,
            LZF => {
                let packed_len = self.size()?;
                self.size()?;
                packed_len
            }
            _ => usize::try_from(self.rest_of_length(first)?).map_err(|_| DumpError::Malformed)?,
        };
        self.take(len).map(drop)
    }

    fn size(&mut self) -> Result<usize, DumpError> {
        usize::try_from(self.length()?).map_err(|_| DumpError::Malformed)
    }
}

fn text(integer: i64) -> Cow<'static, [u8]> {
    let mut text = Vec::new();
    write_integer(integer, &mut text);
    Cow::Owned(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::rdb::Output;

    #[test]
    fn lengths_read_back_in_every_form() {
        for length in [0, 63, 64, 16_383, 16_384, u64::from(u32::MAX), 1 << 32, u64::MAX] {
            let mut out = Output::default();
            out.length(length);
            let bytes = out.finish().unwrap();
            assert_eq!(Input::new(&bytes).length(), Ok(length));
        }
        assert_eq!(Input::new(b"\xc0\x01").length(), Err(DumpError::Malformed));
    }

    #[test]
    fn strings_are_read_in_every_coding() {
        let cases: [(&[u8], &[u8]); 6] = [
            (b"\x02ab", b"ab"),
            (b"\x40\x02ab", b"ab"),
            (b"\xc0\x80", b"-128"),
            (b"\xc1\x00\x80", b"-32768"),
            (b"\xc2\xff\xff\xff\x7f", b"2147483647"),
            (b"\xc3\x06\x0b\x01ab\xe0\x00\x01", b"abababababa"),
        ];
        for (coded, text) in cases {
            assert_eq!(&*Input::new(coded).string().unwrap(), text);
            let mut skipped = Input::new(coded);
            assert_eq!((skipped.skip_string(), skipped.is_at_end()), (Ok(()), true));
        }
        assert_eq!(Input::new(b"\xc4").string(), Err(DumpError::Malformed));
    }
}
