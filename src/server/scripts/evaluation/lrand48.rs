//! Generator of random numbers of scripts that choose a seed: the one of C's `lrand48`, as in Redis.

const MULTIPLIER: u64 = 0x5_deec_e66d;
const INCREMENT: u64 = 0xb;
const STATE_MASK: u64 = (1 << 48) - 1;
/// Lowest bits of a seeded state.
const SEED_TAIL: u64 = 0x330e;

/// Linear congruential generator with a state of 48 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lrand48(u64);

impl Lrand48 {
    /// Generator with the state that `srand48` gives it.
    pub fn seeded(seed: u32) -> Lrand48 {
        Lrand48(u64::from(seed) << 16 | SEED_TAIL)
    }

    /// Next number of 31 bits.
    pub fn next(&mut self) -> u32 {
        self.0 = self.0.wrapping_mul(MULTIPLIER).wrapping_add(INCREMENT) & STATE_MASK;
        (self.0 >> 17) as u32
    }
}
