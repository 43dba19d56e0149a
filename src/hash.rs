//! Hashing: our own keyed 64-bit mix, the same on every target, and XXH3 for DIGEST.
//!
//! The only order that leaves the tables is hash order, so native and wasm builds must agree on every bit.

/// Odd constants with about half their bits set; multiplying by them carries low bits upwards.
const MIX_A: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX_B: u64 = 0xd6e8_feb8_6659_fd93;
const MIX_C: u64 = 0xff51_afd7_ed55_8ccd;

/// A keyed hash of `bytes` that is good on all 64 bits. The same `seed` and bytes give the same value on every target;
/// without the seed, inputs that collide cannot be made by hand. Not a cryptographic hash.
pub fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    // Both sides of every product are masked with a key: a side an attacker knew could be made zero, and would then
    // swallow the other.
    let key = (seed ^ MIX_B).wrapping_mul(MIX_A);
    let mut state = seed ^ (bytes.len() as u64).wrapping_mul(MIX_C);
    let mut rest = bytes;
    while rest.len() > 16 {
        let (first, second) = ends(&rest[..16]);
        state = fold(first ^ state, second ^ key).wrapping_add(seed);
        rest = &rest[16..];
    }
    let (first, second) = ends(rest);
    finish(fold(first ^ state, second ^ key) ^ key)
}

/// XXH3, 64 bits, seed 0: what DIGEST answers.
pub fn xxh3_64(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// Up to 16 bytes as two words that overlap where there are fewer: together with the length they name the bytes.
fn ends(bytes: &[u8]) -> (u64, u64) {
    if let (Some(first), Some(last)) = (bytes.first_chunk::<8>(), bytes.last_chunk::<8>()) {
        return (u64::from_le_bytes(*first), u64::from_le_bytes(*last));
    }
    if let (Some(first), Some(last)) = (bytes.first_chunk::<4>(), bytes.last_chunk::<4>()) {
        return (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)));
    }
    match *bytes {
        [a, b, c] => (u64::from(a) | u64::from(b) << 8, u64::from(c)),
        [a, b] => (u64::from(a), u64::from(b)),
        [a] => (u64::from(a), 0),
        _ => (0, 0),
    }
}

/// Two products of 32-bit halves, folded. wasm32 has no 64x64 to 128 bit multiply (it becomes a call with four
/// multiplies), while these two are one instruction each on every target.
fn fold(left: u64, right: u64) -> u64 {
    let low = (left & 0xffff_ffff).wrapping_mul(right >> 32);
    let high = (left >> 32).wrapping_mul(right & 0xffff_ffff);
    low ^ high.rotate_left(32)
}

/// Spreads every bit over all others: products leave the low bits weak.
fn finish(mut value: u64) -> u64 {
    value ^= value >> 32;
    value = value.wrapping_mul(MIX_B);
    value ^= value >> 29;
    value = value.wrapping_mul(MIX_C);
    value ^ (value >> 32)
}
