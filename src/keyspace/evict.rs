//! Eviction: keeps memory within `maxmemory` by removing keys according to `maxmemory-policy`. An argument gives
//! whether the command may grow memory.
//!
//! Keys are sampled, as in Redis. The best candidates are kept in a pool, and the best of the pool is evicted unless it
//! was used since. The earliest deadline is exact.
//!
//! Latches with holders are never evicted: a lock that disappeared would be held by two.

use alloc::vec::Vec;

use super::limits::{Candidate, EvictionPolicy, Memory, MemoryLimit};
use super::uses::PastUse;
use super::{Db, EventKind, Keyspace};
use crate::base::clock::Timestamp;
use crate::store::slab::Handle;
use crate::values::{Holder, ValueRef};

/// Maximum number of keys evicted by `tick`, or by a command that does not grow memory. The time of a call stays
/// bounded.
const EVICTIONS_MAX: usize = 256;
/// Maximum number of candidates in the pool.
const CANDIDATES_MAX: usize = 16;
/// Number of samples, or random keys, after which eviction fails if all were latches with holders.
const SAMPLES_MAX: usize = 16;
/// Number of evictions served by one sample, which reads a segment of the index only once. The number of sampled keys
/// per eviction stays the same.
const EVICTIONS_PER_DRAW: usize = 3;

impl Keyspace {
    pub fn limit_memory(&mut self, limit: MemoryLimit) {
        if limit == self.memory.limit {
            return;
        }
        self.uses.count(limit.counting);
        self.memory.limit = limit;
        self.memory.candidates.clear();
        self.memory.evictions_until_draw = 0;
        self.accept_memory();
    }

    /// Accepts the present memory as the ceiling if it is over the limit. The excess is evicted in slices.
    pub(super) fn accept_memory(&mut self) {
        self.memory.ceiling = self.counted_bytes().max(self.memory.limit.max_bytes);
        self.memory.is_due = self.is_over_limit() && self.memory.limit.policy != EvictionPolicy::NoEviction;
    }

    /// Whether there is a memory limit, or the policy ranks keys by their uses.
    pub fn is_limited(&self) -> bool {
        self.memory.limit.max_bytes != 0 || self.ranks_uses()
    }

    pub fn is_over_limit(&self) -> bool {
        self.excess_bytes() > 0
    }

    /// Counted bytes over the limit.
    pub fn excess_bytes(&self) -> u64 {
        match self.memory.limit.max_bytes {
            0 => 0,
            max_bytes => self.counted_bytes().saturating_sub(max_bytes),
        }
    }

    /// Sets the counted bytes of texts of scripts.
    pub fn count_scripts(&mut self, bytes: u64) {
        self.memory.script_bytes = bytes;
    }

    /// Whether keys are evicted by their last use or frequency. Every use then needs the time.
    pub fn ranks_uses(&self) -> bool {
        self.memory.limit.policy == EvictionPolicy::LeastUsed
    }

    /// Idle time or frequency of a key, as the policy counts.
    pub fn past_use(&self, db: &Db, handle: Handle) -> PastUse {
        self.uses.read(db.entries.last_use(handle))
    }

    /// Whether the last call left keys to evict.
    pub fn has_evictions_due(&self) -> bool {
        self.memory.is_due && self.is_over_limit()
    }

    /// Evicts keys until memory is within the limit. Garbage is freed before a key is evicted. Returns false if no key
    /// is left to evict; a command that grows memory must then be refused.
    ///
    /// A command that does not grow memory evicts at most [`EVICTIONS_MAX`] keys, and frees one slice of garbage. One
    /// that grows memory evicts what the last one added, so memory exceeds the limit by at most the growth of one
    /// command. After the limit was lowered, memory may start above it; the ceiling then falls with each call.
    pub fn evict_to_limit(&mut self, grows: bool, now: Timestamp) -> bool {
        let max_bytes = self.memory.limit.max_bytes;
        let (mut used, mut evicted, mut slices) = (self.counted_bytes(), 0, 0);
        let mut found = true;
        while found && max_bytes != 0 && used > max_bytes {
            let has_garbage = self.has_garbage();
            let is_share_done = if has_garbage { slices > 0 } else { evicted >= EVICTIONS_MAX };
            if is_share_done && (!grows || used <= self.memory.ceiling) {
                break;
            }
            if has_garbage {
                self.free_garbage();
                slices += 1;
            } else {
                found = self.evict_one(now);
                evicted += 1;
            }
            used = self.counted_bytes();
        }
        self.memory.ceiling = self.memory.ceiling.min(used).max(max_bytes);
        self.memory.is_due = found && max_bytes != 0 && used > max_bytes;
        found
    }

    fn evict_one(&mut self, now: Timestamp) -> bool {
        if self.loading {
            return false;
        }
        self.uses.set_now(now);
        let victim = match self.memory.limit.policy {
            EvictionPolicy::NoEviction => None,
            EvictionPolicy::LeastUsed => self.least_used(),
            EvictionPolicy::Random => self.random_victim(),
            EvictionPolicy::EarliestDeadline => self.earliest_deadline(),
        };
        let Some((database, handle)) = victim else { return false };
        if self.reserve_headroom_for_removal(database, handle).is_err() {
            return false;
        }
        self.counts.evicted += 1;
        self.at(database, now).remove_without_command(handle, EventKind::Evicted);
        self.effects.end_unit();
        true
    }

