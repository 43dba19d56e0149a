//! Time as a value: a [`Clock`] is read at the boundary of the engine, and every floor below receives a [`Timestamp`] as an
//! argument.

/// An instant: milliseconds since 1970-01-01T00:00:00Z, as in Redis. It may be negative.
///
/// # Examples
/// ```
/// use keylatch::Timestamp;
///
/// let start = Timestamp::from_ms(1_000);
/// assert_eq!(start.saturating_add_ms(500).ms_since(start), 500);
/// assert_eq!(Timestamp::MAX.checked_add_ms(1), None);
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Hash)]
pub struct Timestamp(i64);

impl Timestamp {
    /// The earliest instant.
    pub const MIN: Timestamp = Timestamp(i64::MIN);
    /// The latest instant.
    pub const MAX: Timestamp = Timestamp(i64::MAX);

    /// The instant `ms` milliseconds after the epoch.
    pub const fn from_ms(ms: i64) -> Timestamp {
        Timestamp(ms)
    }

    /// Milliseconds since the epoch.
    pub const fn as_ms(self) -> i64 {
        self.0
    }

    /// The instant `ms` later; `None` beyond the range of 64 bits.
    pub fn checked_add_ms(self, ms: i64) -> Option<Timestamp> {
        self.0.checked_add(ms).map(Timestamp)
    }

    /// The instant `ms` later, at most [`Timestamp::MAX`] and at least [`Timestamp::MIN`].
    pub fn saturating_add_ms(self, ms: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(ms))
    }

    /// Milliseconds from `earlier` to `self`, saturating; negative if `self` is the earlier one.
    pub fn ms_since(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

/// A source of the present instant.
///
/// It may step back. Deadlines are absolute, so a step back lengthens the life of keys, as it does in Redis; [`Monotonic`]
/// prevents that.
///
/// # Examples
/// ```
/// use keylatch::{Clock, Keylatch, Options, Timestamp};
///
/// struct Counter(i64);
///
/// impl Clock for Counter {
///     fn now(&mut self) -> Timestamp {
///         self.0 += 1;
///         Timestamp::from_ms(self.0)
///     }
/// }
///
/// let mut db = Keylatch::new(Options::default(), Counter(0));
/// db.tick();
/// assert_eq!(db.now(), Timestamp::from_ms(1));
/// ```
pub trait Clock {
    /// Returns the present instant.
    fn now(&mut self) -> Timestamp;
}

/// A clock that can be set. Sessions and tests run on one.
///
/// # Examples
/// ```
/// use keylatch::{Clock, ManualClock, MovableClock, Timestamp};
///
/// let mut clock = ManualClock::default();
/// clock.set(Timestamp::MAX);
/// assert_eq!(clock.now(), Timestamp::MAX);
/// ```
pub trait MovableClock: Clock {
    /// Sets the present instant.
    fn set(&mut self, now: Timestamp);
}

/// A clock that stands still until it is moved.
///
/// # Examples
/// ```
/// use keylatch::{Clock, ManualClock, Timestamp};
///
/// let mut clock = ManualClock::new(Timestamp::from_ms(10));
/// clock.advance(5);
/// assert_eq!(clock.now(), Timestamp::from_ms(15));
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ManualClock {
    now: Timestamp,
}

impl ManualClock {
    /// A clock that stands at `now`.
    pub fn new(now: Timestamp) -> ManualClock {
        ManualClock { now }
    }

    /// Moves the clock by `ms` milliseconds; a negative number moves it back.
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

/// Another clock, clamped so that it never steps back: for leases that hold across restarts and migrations.
///
/// # Examples
/// ```
/// use keylatch::{Clock, ManualClock, Monotonic, Timestamp};
///
/// let restored = Timestamp::from_ms(500);
/// let mut clock = Monotonic::with_floor(ManualClock::new(Timestamp::from_ms(100)), restored);
/// assert_eq!(clock.now(), restored);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Monotonic<C> {
    clock: C,
    latest: Timestamp,
}

impl<C: Clock> Monotonic<C> {
    /// Clamps a clock to the latest instant that it has shown.
    pub fn new(clock: C) -> Monotonic<C> {
        Monotonic::with_floor(clock, Timestamp::MIN)
    }

    /// Clamps a clock to `floor` too, for example to the last instant of a log.
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
///
/// # Examples
/// ```
/// use keylatch::{Clock, SystemClock, Timestamp};
///
/// assert!(SystemClock.now() > Timestamp::from_ms(1_700_000_000_000));
/// ```
#[cfg(feature = "std")]
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

#[cfg(feature = "std")]
impl Clock for SystemClock {
    fn now(&mut self) -> Timestamp {
        use std::time::{SystemTime, UNIX_EPOCH};
        // An instant before 1970 reads as the epoch; one after the year 292 million saturates.
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
