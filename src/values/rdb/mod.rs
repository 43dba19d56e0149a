//! Values as RDB writes them: the coding that snapshots and DUMP payloads share. It knows types and bytes; no keys, no
//! databases, no time.
//!
//! What is written loads in Redis 7.0 and newer. What is read may come from anywhere: nothing is allocated because a
//! length announces it, only as bytes arrive, and no input panics.

mod crc;
mod format;
mod hashes;
mod input;
mod intset;
mod listpack;
mod lzf;
mod lzf_pack;
mod output;
mod skip;
mod streams;
mod zset;

use alloc::borrow::Cow;
use alloc::boxed::Box;
use alloc::vec::Vec;
use core::iter::once;

pub use crc::crc64;
pub use format::{DumpError, FIELD_DEADLINES_SINCE, FUNCTION_2, RDB_VERSION};
pub use input::Input;
pub use output::Output;
pub use skip::{module_name, skip_module, skip_value, type_label};

use self::format::{
    TYPE_HASH, TYPE_HASH_DATED, TYPE_HASH_LISTPACK, TYPE_HASH_LISTPACK_DATED, TYPE_LIST, TYPE_LIST_QUICKLIST_2,
    TYPE_SET, TYPE_SET_INTSET, TYPE_SET_LISTPACK, TYPE_STREAM, TYPE_STREAM_2, TYPE_STREAM_3, TYPE_STREAM_4,
    TYPE_STREAM_5, TYPE_STRING, TYPE_ZSET, TYPE_ZSET_2, TYPE_ZSET_LISTPACK,
};
use super::{EncodingLimits, End, List, Set, Value, ValueRef, ZSet};
use crate::base::headroom::OutOfMemory;
use crate::base::headroom::copied;

/// A node of a quicklist that is one long element.
const NODE_PLAIN: u64 = 1;
/// A node of a quicklist that is a listpack of elements.
const NODE_PACKED: u64 = 2;

/// The byte that says how [`write_value`] codes a value.
pub fn type_of(value: ValueRef<'_>) -> u8 {
    match value {
        ValueRef::String(_) => TYPE_STRING,
        ValueRef::List(_) => TYPE_LIST,
        ValueRef::Set(_) => TYPE_SET,
        ValueRef::ZSet(_) => TYPE_ZSET_2,
        ValueRef::Hash(hash) if hash.first_deadline().is_some() => TYPE_HASH_DATED,
        ValueRef::Hash(_) => TYPE_HASH,
        ValueRef::Stream(_) => TYPE_STREAM_2,
    }
}

/// The version a reader must know to read what [`write_value`] writes.
pub fn version_of(value: ValueRef<'_>) -> u32 {
    if type_of(value) == TYPE_HASH_DATED { FIELD_DEADLINES_SINCE } else { RDB_VERSION }
}

/// Writes a value without its type.
pub fn write_value(value: ValueRef<'_>, out: &mut Output) {
    match value {
        ValueRef::String(bytes) => out.string(bytes),
        ValueRef::List(list) => {
            out.length(list.len() as u64);
            list.iter().for_each(|element| out.string(element));
        }
        ValueRef::Set(set) => {
            out.length(set.len() as u64);
            set.iter().for_each(|member| out.string(member));
        }
        ValueRef::ZSet(zset) => zset::write(zset, out),
        ValueRef::Hash(hash) => hashes::write(hash, out),
        ValueRef::Stream(stream) => streams::write(stream, out),
    }
}

/// Reads a value of the type a byte names, into the form the limits give it; `seed` decides the order of large
/// collections. It may be empty: the caller decides what
/// that means.
pub fn read_value(
    type_byte: u8,
    input: &mut Input<'_>,
    limits: &EncodingLimits,
    seed: u64,
) -> Result<Value, DumpError> {
    match type_byte {
        TYPE_STRING => Ok(Value::String(owned(input.string()?)?)),
        TYPE_LIST => Ok(Value::List(read_list(input, limits)?)),
        TYPE_LIST_QUICKLIST_2 => Ok(Value::List(read_quicklist(input, limits)?)),
        TYPE_SET | TYPE_SET_INTSET | TYPE_SET_LISTPACK => Ok(Value::Set(read_set(type_byte, input, limits, seed)?)),
        TYPE_ZSET | TYPE_ZSET_2 | TYPE_ZSET_LISTPACK => {
            Ok(Value::ZSet(zset::read(type_byte, input, limits.zset, ZSet::new(seed))?))
        }
        TYPE_HASH | TYPE_HASH_LISTPACK | TYPE_HASH_DATED | TYPE_HASH_LISTPACK_DATED => {
            Ok(Value::Hash(hashes::read(type_byte, input, limits.hash, seed)?))
        }
        TYPE_STREAM | TYPE_STREAM_2 | TYPE_STREAM_3 | TYPE_STREAM_4 | TYPE_STREAM_5 => {
            Ok(Value::Stream(Box::new(streams::read(type_byte, input)?)))
        }
        _ => Err(DumpError::Unsupported),
    }
}

