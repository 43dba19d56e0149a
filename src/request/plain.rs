//! GET and SET as nearly everybody sends them. Reading one is never an error: whatever is unusual about a request is left to
//! the decoder.

use crate::argv::ArgvRef;

/// One of the two requests that make up most of what streams bring.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlainRequest<'a> {
    Get(&'a [u8]),
    Set(&'a [u8], &'a [u8]),
}

/// The longest argument that is read in place has so many bytes, and the longest request.
pub(super) const ARGUMENT_MAX: usize = 999;
pub(super) const REQUEST_MAX: usize = NAMED_AT + 2 * (ARGUMENT_MAX + "$999\r\n\r\n".len());

/// A request up to the length of its first argument is compared as two words that overlap.
const NAMED_AT: usize = "*2\r\n$3\r\nGET\r\n$".len();
const WORD: usize = 8;
const OF_TWO: u64 = u64::from_le_bytes(*b"*2\r\n$3\r\n");
const OF_THREE: u64 = u64::from_le_bytes(*b"*3\r\n$3\r\n");
const NAMED_GET: u64 = u64::from_le_bytes(*b"\r\nget\r\n$");
const NAMED_SET: u64 = u64::from_le_bytes(*b"\r\nset\r\n$");
/// What a small letter has and a capital has not. Exact for letters: nothing else becomes one by it.
const SMALL: u64 = u64::from_le_bytes([0, 0, 0x20, 0x20, 0x20, 0, 0, 0]);

impl<'a> PlainRequest<'a> {
    pub fn of(argv: ArgvRef<'a>) -> Option<PlainRequest<'a>> {
        let &[first, second, third] = argv.get(0)? else { return None };
        match ([first | 0x20, second | 0x20, third | 0x20], argv.len()) {
            ([b'g', b'e', b't'], 2) => Some(PlainRequest::Get(argv.get(1)?)),
            ([b's', b'e', b't'], 3) => Some(PlainRequest::Set(argv.get(1)?, argv.get(2)?)),
            _ => None,
        }
    }

    /// The request that `bytes` begin with, and its length.
    #[inline(always)]
    pub fn read(bytes: &'a [u8]) -> Option<(PlainRequest<'a>, usize)> {
        let head = bytes.first_chunk::<NAMED_AT>()?;
        let (count, name) = (word(head.first_chunk()?), word(head.last_chunk()?) | SMALL);
        if name == NAMED_GET && count == OF_TWO {
            let (key, end) = argument(bytes, NAMED_AT)?;
            return Some((PlainRequest::Get(key), end));
        }
        if name == NAMED_SET && count == OF_THREE {
            let (key, end) = argument(bytes, NAMED_AT)?;
            if bytes.get(end) != Some(&b'$') {
                return None;
            }
            let (value, end) = argument(bytes, end + 1)?;
            return Some((PlainRequest::Set(key, value), end));
        }
        None
    }
}

#[inline(always)]
fn word(bytes: &[u8; WORD]) -> u64 {
    u64::from_le_bytes(*bytes)
}

/// The argument whose length begins at a place, and where the next begins. As in Redis a line ends at a CR and one byte
/// more, and an argument before two bytes, whatever these are.
#[inline(always)]
fn argument(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let digit = |byte: u8| Some(usize::from(byte.wrapping_sub(b'0'))).filter(|digit| *digit < 10);
    let (length, start) = match *bytes.get(at..)?.first_chunk::<4>()? {
        [ones, b'\r', ..] => (digit(ones)?, at + 3),
        [b'0', ..] => return None,
        [tens, ones, b'\r', _] => (digit(tens)? * 10 + digit(ones)?, at + 4),
        [hundreds, tens, ones, b'\r'] => (digit(hundreds)? * 100 + digit(tens)? * 10 + digit(ones)?, at + 5),
        _ => return None,
    };
    let end = start + length;
    let argument = bytes.get(start..end)?;
    (end + 2 <= bytes.len()).then_some((argument, end + 2))
}
