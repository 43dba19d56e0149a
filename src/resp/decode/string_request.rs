//! Fast path for GET and SET requests in the usual encoding, which are read in place. In pipelines they are most of a
//! stream. Nothing here is an error: any other request is left to the decoder.

use crate::base::bytes::word_at;

/// Request for a whole string.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StringRequest<'a> {
    Get(&'a [u8]),
    Set(&'a [u8], &'a [u8]),
}

/// Longest argument and longest request, in bytes, that are read in place.
pub(super) const ARGUMENT_MAX: usize = 999;
pub(super) const REQUEST_MAX: usize = KEY_LENGTH_AT + 2 * (ARGUMENT_MAX + "$999\r\n\r\n".len());

/// Offset of the key's length. The bytes before it are compared as two overlapping words.
const KEY_LENGTH_AT: usize = "*2\r\n$3\r\nGET\r\n$".len();
/// Length of the shortest request, which has an empty key.
const REQUEST_MIN: usize = KEY_LENGTH_AT + "0\r\n\r\n".len();
const WORD: usize = 8;
const COUNT_TWO: u64 = u64::from_le_bytes(*b"*2\r\n$3\r\n");
const COUNT_THREE: u64 = u64::from_le_bytes(*b"*3\r\n$3\r\n");
const NAME_GET: u64 = u64::from_le_bytes(*b"\r\nget\r\n$");
const NAME_SET: u64 = u64::from_le_bytes(*b"\r\nset\r\n$");
/// Bits that turn capitals into small letters. The comparison is exact, because setting the bit turns no other byte
/// into one of these letters.
const LOWERCASE: u64 = u64::from_le_bytes([0, 0, 0x20, 0x20, 0x20, 0, 0, 0]);

impl<'a> StringRequest<'a> {
    /// Returns the request at the start of `bytes`, and its length.
    #[inline(always)]
    pub fn read(bytes: &'a [u8]) -> Option<(StringRequest<'a>, usize)> {
        if bytes.len() < REQUEST_MIN {
            return None;
        }
        let (count, name) = (word_at(bytes, 0), word_at(bytes, KEY_LENGTH_AT - WORD) | LOWERCASE);
        let (key, end) = argument(bytes, KEY_LENGTH_AT)?;
        if (count ^ COUNT_TWO) | (name ^ NAME_GET) == 0 {
            return Some((StringRequest::Get(key), end));
        }
        if (count ^ COUNT_THREE) | (name ^ NAME_SET) == 0 && bytes.get(end) == Some(&b'$') {
            let (value, end) = argument(bytes, end + 1)?;
            return Some((StringRequest::Set(key, value), end));
        }
        None
    }
}

/// Returns the argument with its length at `at`, and the offset of the next one. As in Redis, a line ends at a CR and
/// one more byte. An argument is followed by two bytes, whatever they are.
#[inline(always)]
fn argument(bytes: &[u8], at: usize) -> Option<(&[u8], usize)> {
    let digit = |byte: u8| byte.wrapping_sub(b'0');
    let &[first, second, third, fourth] = bytes.get(at..at + 4)? else { return None };
    // Lengths of two digits are tested first, because they are the most frequent.
    let (length, start) = match () {
        _ if third == b'\r' && is_leading(first) && digit(second) < 10 => (tens(first, second), at + 4),
        _ if second == b'\r' && digit(first) < 10 => (usize::from(digit(first)), at + 3),
        _ if fourth == b'\r' && is_leading(first) && digit(second) < 10 && digit(third) < 10 => {
            (tens(first, second) * 10 + usize::from(digit(third)), at + 5)
        }
        _ => return None,
    };
    let end = start + length;
    if bytes.len() < end + 2 {
        return None;
    }
    Some((bytes.get(start..end)?, end + 2))
}

#[inline(always)]
fn is_leading(digit: u8) -> bool {
    digit.wrapping_sub(b'1') < 9
}

#[inline(always)]
fn tens(first: u8, second: u8) -> usize {
    usize::from(first.wrapping_sub(b'0')) * 10 + usize::from(second.wrapping_sub(b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use crate::resp::decode::{Decoder, Limits, Next};
    use alloc::format;
    use alloc::vec::Vec;

    /// Usual requests, some of them with a byte changed, removed or inserted.
    fn usual_request(random: &mut Random) -> Vec<u8> {
        let mut word = |max: u64| "x".repeat(random.below(max) as usize);
        let (key, value, long) = (word(12), word(120), word(1100));
        let requests = [
            format!("*2\r\n$3\r\nGET\r\n${}\r\n{key}\r\n", key.len()),
            format!("*3\r\n$3\r\nsEt\r\n${}\r\n{key}\r\n${}\r\n{value}\r\n", key.len(), value.len()),
            format!("*3\r\n$3\r\nSET\r\n${}\r\n{key}\r\n${}\r\n{long}\r\n", key.len(), long.len()),
        ];
        let mut bytes = requests[random.below(3) as usize].clone().into_bytes();
        let at = random.below(bytes.len() as u64) as usize;
        match random.below(6) {
            0 => bytes[at] = *b"$*\r\n019 :gG"[..].get(random.below(11) as usize).unwrap(),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"0$\r\n1"[random.below(5) as usize]),
            3 => bytes.truncate(at),
            _ => {}
        }
        bytes.extend_from_slice(b"*1\r\n$4\r\nPING\r\n");
        bytes
    }

    fn as_string_request(decoder: &Decoder) -> Option<StringRequest<'_>> {
        let argv = decoder.argv();
        match argv.len() {
            2 => Some(StringRequest::Get(argv.get(1)?)),
            _ => Some(StringRequest::Set(argv.get(1)?, argv.get(2)?)),
        }
    }

    #[test]
    fn string_requests_agree_with_the_decoder() {
        let mut random = Random::new(11);
        let mut read_count = 0;
        for _ in 0..20_000 {
            let bytes = usual_request(&mut random);
            let Some((request, len)) = StringRequest::read(&bytes) else { continue };
            read_count += 1;
            let mut decoder = Decoder::new(Limits::default());
            decoder.feed(&bytes);
            assert_eq!(decoder.next(), Next::Command);
            assert_eq!((as_string_request(&decoder), decoder.waiting_bytes()), (Some(request), bytes.len() - len));
        }
        assert!(read_count > 10_000, "{read_count}");
    }

    #[test]
    fn reading_continues_after_skipped_requests_within_limits() {
        let get = b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n";
        let mut decoder = Decoder::new(Limits::default());
        decoder.feed(&[&get[..], get, b"*1\r\n$4\r\nPING\r\n", &get[..9]].concat());
        let (_, len) = StringRequest::read(decoder.unread()).unwrap();
        decoder.skip(len);
        assert_eq!(decoder.next(), Next::Command);
        assert_eq!(decoder.argv().get(1), Some(&b"k"[..]));
        assert_eq!((decoder.next(), decoder.argv().len()), (Next::Command, 1));
        assert_eq!((decoder.next(), StringRequest::read(decoder.unread())), (Next::Incomplete, None));
        decoder.feed(&get[9..]);
        // The count was already read.
        assert!(decoder.unread().is_empty());
        assert_eq!(decoder.next(), Next::Command);
        for limits in
            [Limits { bulk_bytes: 100, ..Limits::default() }, Limits { request_bytes: 100, ..Limits::default() }]
        {
            let mut decoder = Decoder::new(limits);
            decoder.feed(get);
            assert!(decoder.unread().is_empty());
        }
        let mut decoder = Decoder::new(Limits::default());
        decoder.trust(false);
        decoder.feed(get);
        assert!(decoder.unread().is_empty());
    }
}
