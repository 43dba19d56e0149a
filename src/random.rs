//! The one seeded generator (xoshiro256++, seeded by splitmix64): chance enters the engine here and nowhere else.
//!
//! The same seed gives the same sequence on every target. Not for secrets.

/// A seeded source of random numbers.
#[derive(Clone, Debug)]
pub struct Random {
    state: [u64; 4],
}

impl Random {
    /// A generator whose whole sequence follows from `seed`.
    pub fn new(seed: u64) -> Random {
        let mut position = seed;
        // splitmix64 is a bijection over distinct positions, so at most one word is zero: never all four.
        Random { state: core::array::from_fn(|_| split_mix(&mut position)) }
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        let [a, b, c, d] = &mut self.state;
        let result = a.wrapping_add(*d).rotate_left(23).wrapping_add(*a);
        let shifted = *b << 17;
        *c ^= *a;
        *d ^= *b;
        *b ^= *c;
        *a ^= *d;
        *c ^= shifted;
        *d = d.rotate_left(45);
        result
    }

    /// A number below `bound`, every one exactly as likely. A bound of zero, which has no such number, gives zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        let Some(highest @ 1..) = bound.checked_sub(1) else { return 0 };
        // As many bits as the highest number has, drawn again while they exceed it: less than two draws on average.
        let shift = highest.leading_zeros();
        loop {
            let value = self.next_u64() >> shift;
            if value <= highest {
                return value;
            }
        }
    }
}

fn split_mix(position: &mut u64) -> u64 {
    *position = position.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut value = *position;
    value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}