    /// Returns the highest ranked candidate that still exists and was not used since it was sampled.
    fn least_used(&mut self) -> Option<(u8, Handle)> {
        // Candidates sampled now are current, so the second round finds one, unless the keys are latches.
        for _ in 0..SAMPLES_MAX {
            if self.memory.evictions_until_draw == 0 {
                self.draw_candidates();
                self.memory.evictions_until_draw = EVICTIONS_PER_DRAW;
            }
            self.memory.evictions_until_draw -= 1;
            while let Some(candidate) = self.take_best_candidate() {
                if self.is_current(candidate) {
                    return Some((candidate.database, candidate.handle));
                }
            }
            self.memory.evictions_until_draw = 0;
        }
        None
    }

    fn draw_candidates(&mut self) {
        let Keyspace { databases, memory, random, uses, unused_from, .. } = self;
        let count = memory.limit.samples * EVICTIONS_PER_DRAW;
        let mut drawn = Vec::new();
        for (database, db) in (0..*unused_from).zip(databases.iter()) {
            match memory.limit.volatile {
                true => db.entries.sample_dated(count, random, &mut drawn),
                false => db.sample(count, random, &mut drawn),
            }
            for handle in drawn.drain(..).filter(|handle| !is_held(db, *handle)) {
                let (hash, last_use) = (db.hash_of(handle), db.entries.last_use(handle));
                let candidate = Candidate { database, handle, hash, last_use };
                memory.offer(candidate, |candidate| uses.rank(candidate.last_use));
            }
        }
    }

    fn take_best_candidate(&mut self) -> Option<Candidate> {
        let Keyspace { memory, uses, .. } = self;
        let ranks = memory.candidates.iter().map(|candidate| uses.rank(candidate.last_use));
        let (best, _) = ranks.enumerate().max_by_key(|&(_, rank)| rank)?;
        Some(memory.candidates.swap_remove(best))
    }

    fn is_current(&self, candidate: Candidate) -> bool {
        let db = self.database(candidate.database);
        db.holds(candidate.hash, candidate.handle)
            && !is_held(db, candidate.handle)
            && db.entries.last_use(candidate.handle) == candidate.last_use
            && (!self.memory.limit.volatile || db.deadline(candidate.handle).is_some())
    }

    /// Random key that is no latch with holders.
    fn random_victim(&mut self) -> Option<(u8, Handle)> {
        for _ in 0..SAMPLES_MAX {
            let (database, handle) = self.random_key()?;
            if !is_held(self.database(database), handle) {
                return Some((database, handle));
            }
        }
        None
    }

    fn random_key(&mut self) -> Option<(u8, Handle)> {
        let volatile = self.memory.limit.volatile;
        let count = |db: &Db| if volatile { db.deadline_count() } else { db.len() };
        let used = (0..self.unused_from).zip(self.databases.iter());
        let mut rank = self.random.below(used.clone().map(|(_, db)| count(db) as u64).sum());
        for (database, db) in used {
            match rank.checked_sub(count(db) as u64) {
                Some(left) => rank = left,
                None => {
                    let mut drawn = Vec::new();
                    match volatile {
                        true => db.entries.sample_dated(1, &mut self.random, &mut drawn),
                        false => db.sample(1, &mut self.random, &mut drawn),
                    }
                    return drawn.pop().map(|handle| (database, handle));
                }
            }
        }
        None
    }

    fn earliest_deadline(&mut self) -> Option<(u8, Handle)> {
        let used = (0..self.unused_from).zip(self.databases.iter());
        let firsts = used.filter_map(|(database, db)| Some((database, db.entries.first_expiring()?)));
        let first = firsts.min_by_key(|(_, node)| node.deadline);
        let first = first.filter(|(database, node)| !is_held(self.database(*database), node.owner));
        first.map(|(database, node)| (database, node.owner)).or_else(|| self.random_victim())
    }
}

impl Memory {
    /// Adds a candidate to the pool if there is space, or if it ranks above the worst of the pool.
    fn offer(&mut self, candidate: Candidate, rank: impl Fn(&Candidate) -> u32) {
        let is_same = |other: &&mut Candidate| (other.database, other.handle) == (candidate.database, candidate.handle);
        if let Some(known) = self.candidates.iter_mut().find(is_same) {
            *known = candidate;
        } else if self.candidates.len() < CANDIDATES_MAX {
            self.candidates.push(candidate);
        } else if let Some(worst) = self.candidates.iter_mut().min_by_key(|candidate| rank(candidate))
            && rank(worst) < rank(&candidate)
        {
            *worst = candidate;
        }
    }
}

/// Whether a key is a latch with holders: one look at its first field.
fn is_held(db: &Db, handle: Handle) -> bool {
    match db.value(handle) {
        Some(ValueRef::Hash(hash)) => hash.iter().next().is_some_and(|field| Holder::parse(&field.value).is_some()),
        _ => false,
    }
}
