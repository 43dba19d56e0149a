//! RDB encoding of sorted sets: pairs of a member and its score.

use alloc::vec::Vec;

use super::format::{TYPE_ZSET, TYPE_ZSET_2};
use super::{DumpError, Input, Output, listpack};
use crate::base::headroom::copied;
use crate::base::number::parse_double;
use crate::values::{PackedLimit, ZSet};

/// Lengths of a score's text that denote special values instead.
const NEGATIVE_INFINITY: u8 = 255;
const INFINITY: u8 = 254;
const NOT_A_NUMBER: u8 = 253;

/// Adds one pair.
type Add<'a> = &'a mut dyn FnMut(&[u8], f64) -> Result<(), DumpError>;

/// Writes pairs from the highest to the lowest, because Redis inserts each in front when it loads them, which is fast.
pub(super) fn write(zset: &ZSet, out: &mut Output) {
    out.length(zset.len() as u64);
    zset.iter().rev().for_each(|(member, score)| {
        out.string(member);
        out.raw(&score.to_le_bytes());
    });
}

/// Reads pairs into an empty set. A duplicate member or a score that is not a number is malformed.
pub(super) fn read(
    type_byte: u8,
    input: &mut Input<'_>,
    limit: PackedLimit,
    mut zset: ZSet,
) -> Result<ZSet, DumpError> {
    let mut add = |member: &[u8], score: f64| match score.is_nan() || zset.insert(member, score, limit)?.is_some() {
        true => Err(DumpError::Malformed),
        false => Ok(()),
    };
    if !matches!(type_byte, TYPE_ZSET | TYPE_ZSET_2) {
        read_packed(&input.string()?, &mut add)?;
        return Ok(zset);
    }
    for _ in 0..input.length()? {
        let member = input.string()?;
        let score = if type_byte == TYPE_ZSET { text_score(input)? } else { f64::from_le_bytes(input.array()?) };
        add(&member, score)?;
    }
    Ok(zset)
}

fn text_score(input: &mut Input<'_>) -> Result<f64, DumpError> {
    match input.byte()? {
        NEGATIVE_INFINITY => Ok(f64::NEG_INFINITY),
        INFINITY => Ok(f64::INFINITY),
        NOT_A_NUMBER => Err(DumpError::Malformed),
        len => parse_double(input.take(len.into())?).ok_or(DumpError::Malformed),
    }
}

/// Reads a listpack in which a score follows each member.
fn read_packed(packed: &[u8], add: Add<'_>) -> Result<(), DumpError> {
    let mut pending: Option<Vec<u8>> = None;
    listpack::read(packed, &mut |entry| match pending.take() {
        None => {
            pending = Some(copied(entry)?);
            Ok(())
        }
        Some(member) => add(&member, parse_double(entry).ok_or(DumpError::Malformed)?),
    })?;
    if pending.is_some() { Err(DumpError::Malformed) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::values::rdb::TYPE_ZSET_LISTPACK;

    fn pairs(type_byte: u8, bytes: &[u8]) -> Result<Vec<(Vec<u8>, f64)>, DumpError> {
        let zset = read(type_byte, &mut Input::new(bytes), PackedLimit::default(), ZSet::new(0))?;
        Ok(zset.iter().map(|(member, score)| (member.to_vec(), score)).collect())
    }

    #[test]
    fn every_coding_of_redis_is_read() {
        let expected = alloc::vec![(b"a".to_vec(), 1.5), (b"b".to_vec(), f64::INFINITY)];
        assert_eq!(pairs(TYPE_ZSET, b"\x02\x01b\xfe\x01a\x031.5").as_ref(), Ok(&expected));
        let binary = [&b"\x02\x01b"[..], &f64::INFINITY.to_le_bytes(), b"\x01a", &1.5f64.to_le_bytes()].concat();
        assert_eq!(pairs(TYPE_ZSET_2, &binary).as_ref(), Ok(&expected));
        let packed = b"\x17\x17\x00\x00\x00\x04\x00\x81a\x02\x831.5\x04\x81b\x02\x83inf\x04\xff";
        assert_eq!(pairs(TYPE_ZSET_LISTPACK, packed).as_ref(), Ok(&expected));
    }

    #[test]
    fn damage_is_refused() {
        let nan = [&b"\x01\x01a"[..], &f64::NAN.to_le_bytes()].concat();
        assert_eq!(pairs(TYPE_ZSET_2, &nan), Err(DumpError::Malformed));
        let twice: [(u8, &[u8]); 4] = [
            (TYPE_ZSET, b"\x02\x01a\x011\x01a\x012"),
            (TYPE_ZSET, b"\x01\x01a\xfd"),
            (TYPE_ZSET, b"\x01\x01a\x01x"),
            (TYPE_ZSET_LISTPACK, b"\x0a\x0a\x00\x00\x00\x01\x00\x81a\x02\xff"),
        ];
        for (type_byte, bytes) in twice {
            assert_eq!(pairs(type_byte, bytes), Err(DumpError::Malformed), "{bytes:?}");
        }
    }
}
