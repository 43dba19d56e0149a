//! Reading of intsets: integers of one width, the form Redis gives sets of only integers.

use alloc::vec::Vec;

use super::{DumpError, Input};
use crate::base::number::write_integer;

/// Reads an intset and calls `visit` with the decimal text of each integer.
pub(super) fn read(packed: &[u8], visit: &mut dyn FnMut(&[u8]) -> Result<(), DumpError>) -> Result<(), DumpError> {
    let mut input = Input::new(packed);
    let width = u32::from_le_bytes(input.array()?);
    for _ in 0..u32::from_le_bytes(input.array()?) {
        let integer = match width {
            2 => i16::from_le_bytes(input.array()?).into(),
            4 => i32::from_le_bytes(input.array()?).into(),
            8 => i64::from_le_bytes(input.array()?),
            _ => return Err(DumpError::Malformed),
        };
        let mut text = Vec::new();
        write_integer(integer, &mut text);
        visit(&text)?;
    }
    if input.is_at_end() { Ok(()) } else { Err(DumpError::Malformed) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(packed: &[u8]) -> Result<Vec<Vec<u8>>, DumpError> {
        let mut found = Vec::new();
        read(packed, &mut |text| {
            found.push(text.to_vec());
            Ok(())
        })?;
        Ok(found)
    }

    #[test]
    fn every_width_is_read_and_malformed_input_is_refused() {
        let two = [&[2, 0, 0, 0, 2, 0, 0, 0][..], &(-5i16).to_le_bytes(), &7i16.to_le_bytes()].concat();
        assert_eq!(integers(&two), Ok(alloc::vec![b"-5".to_vec(), b"7".to_vec()]));
        let eight = [&[8, 0, 0, 0, 1, 0, 0, 0][..], &i64::MIN.to_le_bytes()].concat();
        assert_eq!(integers(&eight), Ok(alloc::vec![b"-9223372036854775808".to_vec()]));
        assert_eq!(integers(&two[..two.len() - 1]), Err(DumpError::Malformed));
        assert_eq!(integers(&[3, 0, 0, 0, 1, 0, 0, 0, 1]), Err(DumpError::Malformed));
    }
}