/// Whether [`read_value`] knows the type.
pub fn is_supported(type_byte: u8) -> bool {
    matches!(
        type_byte,
        TYPE_STRING..=TYPE_ZSET_2
            | TYPE_SET_INTSET
            | TYPE_STREAM..=TYPE_STREAM_2
            | TYPE_SET_LISTPACK
            | TYPE_STREAM_3
            | TYPE_STREAM_4
            | TYPE_STREAM_5
            | TYPE_HASH_DATED
            | TYPE_HASH_LISTPACK_DATED
    )
}

fn owned(bytes: Cow<'_, [u8]>) -> Result<Vec<u8>, OutOfMemory> {
    match bytes {
        Cow::Borrowed(bytes) => copied(bytes),
        Cow::Owned(bytes) => Ok(bytes),
    }
}

fn read_list(input: &mut Input<'_>, limits: &EncodingLimits) -> Result<List, DumpError> {
    let mut list = List::default();
    for _ in 0..input.length()? {
        append(&mut list, &input.string()?, limits)?;
    }
    Ok(list)
}

fn read_quicklist(input: &mut Input<'_>, limits: &EncodingLimits) -> Result<List, DumpError> {
    let mut list = List::default();
    for _ in 0..input.length()? {
        let container = input.length()?;
        let node = input.string()?;
        match container {
            NODE_PLAIN => append(&mut list, &node, limits)?,
            NODE_PACKED => listpack::read(&node, &mut |element| append(&mut list, element, limits))?,
            _ => return Err(DumpError::Unsupported),
        }
    }
    Ok(list)
}

fn append(list: &mut List, element: &[u8], limits: &EncodingLimits) -> Result<(), DumpError> {
    Ok(list.push(End::Tail, once(element), limits.list)?)
}

