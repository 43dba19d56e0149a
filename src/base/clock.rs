//! Time as a value. A [`Clock`] is asked once at the door of the engine; every floor below receives a [`Timestamp`]
//! as an argument and has no way to ask for another.

/// An instant: milliseconds since 1970-01-01T00:00:00Z, as in Redis. Negative instants are legal.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    pub const MIN: Timestamp = Timestamp(i64::MIN);
    pub const MAX: Timestamp = Timestamp(i64::MAX);

    pub const fn from_ms(ms: i64) -> Timestamp {
        Timestamp(ms)
    }

    pub const fn as_ms(self) -> i64 {
        self.0
    }

    /// The instant `ms` later, or `None` past the ends of the 64-bit range.
    pub fn checked_add_ms(self, ms: i64) -> Option<Timestamp> {
        self.0.checked_add(ms).map(Timestamp)
    }

    pub fn saturating_add_ms(self, ms: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to `self`; negative when `self` comes first.
    pub fn ms_since(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// Answers the one question "what time is it?". It may answer an earlier instant than before: deadlines are absolute,
/// so a step back lengthens the life of keys, as it does in Redis.
pub trait Clock {
    fn now(&mut self) -> Timestamp;
}

/// A clock whose hands can be moved from outside: sessions and tests run on one.
pub trait MovableClock: Clock {
    fn set(&mut self, now: Timestamp);
}

/// A clock that stands still until somebody moves it.
#[derive(Clone, Copy, Debug, Default)]
pub struct ManualClock {
    now: Timestamp,
}

impl ManualClock {
    pub fn new(now: Timestamp) -> ManualClock {
        ManualClock { now }
    }

    pub fn advance(&mut self, ms: i64) {
        self.now = self.now.saturating_add_ms(ms);
    }
}

impl Clock for ManualClock {
    fn now(&mut self) -> Timestamp {
        self.now
    }
}

impl MovableClock for ManualClock {
    fn set(&mut self, now: Timestamp) {
        self.now = now;
    }
}

/// Clamps another clock so that it never steps back: for hosts that promise leases across restarts and migrations.
#[derive(Clone, Copy, Debug)]
pub struct Monotonic<C> {
    clock: C,
    latest: Timestamp,
}

impl<C: Clock> Monotonic<C> {
    pub fn new(clock: C) -> Monotonic<C> {
        Monotonic::with_floor(clock, Timestamp::MIN)
    }

    /// Starts no earlier than `floor`, for example the last instant found in a log.
    pub fn with_floor(clock: C, floor: Timestamp) -> Monotonic<C> {
        Monotonic { clock, latest: floor }
    }
}

impl<C: Clock> Clock for Monotonic<C> {
    fn now(&mut self) -> Timestamp {
        self.latest = self.latest.max(self.clock.now());
        self.latest
    }
}

/// The wall clock of the operating system.
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl Clock for SystemClock {
    fn now(&mut self) -> Timestamp {
        use std::time::{SystemTime, UNIX_EPOCH};
        // A wall clock set before 1970 reads as the epoch; one past the year 292 million saturates.
        let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        Timestamp(i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_manual_clock_stands_still_until_moved() {
        let mut clock = ManualClock::new(Timestamp::from_ms(10));
        assert_eq!(clock.now(), clock.now());
        clock.advance(5);
        assert_eq!(clock.now(), Timestamp::from_ms(15));
        clock.set(Timestamp::from_ms(3));
        assert_eq!(clock.now(), Timestamp::from_ms(3));
    }

    #[test]
    fn a_monotonic_clock_never_steps_back_below_its_floor_or_its_past() {
        let mut clock = Monotonic::with_floor(ManualClock::new(Timestamp::from_ms(10)), Timestamp::from_ms(100));
        assert_eq!(clock.now(), Timestamp::from_ms(100));
        clock.clock.set(Timestamp::from_ms(200));
        assert_eq!(clock.now(), Timestamp::from_ms(200));
        clock.clock.set(Timestamp::from_ms(150));
        assert_eq!(clock.now(), Timestamp::from_ms(200));
    }
}
