//! Values of types that this engine lacks: their names, and reading past them. Formats are those of Redis up to 8.6.

use alloc::vec::Vec;

use super::{DumpError, Input};
use crate::base::number::write_integer;

const TYPE_MODULE_2: u8 = 7;
const TYPE_HASH_ZIPMAP: u8 = 9;
const TYPE_LIST_ZIPLIST: u8 = 10;
const TYPE_ZSET_ZIPLIST: u8 = 12;
const TYPE_HASH_ZIPLIST: u8 = 13;
const TYPE_LIST_QUICKLIST: u8 = 14;

/// Characters of the names of modules, by their 6-bit codes.
const MODULE_CHARACTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const MODULE_NAME_LEN: u32 = 9;
const MODULE_CHARACTER_BITS: u32 = 6;
/// Bits of a module's number below its name: the version of its encoding.
const MODULE_VERSION_BITS: u32 = 10;

/// Opcodes of the parts of a module's value.
const MODULE_END: u64 = 0;
const MODULE_SIGNED: u64 = 1;
const MODULE_UNSIGNED: u64 = 2;
const MODULE_FLOAT: u64 = 3;
const MODULE_DOUBLE: u64 = 4;
const MODULE_STRING: u64 = 5;

const STREAM_ID_BYTES: usize = 16;

type Skip = fn(&mut Input<'_>, u8) -> Result<(), DumpError>;

/// Label of a type: the name of a module's type, which is at the start of the value, or the digits of another type's code.
/// `value` begins behind the key.
pub fn type_label(type_byte: u8, value: &Input<'_>) -> Vec<u8> {
    if type_byte == TYPE_MODULE_2 {
        return value.clone().length().map(module_name).unwrap_or_default();
    }
    let mut digits = Vec::new();
    write_integer(type_byte.into(), &mut digits);
    digits
}

/// Name of a module's type from its number.
pub fn module_name(number: u64) -> Vec<u8> {
    let code = |index: u32| number >> (MODULE_VERSION_BITS + MODULE_CHARACTER_BITS * (MODULE_NAME_LEN - 1 - index));
    (0..MODULE_NAME_LEN).map(|index| MODULE_CHARACTERS[(code(index) & 63) as usize]).collect()
}

/// Reads past a value. [`DumpError::Unsupported`] means that its length is not known.
pub fn skip_value(type_byte: u8, input: &mut Input<'_>) -> Result<(), DumpError> {
    match type_byte {
        TYPE_MODULE_2 => {
            input.length()?;
            skip_module(input)
        }
        TYPE_HASH_ZIPMAP | TYPE_LIST_ZIPLIST | TYPE_ZSET_ZIPLIST | TYPE_HASH_ZIPLIST => input.skip_string(),
        TYPE_LIST_QUICKLIST => each(input, type_byte, |input, _| input.skip_string()),
        _ => Err(DumpError::Unsupported),
    }
}

/// Reads past the parts of a module's value up to its end. They are described by opcodes.
pub fn skip_module(input: &mut Input<'_>) -> Result<(), DumpError> {
    loop {
        match input.length()? {
            MODULE_END => return Ok(()),
            MODULE_SIGNED | MODULE_UNSIGNED => lengths(input, 1)?,
            MODULE_FLOAT => input.take(4).map(drop)?,
            MODULE_DOUBLE => input.take(8).map(drop)?,
            MODULE_STRING => input.skip_string()?,
            _ => return Err(DumpError::Malformed),
        }
    }
}

/// Reads past a count and as many items.
pub(super) fn each(input: &mut Input<'_>, type_byte: u8, skip: Skip) -> Result<(), DumpError> {
    for _ in 0..input.length()? {
        skip(input, type_byte)?;
    }
    Ok(())
}

fn lengths(input: &mut Input<'_>, count: usize) -> Result<(), DumpError> {
    (0..count).try_for_each(|_| input.length().map(drop))
}

pub(super) fn skip_id(input: &mut Input<'_>, _: u8) -> Result<(), DumpError> {
    input.take(STREAM_ID_BYTES).map(drop)
}

pub(super) fn skip_producer(input: &mut Input<'_>, type_byte: u8) -> Result<(), DumpError> {
    input.skip_string()?;
    each(input, type_byte, |input, _| {
        input.skip_string()?;
        lengths(input, 2)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn skipped(type_byte: u8, bytes: &[u8]) -> Result<bool, DumpError> {
        let mut input = Input::new(bytes);
        skip_value(type_byte, &mut input).map(|()| input.is_at_end())
    }

    /// The number of a module's type, as Redis computes it.
    fn number(name: &[u8; 9], version: u64) -> u64 {
        let code = |byte: &u8| MODULE_CHARACTERS.iter().position(|other| other == byte).unwrap() as u64;
        name.iter().fold(0, |number, byte| number << 6 | code(byte)) << 10 | version
    }

    #[test]
    fn module_names_are_those_of_redis() {
        for name in [b"ReJSON-RL", b"MBbloom--", b"TSDB-TYPE"] {
            let number = number(name, 3);
            assert_eq!(module_name(number), name);
            let value = [&b"\x81"[..], &number.to_be_bytes()].concat();
            assert_eq!(type_label(TYPE_MODULE_2, &Input::new(&value)), name);
        }
        assert_eq!(type_label(TYPE_LIST_QUICKLIST, &Input::new(b"")), b"14");
    }

    #[test]
    fn every_part_of_a_module_has_a_known_length() {
        let value = b"\x05\x01\x07\x02\x40\x08\x03abcd\x04abcdefgh\x05\x02hi\x05\xc3\x06\x0b\x01ab\xe0\x00\x01\x00";
        assert_eq!(skipped(TYPE_MODULE_2, value), Ok(true));
        assert_eq!(skipped(TYPE_MODULE_2, b"\x05\x06\x00"), Err(DumpError::Malformed));
        // Modules of release candidates of Redis 4 have no opcodes.
        assert_eq!(skipped(6, value), Err(DumpError::Unsupported));
    }

    #[test]
    fn older_encodings_are_skipped_whole() {
        for type_byte in [TYPE_HASH_ZIPMAP, TYPE_LIST_ZIPLIST, TYPE_ZSET_ZIPLIST, TYPE_HASH_ZIPLIST] {
            assert_eq!(skipped(type_byte, b"\x04list"), Ok(true));
        }
        assert_eq!(skipped(TYPE_LIST_QUICKLIST, b"\x02\x04list\x03two"), Ok(true));
        let huge = b"\x81\xff\xff\xff\xff\xff\xff\xff\xff";
        assert_eq!(skipped(TYPE_LIST_QUICKLIST, huge), Err(DumpError::Malformed));
    }
}
