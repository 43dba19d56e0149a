//! SHA-1, by which scripts are named.

use alloc::vec::Vec;

/// Bytes of a block.
const BLOCK_BYTES: usize = 64;
/// Bytes of the message's length at its end.
const LENGTH_BYTES: usize = 8;
/// Length of a digest as text.
pub const HEX_LEN: usize = 40;

/// Returns the digest of a text in lower-case hexadecimal digits.
pub fn hex(text: &[u8]) -> [u8; HEX_LEN] {
    let mut state = [0x6745_2301_u32, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0];
    let (blocks, rest) = text.as_chunks::<BLOCK_BYTES>();
    blocks.iter().for_each(|block| mix(&mut state, block));
    let mut last: Vec<u8> = rest.to_vec();
    last.push(0x80);
    while last.len() % BLOCK_BYTES != BLOCK_BYTES - LENGTH_BYTES {
        last.push(0);
    }
    last.extend_from_slice(&(text.len() as u64 * 8).to_be_bytes());
    last.as_chunks::<BLOCK_BYTES>().0.iter().for_each(|block| mix(&mut state, block));
    let mut out = [0; HEX_LEN];
    for (index, digit) in out.iter_mut().enumerate() {
        let nibble = state[index / 8] >> (28 - 4 * (index % 8)) & 15;
        *digit = b"0123456789abcdef"[nibble as usize];
    }
    out
}

fn mix(state: &mut [u32; 5], block: &[u8; BLOCK_BYTES]) {
    let mut words = [0; 80];
    for (word, bytes) in words.iter_mut().zip(block.as_chunks::<4>().0) {
        *word = u32::from_be_bytes(*bytes);
    }
    for index in 16..80 {
        let mixed = words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16];
        words[index] = mixed.rotate_left(1);
    }
    let [mut a, mut b, mut c, mut d, mut e] = *state;
    for (index, word) in words.into_iter().enumerate() {
        let (chosen, constant) = match index / 20 {
            0 => (b & c | !b & d, 0x5a82_7999),
            1 => (b ^ c ^ d, 0x6ed9_eba1),
            2 => (b & c | b & d | c & d, 0x8f1b_bcdc),
            _ => (b ^ c ^ d, 0xca62_c1d6_u32),
        };
        let next = a.rotate_left(5).wrapping_add(chosen).wrapping_add(e).wrapping_add(constant).wrapping_add(word);
        (e, d, c, b, a) = (d, c, b.rotate_left(30), a, next);
    }
    for (value, added) in state.iter_mut().zip([a, b, c, d, e]) {
        *value = value.wrapping_add(added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digests_are_those_of_the_standard() {
        assert_eq!(&hex(b""), b"da39a3ee5e6b4b0d3255bfef95601890afd80709");
        assert_eq!(&hex(b"abc"), b"a9993e364706816aba3e25717850c26c9cd0d89d");
        let text = b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq";
        assert_eq!(&hex(text), b"84983e441c3bd26ebaae4aa1f95129e5e54670f1");
        assert_eq!(&hex(&[b'a'; 1_000_000]), b"34aa973cd4c4daa4f61eeb2bdbad27316534016f");
        // The length of the last block decides whether there is another.
        assert_eq!(&hex(&[b'x'; 55]), b"cef734ba81a024479e09eb5a75b6ddae62e6abf1");
        assert_eq!(&hex(&[b'x'; 64]), b"bb2fa3ee7afb9f54c6dfb5d021f14b1ffe40c163");
    }
}