/// A member that comes twice is damage.
fn read_set(type_byte: u8, input: &mut Input<'_>, limits: &EncodingLimits, seed: u64) -> Result<Set, DumpError> {
    let mut set = Set::new(seed);
    let mut add = |member: &[u8]| match set.insert(member, limits.set)? {
        true => Ok(()),
        false => Err(DumpError::Malformed),
    };
    match type_byte {
        TYPE_SET_INTSET => intset::read(&input.string()?, &mut add)?,
        TYPE_SET_LISTPACK => listpack::read(&input.string()?, &mut add)?,
        _ => {
            for _ in 0..input.length()? {
                add(&input.string()?)?;
            }
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::clock::Timestamp;
    use crate::values::{Hash, NewDeadline};

    fn read(type_byte: u8, bytes: &[u8]) -> Result<Value, DumpError> {
        let mut input = Input::new(bytes);
        let value = read_value(type_byte, &mut input, &EncodingLimits::default(), 0)?;
        assert!(input.is_at_end());
        Ok(value)
    }

    fn written(value: ValueRef<'_>) -> Vec<u8> {
        let mut out = Output::default();
        write_value(value, &mut out);
        out.finish().unwrap()
    }

    fn canonical(value: ValueRef<'_>) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.canonical(&mut |part| bytes.extend_from_slice(part));
        bytes
    }

    #[test]
    fn strings_are_coded_as_redis_codes_them() {
        // From DUMP of a real server, without type, version and checksum.
        assert_eq!(written(ValueRef::String(b"hello")), b"\x05hello");
        assert_eq!(written(ValueRef::String(b"12345")), b"\xc1\x39\x30");
        assert_eq!(written(ValueRef::String(b"-1")), b"\xc0\xff");
        assert_eq!(written(ValueRef::String(b"-2147483648")), b"\xc2\x00\x00\x00\x80");
        assert_eq!(written(ValueRef::String(b"2147483648")), b"\x0a2147483648");
        assert_eq!(written(ValueRef::String(b"007")), b"\x03007");
    }

    #[test]
    fn every_type_reads_back() {
        let mut list = List::default();
        list.push(End::Tail, [&b"a"[..], b"", b"17"].into_iter(), EncodingLimits::default().list).unwrap();
        let limit = EncodingLimits::default().hash;
        let mut hash = Hash::new(0);
        hash.set(b"f", b"v", NewDeadline::None, limit).unwrap();
        hash.set(b"1", b"", NewDeadline::None, limit).unwrap();
        let mut dated = hash.clone();
        for (name, deadline) in [(b"g", 1_700_000_000_000), (b"h", 1_700_000_000_123), (b"i", i64::MAX)] {
            dated.set(name, b"v", NewDeadline::At(Timestamp::from_ms(deadline)), limit).unwrap();
        }
        let hashes = [hash, dated].map(Value::Hash);
        let mut zset = ZSet::new(0);
        for (member, score) in [(&b"b"[..], -1.5), (b"", f64::INFINITY), (b"7", 1e300)] {
            zset.insert(member, score, EncodingLimits::default().zset).unwrap();
        }
        let long = alloc::vec![b'x'; 20_000];
        let strings = [Value::String(b"s".to_vec()), Value::String(long)];
        for value in strings.into_iter().chain(hashes).chain([Value::List(list), Value::ZSet(zset)]) {
            let bytes = written(value.as_ref());
            let back = read(type_of(value.as_ref()), &bytes).unwrap();
            assert_eq!(canonical(back.as_ref()), canonical(value.as_ref()));
            for end in 0..bytes.len() {
                assert_eq!(read(type_of(value.as_ref()), &bytes[..end]).err(), Some(DumpError::Malformed));
            }
        }
    }

    #[test]
    fn announced_lengths_allocate_nothing() {
        let huge = b"\x81\xff\xff\xff\xff\xff\xff\xff\xff";
        for type_byte in
            [TYPE_STRING, TYPE_LIST, TYPE_HASH, TYPE_LIST_QUICKLIST_2, TYPE_HASH_LISTPACK, TYPE_HASH_DATED, TYPE_ZSET_2]
        {
            assert_eq!(read(type_byte, huge).err(), Some(DumpError::Malformed));
        }
        assert_eq!(read(99, huge).err(), Some(DumpError::Unsupported));
        for type_byte in 0..=u8::MAX {
            assert_eq!(is_supported(type_byte), read(type_byte, huge).err() != Some(DumpError::Unsupported));
        }
    }

    #[test]
    fn deadlines_of_fields_are_coded_as_redis_codes_them() {
        let deadlines = |value: Value| match value {
            Value::Hash(hash) => hash.iter().map(|field| field.deadline.map(Timestamp::as_ms)).collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        let dated = b"\xe8\x03\0\0\0\0\0\0\x03\x01\x01f\x01a\0\x01g\x01b\x06\x01h\x01c";
        assert_eq!(read(TYPE_HASH_DATED, dated).map(deadlines), Ok(alloc::vec![Some(1000), None, Some(1005)]));
        let overflow = b"\xff\xff\xff\xff\xff\xff\xff\x7f\x01\x02\x01f\x01a";
        assert_eq!(read(TYPE_HASH_DATED, overflow).err(), Some(DumpError::Malformed));
        // Bytes, entries, then f a 1000 and g b 0 with the length of each behind it.
        let packed =
            b"\xe8\x03\0\0\0\0\0\0\x18\x18\0\0\0\x06\0\x81f\x02\x81a\x02\xc3\xe8\x02\x81g\x02\x81b\x02\0\x01\xff";
        assert_eq!(read(TYPE_HASH_LISTPACK_DATED, packed).map(deadlines), Ok(alloc::vec![Some(1000), None]));
    }

    #[test]
    fn a_field_twice_is_damage() {
        let hash = b"\x02\x01f\x01a\x01f\x01b";
        assert_eq!(read(TYPE_HASH, hash).err(), Some(DumpError::Malformed));
    }
}
