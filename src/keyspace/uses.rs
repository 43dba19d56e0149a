//! Last use of a key: a word of 32 bits in its block, read by OBJECT and by eviction. This module encodes and decodes
//! the words, and has no keys.
//!
//! ```text
//! seconds (24 bits), order (8)                    of the last use, or of the last change
//! counter (8 bits), minutes (16), order (8)       under an LFU policy
//! ```
//!
//! Seconds, minutes and the logarithmic counter are those of Redis 8. The order is an addition that separates uses
//! within one second, of which an embedded engine sees millions. It advances by one each time a sixty-fourth of the
//! keys has been inserted, and wraps after 256 steps. A key unused for that long has most likely been evicted.

use crate::base::clock::Timestamp;
use crate::base::random::Random;

const ORDER_BITS: u32 = 8;
const COUNTER_AT: u32 = 24;
const SECONDS_MASK: u32 = (1 << 24) - 1;
const MINUTES_MASK: u32 = (1 << 16) - 1;
const COUNTER_MAX: u32 = 255;
/// Frequency of a new key, so that it is not evicted before its first use (Redis' `LFU_INIT_VAL`).
const COUNTER_START: u32 = 5;
const STEPS_PER_DATABASE: usize = 64;
const MS_PER_SECOND: i64 = 1000;
const SECONDS_PER_MINUTE: u32 = 60;

/// Record kept of a key's uses: time of the last use or change, or frequency.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Counting {
    /// Time of the last read or change.
    #[default]
    Uses,
    /// Time of the last change.
    Changes,
    /// Frequency of reads and changes.
    Frequency(Frequency),
}

/// Parameters of the LFU counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Frequency {
    /// `lfu-log-factor`: a larger factor makes a high counter grow more slowly.
    pub log_factor: u64,
    /// `lfu-decay-time`: idle minutes after which the counter falls by one; 0 disables decay.
    pub decay_minutes: u64,
}

/// Idle time or frequency of a key, depending on [`Counting`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PastUse {
    IdleSeconds(u64),
    Frequency(u8),
}

/// Encoder and decoder of last-use words at the present instant.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    counting: Counting,
    now: Option<Timestamp>,
    /// First known instant: seconds in words count from here.
    since: Option<Timestamp>,
    /// Seconds from `since` to the latest instant. A clock that steps back does not reduce them.
    elapsed_s: u32,
    order: u32,
    /// Number of insertions before the next step of the order.
    inserts_left: usize,
    /// Word of a key that is used now; not used under an LFU policy.
    present: u32,
}

impl Uses {
    pub(super) fn count(&mut self, counting: Counting) {
        self.counting = counting;
    }

    pub(super) fn counting(&self) -> Counting {
        self.counting
    }

    /// Sets the present instant. `Timestamp::MIN` means unknown and is ignored.
    #[inline(always)]
    pub(super) fn set_now(&mut self, now: Timestamp) {
        if self.now != Some(now) {
            self.move_to(now);
        }
    }

    #[inline(never)]
    fn move_to(&mut self, now: Timestamp) {
        if now == Timestamp::MIN {
            return;
        }
        self.now = Some(now);
        let since = *self.since.get_or_insert(now);
        let second = |instant: Timestamp| instant.as_ms().div_euclid(MS_PER_SECOND);
        let elapsed_s = second(now).saturating_sub(second(since));
        self.elapsed_s = self.elapsed_s.max(u32::try_from(elapsed_s.max(0)).unwrap_or(u32::MAX));
        self.refresh();
    }

    /// Word of a key that is inserted into a database of `keys` keys.
    pub(super) fn first(&mut self, keys: usize) -> u32 {
        if self.inserts_left == 0 {
            self.inserts_left = keys / STEPS_PER_DATABASE + 1;
            self.order = self.order.wrapping_add(1) & mask(ORDER_BITS);
            self.refresh();
        }
        self.inserts_left -= 1;
        match self.counting {
            Counting::Frequency(_) => self.word_of_counter(COUNTER_START),
            Counting::Uses | Counting::Changes => self.present,
        }
    }

