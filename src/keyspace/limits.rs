//! The memory limit as data: policy, candidates of the next eviction, and how far memory may grow.

use alloc::vec::Vec;

use super::uses::Counting;
use crate::store::slab::Handle;

/// Key that `maxmemory-policy` chooses, among all keys or among those with a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EvictionPolicy {
    #[default]
    NoEviction,
    /// The key unused or unchanged for the longest time, or used least frequently.
    LeastUsed,
    Random,
    /// The key with the earliest deadline (`volatile-ttl`).
    EarliestDeadline,
}

/// `maxmemory` and the parameters around it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    /// 0: none.
    pub max_bytes: u64,
    pub policy: EvictionPolicy,
    /// Only keys that have a deadline are chosen from.
    pub volatile: bool,
    /// How many keys are drawn for an eviction.
    pub samples: usize,
    pub counting: Counting,
}

impl Default for MemoryLimit {
    fn default() -> MemoryLimit {
        let (policy, counting) = (EvictionPolicy::default(), Counting::default());
        MemoryLimit { max_bytes: 0, policy, volatile: false, samples: 5, counting }
    }
}

/// A key that was drawn, with its last use then.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) database: u8,
    pub(super) handle: Handle,
    pub(super) hash: u32,
    pub(super) last_use: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) limit: MemoryLimit,
    pub(super) candidates: Vec<Candidate>,
    /// How many evictions the last draw is still good for.
    pub(super) draw_left: usize,
    /// Where memory may stand at most before a command that grows it: at the limit, unless that was lowered below what
    /// there is. Then it only falls.
    pub(super) ceiling: u64,
    /// More is to be evicted than one call takes.
    pub(super) is_due: bool,
}
