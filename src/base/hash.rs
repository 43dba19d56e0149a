//! Hashing: a keyed 64-bit mix of our own, equal on every target, and XXH3 for DIGEST.
//!
//! Hash order is the only order that callers of the tables see, so native and wasm builds must agree on every bit.

use crate::base::bytes::ends;

/// Odd constants with about half their bits set; a multiplication by one of them carries low bits upwards.
const MIX_A: u64 = 0x9e37_79b9_7f4a_7c15;
const MIX_B: u64 = 0xd6e8_feb8_6659_fd93;
const MIX_C: u64 = 0xff51_afd7_ed55_8ccd;

/// Keyed hash of `bytes`; all 64 bits are well mixed. Equal seeds and bytes give equal values on every target.
///
/// Colliding inputs cannot be constructed without the seed. Not a cryptographic hash.
pub fn hash_bytes(seed: u64, bytes: &[u8]) -> u64 {
    mix(seed, bytes)
}

/// Upper 32 bits of [`hash_bytes`], inlined for the lookup of a key by every command.
#[inline(always)]
pub fn hash_key(seed: u64, key: &[u8]) -> u32 {
    (mix(seed, key) >> 32) as u32
}

#[inline(always)]
fn mix(seed: u64, bytes: &[u8]) -> u64 {
    // Both factors of every product are masked with a key. Otherwise chosen input could make a factor zero, which would
    // cancel the other.
    let key = (seed ^ MIX_B).wrapping_mul(MIX_A);
    let mut state = seed ^ (bytes.len() as u64).wrapping_mul(MIX_C);
    let mut rest = bytes;
    while rest.len() > 16 {
        let (first, second) = words(&rest[..16]);
        state = fold(masked(first, state), masked(second, key)).wrapping_add(seed);
        rest = &rest[16..];
    }
    let (first, second) = words(rest);
    finish(fold(masked(first, state), masked(second, key)) ^ key)
}

/// 64-bit XXH3 with seed 0: the reply of DIGEST.
pub fn xxh3_64(bytes: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(bytes)
}

/// Word as two halves, the low one first.
type Halves = [u32; 2];

/// Up to 16 bytes as two words, which overlap below 16 bytes. Together with the length they identify the bytes.
///
/// The halves are loaded one by one. JavaScript writes keys four bytes at a time, and a processor forwards a store only
/// to a load of the same bytes.
#[inline(always)]
fn words(bytes: &[u8]) -> (Halves, Halves) {
    let Some(last) = bytes.len().checked_sub(8) else {
        let (first, last) = ends(bytes);
        return ([first, 0], [last, 0]);
    };
    ([half_at(bytes, 0), half_at(bytes, 4)], [half_at(bytes, last), half_at(bytes, last + 4)])
}

#[inline(always)]
fn half_at(bytes: &[u8], at: usize) -> u32 {
    bytes.get(at..).and_then(|from| from.first_chunk()).map_or(0, |half| u32::from_le_bytes(*half))
}

#[inline(always)]
fn masked([low, high]: Halves, mask: u64) -> Halves {
    [low ^ mask as u32, high ^ (mask >> 32) as u32]
}

/// Two products of halves, folded. Each is one instruction on every target, while wasm32 implements 64x64 to 128 bits
/// as a call with four multiplications.
#[inline(always)]
fn fold(left: Halves, right: Halves) -> u64 {
    let product = |left: u32, right: u32| u64::from(left).wrapping_mul(right.into());
    product(left[0], right[1]) ^ product(left[1], right[0]).rotate_left(32)
}

