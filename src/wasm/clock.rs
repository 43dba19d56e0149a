//! Clock of an engine in JavaScript. The host's function is called before a command and never within it. If it fails,
//! the command has not begun and the engine continues as before.

use alloc::rc::Rc;
use core::cell::Cell;

use wasm_bindgen::prelude::*;

use crate::{Clock, ManualClock, Monotonic, MovableClock, Timestamp};

#[wasm_bindgen]
extern "C" {
    /// Time function of the host. Its result is read as a number directly, without an intermediate JavaScript value.
    #[wasm_bindgen(js_name = Function, typescript_type = "() => number")]
    #[derive(Debug)]
    pub type Now;

    #[wasm_bindgen(method, catch, js_name = call)]
    fn call(this: &Now, receiver: &JsValue) -> Result<f64, JsValue>;
}

/// Host side of the clock: calls the host's function and stores the sample for the engine's clock.
#[derive(Debug)]
pub(super) struct HostTime {
    /// `None` for a manual clock.
    now: Option<Now>,
    sample: Rc<Cell<Timestamp>>,
}

/// Clock that returns the latest sample.
#[derive(Clone, Debug)]
pub(super) struct Sampled(Rc<Cell<Timestamp>>);

/// Engine side of the clock.
#[derive(Clone, Debug)]
pub(super) enum EngineClock {
    System(Sampled),
    Monotonic(Monotonic<Sampled>),
    Manual(ManualClock),
}

impl HostTime {
    /// Creates a clock that follows `now`, forwards and backwards.
    pub(super) fn system(now: Now) -> (HostTime, EngineClock) {
        let (time, sampled) = HostTime::sampling(now);
        (time, EngineClock::System(sampled))
    }

    /// Creates a clock that follows `now` forwards only, from `floor` on.
    pub(super) fn monotonic(now: Now, floor: Timestamp) -> (HostTime, EngineClock) {
        let (time, sampled) = HostTime::sampling(now);
        (time, EngineClock::Monotonic(Monotonic::with_floor(sampled, floor)))
    }

    /// Creates a clock that stands still until it is moved.
    pub(super) fn manual() -> (HostTime, EngineClock) {
        (HostTime { now: None, sample: Rc::default() }, EngineClock::Manual(ManualClock::default()))
    }

    fn sampling(now: Now) -> (HostTime, Sampled) {
        let sample = Rc::new(Cell::new(Timestamp::default()));
        (HostTime { now: Some(now), sample: Rc::clone(&sample) }, Sampled(sample))
    }

    /// Stores a sample that the host took. Returns false if it is not a time, as [`HostTime::sample`] does.
    #[inline(always)]
    pub(super) fn set(&self, now: f64) -> bool {
        if self.is_manual() {
            return true;
        }
        let now = timestamp(now);
        if let Some(now) = now {
            self.sample.set(now);
        }
        now.is_some()
    }

    pub(super) fn is_manual(&self) -> bool {
        self.now.is_none()
    }

    /// Takes a sample. Returns false if the host has no time: the package guards the function, keeps the error, and
    /// returns NaN.
    pub(super) fn sample(&self) -> bool {
        let Some(now) = &self.now else { return true };
        now.call(&JsValue::UNDEFINED).is_ok_and(|now| self.set(now))
    }
}

/// Converts a JavaScript time in milliseconds; `None` if it is not a finite number. Far times saturate.
pub(super) fn timestamp(ms: f64) -> Option<Timestamp> {
    // Casts from f64 to i64 saturate and cannot fail.
    ms.is_finite().then(|| Timestamp::from_ms(ms as i64))
}

impl Clock for Sampled {
    fn now(&mut self) -> Timestamp {
        self.0.get()
    }
}

impl Clock for EngineClock {
    fn now(&mut self) -> Timestamp {
        match self {
            EngineClock::System(clock) => clock.now(),
            EngineClock::Monotonic(clock) => clock.now(),
            EngineClock::Manual(clock) => clock.now(),
        }
    }
}

impl MovableClock for EngineClock {
    /// Moves a manual clock; the others follow the host.
    fn set(&mut self, now: Timestamp) {
        if let EngineClock::Manual(clock) = self {
            clock.set(now);
        }
    }
}