    /// Word of a key that is used now. `None` under an LFU policy, where the word depends on the old one.
    #[inline(always)]
    pub(super) fn present(&self) -> Option<u32> {
        if matches!(self.counting, Counting::Frequency(_)) { None } else { Some(self.present) }
    }

    /// Word of a key that is used again, given its old word.
    pub(super) fn again(&self, word: u32, random: &mut Random) -> u32 {
        let Counting::Frequency(frequency) = self.counting else { return self.present };
        let counter = self.decayed(word, frequency);
        let above_start = u64::from(counter.saturating_sub(COUNTER_START));
        let odds = above_start.saturating_mul(frequency.log_factor).saturating_add(1);
        let counted = counter < COUNTER_MAX && random.below(odds) == 0;
        self.word_of_counter(counter + u32::from(counted))
    }

    /// Word for a known idle time or frequency (RESTORE, loading). Information that the policy does not use is dropped.
    pub(super) fn past(&self, past: PastUse) -> u32 {
        match (self.counting, past) {
            (Counting::Frequency(_), PastUse::Frequency(counter)) => self.word_of_counter(counter.into()),
            (Counting::Frequency(_), PastUse::IdleSeconds(_)) => self.word_of_counter(COUNTER_START),
            (_, PastUse::IdleSeconds(idle_s)) => {
                let idle_s = u32::try_from(idle_s).unwrap_or(u32::MAX).min(SECONDS_MASK);
                self.elapsed_s.wrapping_sub(idle_s) << ORDER_BITS | self.order
            }
            (_, PastUse::Frequency(_)) => self.present,
        }
    }

    /// Decodes a word: whole seconds since the last use, up to 194 days, or the counter after decay.
    pub(super) fn read(&self, word: u32) -> PastUse {
        match self.counting {
            Counting::Frequency(frequency) => PastUse::Frequency(self.decayed(word, frequency) as u8),
            Counting::Uses | Counting::Changes => {
                PastUse::IdleSeconds((self.elapsed_s.wrapping_sub(word >> ORDER_BITS) & SECONDS_MASK).into())
            }
        }
    }

    /// Eviction rank of a word. A larger rank means longer idle or less frequently used.
    pub(super) fn rank(&self, word: u32) -> u32 {
        let steps = self.order.wrapping_sub(word) & mask(ORDER_BITS);
        match self.counting {
            Counting::Frequency(frequency) => {
                let rareness = COUNTER_MAX - self.decayed(word, frequency);
                rareness << COUNTER_AT | self.idle_minutes(word) << ORDER_BITS | steps
            }
            Counting::Uses | Counting::Changes => {
                (self.elapsed_s << ORDER_BITS).wrapping_sub(word & !mask(ORDER_BITS)) | steps
            }
        }
    }

    fn refresh(&mut self) {
        self.present = self.elapsed_s << ORDER_BITS | self.order;
    }

    fn word_of_counter(&self, counter: u32) -> u32 {
        counter << COUNTER_AT | ((self.elapsed_s / SECONDS_PER_MINUTE) & MINUTES_MASK) << ORDER_BITS | self.order
    }

    fn idle_minutes(&self, word: u32) -> u32 {
        (self.elapsed_s / SECONDS_PER_MINUTE).wrapping_sub(word >> ORDER_BITS) & MINUTES_MASK
    }

    fn decayed(&self, word: u32, frequency: Frequency) -> u32 {
        let periods = u64::from(self.idle_minutes(word)).checked_div(frequency.decay_minutes).unwrap_or(0);
        (word >> COUNTER_AT).saturating_sub(periods as u32)
    }
}

