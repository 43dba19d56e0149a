//! Options of SET, and the evaluation of its conditions.

use alloc::format;
use alloc::vec::Vec;

use crate::base::bytes;
use crate::base::hash::xxh3_64;
use crate::keyspace::{Error, Expiry};

/// Hex digits of a digest.
const DIGEST_LEN: usize = 16;

/// Condition on the existence of a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Presence {
    /// NX: only a missing key is written.
    Missing,
    /// XX: only an existing key is written.
    Existing,
}

impl Presence {
    pub(super) fn holds(self, exists: bool) -> bool {
        match self {
            Presence::Missing => !exists,
            Presence::Existing => exists,
        }
    }
}

/// Condition on the current value. A digest is XXH3-64 as 16 hex digits, case-insensitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison<'a> {
    Equal(&'a [u8]),
    NotEqual(&'a [u8]),
    DigestEqual(&'a [u8]),
    DigestNotEqual(&'a [u8]),
}

impl Comparison<'_> {
    /// Whether the condition holds for a value.
    pub(in crate::keyspace) fn holds(self, value: &[u8]) -> Result<bool, Error> {
        match self {
            Comparison::Equal(expected) => Ok(bytes::equal(value, expected)),
            Comparison::NotEqual(expected) => Ok(!bytes::equal(value, expected)),
            Comparison::DigestEqual(digest) => digest_matches(value, digest),
            Comparison::DigestNotEqual(digest) => Ok(!digest_matches(value, digest)?),
        }
    }

    /// Whether the condition holds for a missing key, which is unequal to every value.
    pub(super) fn holds_for_missing(self) -> bool {
        matches!(self, Comparison::NotEqual(_) | Comparison::DigestNotEqual(_))
    }
}

fn digest_matches(value: &[u8], digest: &[u8]) -> Result<bool, Error> {
    if digest.len() != DIGEST_LEN {
        return Err(Error::BadDigest);
    }
    Ok(digest_text(value).eq_ignore_ascii_case(digest))
}

/// Digest of a value as returned by DIGEST: 16 lower-case hex digits.
#[inline(never)]
pub(super) fn digest_text(value: &[u8]) -> Vec<u8> {
    format!("{:016x}", xxh3_64(value)).into_bytes()
}

/// Options of SET.
#[derive(Clone, Copy, Debug, Default)]
pub struct SetOptions<'a> {
    pub presence: Option<Presence>,
    pub comparison: Option<Comparison<'a>>,
    pub expiry: Expiry,
    /// Whether the previous value is returned. The key must then be a string or missing.
    pub get: bool,
}

impl SetOptions<'_> {
    /// Whether the current value is compared or returned.
    #[inline(always)]
    pub(super) fn needs_value(&self) -> bool {
        self.get || self.comparison.is_some()
    }
}

/// Outcome of SET.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SetOutcome {
    pub stored: bool,
    /// Previous value, if `get` is set and the key existed.
    pub previous: Option<Vec<u8>>,
}
