//! The memory limit as data: policy, eviction candidates, and the ceiling for memory growth.

use alloc::vec::Vec;

use super::uses::Counting;
use crate::store::slab::Handle;

/// Eviction policy of `maxmemory-policy`, for all keys or for those with a deadline.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum EvictionPolicy {
    #[default]
    NoEviction,
    /// The key that is unused or unchanged for the longest time, or least frequently used (LRU, LRM, LFU).
    LeastUsed,
    Random,
    /// The key with the earliest deadline (`volatile-ttl`).
    EarliestDeadline,
}

/// Value of `maxmemory` and the parameters that belong to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MemoryLimit {
    /// Limit in bytes; 0 means no limit.
    pub max_bytes: u64,
    pub policy: EvictionPolicy,
    /// Whether only keys with a deadline are evicted (`volatile-*`).
    pub volatile: bool,
    /// Number of keys sampled for one eviction (`maxmemory-samples`).
    pub samples: usize,
    pub counting: Counting,
}

impl Default for MemoryLimit {
    fn default() -> MemoryLimit {
        let (policy, counting) = (EvictionPolicy::default(), Counting::default());
        MemoryLimit { max_bytes: 0, policy, volatile: false, samples: 5, counting }
    }
}

/// Sampled key with its last use at the time of sampling.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) database: u8,
    pub(super) handle: Handle,
    pub(super) hash: u32,
    pub(super) last_use: u32,
}

/// State of the eviction to `maxmemory`.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    pub(super) limit: MemoryLimit,
    pub(super) candidates: Vec<Candidate>,
    /// Number of evictions that the last sample still serves.
    pub(super) evictions_until_draw: usize,
    /// Maximum number of counted bytes before a command that grows memory: the limit, or the bytes in use when the
    /// limit was lowered below them. The ceiling only falls.
    pub(super) ceiling: u64,
    /// Whether more keys are to be evicted than one call evicts.
    pub(super) is_due: bool,
    /// Counted bytes of texts of scripts, which are not in a database.
    pub(super) script_bytes: u64,
}
