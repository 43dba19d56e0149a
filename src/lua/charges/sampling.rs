//! Charges of instructions with work that depends on their operands. Each instruction is one unit. At each check of the
//! limits, the instruction that follows is charged as if it stood for all since the last check: over many checks, the sum
//! is that of all instructions. The checks are an irregular number of instructions apart, so that no loop runs in step.

use alloc::rc::Rc;
use core::cell::Cell;

use lua_vm::state::LuaState;

use super::weights;
use crate::lua::machine::natives::{charge, memory_limit};

/// Least and greatest number of instructions between two checks.
const INTERVAL_MIN: u64 = 20;
const INTERVAL_MAX: u64 = 36;
/// Mean of that number, which is charged at each check.
pub const INTERVAL: i32 = 28;

/// State of the samples, which a script's coroutines share.
#[derive(Clone, Debug, Default)]
pub struct Sampling(Rc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    /// Generator of the intervals.
    seed: Cell<u64>,
    /// Other texts that the machine compares a new one with.
    crowding: Cell<usize>,
}

impl Sampling {
    /// Starts the intervals of a script. The seed is the engine's, so that a script cannot know them.
    pub fn restart(&self, seed: u64) {
        self.0.seed.set(seed);
        self.0.crowding.set(0);
    }

    /// Sets how many texts a new one is compared with.
    pub fn set_crowding(&self, texts: usize) {
        self.0.crowding.set(texts);
    }

    /// Next interval.
    fn next(&self) -> u64 {
        INTERVAL_MIN + self.random() % (INTERVAL_MAX - INTERVAL_MIN + 1)
    }

    /// Next number of the generator: splitmix64.
    fn random(&self) -> u64 {
        let seed = self.0.seed.get().wrapping_add(0x9e37_79b9_7f4a_7c15);
        self.0.seed.set(seed);
        let mixed = (seed ^ seed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// Sets the first check of a new thread: anywhere within an interval, so that threads that end early are charged, too.
    pub fn begin(&self, state: &mut LuaState) {
        let interval = state.global().sandbox.interval.get().unsigned_abs().max(1);
        state.set_hook_count(1 + (self.random() % u64::from(interval)) as i32);
    }

    /// Charges the instruction that follows, and sets the next check. Returns whether the limits allow the instruction.
    pub fn check(&self, state: &mut LuaState) -> bool {
        let interval = state.global().sandbox.interval.get();
        let weight = weights::present(state, self.0.crowding.get());
        let is_allowed = charge(state, weight.saturating_mul(interval.unsigned_abs() as usize)).is_ok();
        // With little memory left, each instruction is followed by a check.
        let (interval, next) = if is_short_of_memory(state) { (1, 1) } else { (INTERVAL, self.next() as i32) };
        state.global().sandbox.interval.set(interval);
        // A thread that is left now counts from here when it goes on, too.
        state.set_base_hook_count(next);
        // A hook cannot fail; the next instruction does.
        state.set_hook_count(if is_allowed { next } else { 1 });
        is_allowed
    }
}

/// Whether more than half of the memory is used. In an interval tables double at most once. Texts that double more often
/// end the interval, since they start a collection (`collections`).
pub fn is_short_of_memory(state: &LuaState) -> bool {
    state.global().total_bytes() > memory_limit(state) / 2
}

/// Makes the next instruction one that checks the limits.
pub fn check_soon(state: &mut LuaState) {
    state.set_hook_count(1);
}