const fn mask(bits: u32) -> u32 {
    (1 << bits) - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    const START_MS: i64 = 1_767_225_600_000;

    fn uses(counting: Counting) -> Uses {
        let mut uses = Uses::default();
        uses.count(counting);
        uses.set_now(Timestamp::from_ms(START_MS));
        uses
    }

    fn after(uses: &mut Uses, ms: i64) {
        uses.set_now(Timestamp::from_ms(START_MS + ms));
    }

    const FREQUENCY: Counting = Counting::Frequency(Frequency { log_factor: 10, decay_minutes: 1 });

    #[test]
    fn idle_seconds_are_counted_from_the_last_use() {
        let (mut uses, random) = (uses(Counting::Uses), &mut Random::new(1));
        let word = uses.first(0);
        after(&mut uses, 12_345);
        assert_eq!(uses.read(word), PastUse::IdleSeconds(12));
        assert_eq!(uses.read(uses.again(word, random)), PastUse::IdleSeconds(0));
        assert_eq!(uses.read(uses.past(PastUse::IdleSeconds(1000))), PastUse::IdleSeconds(1000));
        let longest = PastUse::IdleSeconds(SECONDS_MASK.into());
        assert_eq!(uses.read(uses.past(PastUse::IdleSeconds(u64::MAX))), longest);
        after(&mut uses, -5_000);
        assert_eq!(uses.read(word), PastUse::IdleSeconds(12), "a step back makes no key idle for half a year");
    }

    #[test]
    fn a_use_before_the_first_known_instant_counts_from_it() {
        let mut uses = Uses::default();
        uses.set_now(Timestamp::MIN);
        let word = uses.first(0);
        after(&mut uses, 0);
        assert_eq!(uses.read(word), PastUse::IdleSeconds(0));
        after(&mut uses, 3_000);
        assert_eq!(uses.read(word), PastUse::IdleSeconds(3));
    }

    #[test]
    fn within_a_second_the_order_of_insertions_separates_uses() {
        let (mut uses, random) = (uses(Counting::Uses), &mut Random::new(1));
        let words: alloc::vec::Vec<u32> = (0..100).map(|keys| uses.first(keys)).collect();
        assert!(uses.rank(words[0]) > uses.rank(words[50]) && uses.rank(words[50]) > uses.rank(words[99]));
        let used = uses.again(words[0], random);
        assert_eq!(uses.rank(used), uses.rank(words[99]));
        after(&mut uses, 1_000);
        assert!(uses.rank(words[99]) > uses.rank(uses.present));
    }

    #[test]
    fn the_counter_grows_with_the_logarithm_of_uses_and_decays() {
        let (mut uses, random) = (uses(FREQUENCY), &mut Random::new(3));
        let mut word = uses.first(0);
        assert_eq!(uses.read(word), PastUse::Frequency(5));
        word = uses.again(word, random);
        assert_eq!(uses.read(word), PastUse::Frequency(6), "the first use is always counted");
        // Redis' own table for a factor of 10: about 10 after 100 uses, 18 after 1000, 142 after 100,000.
        let mut reached = alloc::vec::Vec::new();
        for count in 1..=100_000u32 {
            word = uses.again(word, random);
            if matches!(count, 100 | 1_000 | 100_000) {
                let PastUse::Frequency(counter) = uses.read(word) else { panic!() };
                reached.push(counter);
            }
        }
        assert!((8..=12).contains(&reached[0]) && (15..=22).contains(&reached[1]), "{reached:?}");
        assert!((130..=155).contains(&reached[2]), "{reached:?}");
        after(&mut uses, 10 * 60_000);
        assert_eq!(uses.read(word), PastUse::Frequency(reached[2] - 10));
        after(&mut uses, 1000 * 60_000);
        assert_eq!(uses.read(word), PastUse::Frequency(0));
    }

    #[test]
    fn without_decay_or_factor_counters_only_grow() {
        let (mut uses, random) =
            (uses(Counting::Frequency(Frequency { log_factor: 0, decay_minutes: 0 })), &mut Random::new(3));
        let mut word = uses.first(0);
        (0..300).for_each(|_| word = uses.again(word, random));
        after(&mut uses, 1_000_000_000);
        assert_eq!(uses.read(word), PastUse::Frequency(255));
        assert!(uses.rank(uses.past(PastUse::Frequency(3))) > uses.rank(word));
    }
}