/// Spreads every bit over all others, because products leave the low bits weak.
#[inline(always)]
fn finish(mut value: u64) -> u64 {
    value ^= value >> 32;
    value = value.wrapping_mul(MIX_B);
    value ^= value >> 29;
    value = value.wrapping_mul(MIX_C);
    value ^ (value >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::random::Random;
    use alloc::collections::BTreeSet;
    use alloc::format;
    use alloc::vec::Vec;

    #[test]
    fn digest_values_are_those_of_redis() {
        let cases: [(&[u8], u64); 4] = [
            (b"", 0x2d06_8005_38d3_94c2),
            (b"a", 0xe6c6_32b6_1e96_4e1f),
            (b"v", 0xf704_2be4_3fb8_0714),
            (b"hello", 0x9555_e855_5c62_dcfd),
        ];
        for (bytes, expected) in cases {
            assert_eq!(xxh3_64(bytes), expected);
        }
    }

    const PINNED: [u64; 9] = [
        0xb15e_4ee5_7503_c28d,
        0xe340_4e2c_26f6_6b77,
        0xa626_d4d7_29f2_a16c,
        0x0684_4375_ca4f_2bfd,
        0x5a07_c94e_bc79_3d2c,
        0x400a_87ca_bcba_71c3,
        0x5010_975d_c735_ea71,
        0xc896_cc94_da12_ac31,
        0xd46f_d260_7861_c051,
    ];

    /// Snapshots and recorded orders depend on these values, which must never change.
    #[test]
    fn values_are_pinned() {
        let text = b"the quick brown fox jumps over the lazy dog";
        let values: Vec<u64> = [0, 1, 3, 4, 8, 16, 17, 33, 43].iter().map(|&n| hash_bytes(42, &text[..n])).collect();
        assert_eq!(values, PINNED);
    }

    #[test]
    fn lengths_and_zeros_matter() {
        let zeros = [0u8; 100];
        let distinct: BTreeSet<u64> = (0..=100).map(|length| hash_bytes(9, &zeros[..length])).collect();
        assert_eq!(distinct.len(), 101);
    }

    #[test]
    fn flipping_any_input_bit_flips_each_output_bit_half_the_time() {
        const ROUNDS: u32 = 600;
        let mut random = Random::new(1);
        for length in [1usize, 3, 4, 8, 11, 16, 20, 32, 40] {
            for bit in 0..length * 8 {
                let mut flips = [0u32; 64];
                for _ in 0..ROUNDS {
                    let seed = random.next_u64();
                    let mut bytes: Vec<u8> = (0..length).map(|_| random.next_u64() as u8).collect();
                    let before = hash_bytes(seed, &bytes);
                    bytes[bit / 8] ^= 1 << (bit % 8);
                    let changed = before ^ hash_bytes(seed, &bytes);
                    flips.iter_mut().enumerate().for_each(|(index, count)| *count += (changed >> index & 1) as u32);
                }
                // Six standard deviations of a fair coin.
                let low = flips.iter().min().unwrap();
                let high = flips.iter().max().unwrap();
                assert!(*low > 300 - 74 && *high < 300 + 74, "length {length} bit {bit}: {low}..{high} of {ROUNDS}");
            }
        }
    }

    #[test]
    fn counters_spread_over_high_and_low_bits() {
        for seed in [0, 1, u64::MAX] {
            let mut high = [0u32; 256];
            let mut low = [0u32; 256];
            for number in 0..65_536 {
                let hash = hash_bytes(seed, format!("key:{number}").as_bytes());
                high[(hash >> 56) as usize] += 1;
                low[(hash & 255) as usize] += 1;
            }
            for counts in [high, low] {
                // Expected 256 each, standard deviation 16.
                assert!(counts.iter().all(|&count| (160..352).contains(&count)), "seed {seed}: {counts:?}");
            }
        }
    }

    #[test]
    fn handmade_collisions_need_the_seed() {
        // Inputs that make one factor zero for one seed, or swap the two words, differ for other seeds.
        let mut random = Random::new(5);
        for _ in 0..2_000 {
            let (first, second, other) = (random.next_u64(), random.next_u64(), random.next_u64());
            let pair = |a: u64, b: u64| [a.to_le_bytes(), b.to_le_bytes()].concat();
            let seed = random.next_u64();
            assert_ne!(hash_bytes(seed, &pair(first, second)), hash_bytes(seed, &pair(second, first)));
            assert_ne!(hash_bytes(seed, &pair(MIX_B, second)), hash_bytes(seed, &pair(MIX_B, other)));
            assert_ne!(hash_bytes(seed, &pair(first, MIX_B)), hash_bytes(seed, &pair(other, MIX_B)));
            assert_ne!(hash_bytes(seed, &pair(first, first)), hash_bytes(seed, &pair(second, second)));
        }
    }
}
