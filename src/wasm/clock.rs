//! The clock of an engine in JavaScript. The host's function is asked here, in front of a command and never within it:
//! when it fails, the command has not begun and the engine goes on as before.

use alloc::rc::Rc;
use core::cell::Cell;

use wasm_bindgen::prelude::*;

use crate::{Clock, ManualClock, Monotonic, MovableClock, Timestamp};

#[wasm_bindgen]
extern "C" {
    /// The host's function. Its result is read as a number at once, without a JavaScript value in between.
    #[wasm_bindgen(js_name = Function, typescript_type = "() => number")]
    #[derive(Debug)]
    pub type Now;

    #[wasm_bindgen(method, catch, js_name = call)]
    fn ask(this: &Now, receiver: &JsValue) -> Result<f64, JsValue>;
}

/// The host's side: asks its function and leaves the answer where the engine's clock finds it.
#[derive(Debug)]
pub(super) struct HostTime {
    /// `None`: the clock is moved by hand.
    now: Option<Now>,
    sample: Rc<Cell<Timestamp>>,
}

/// Answers the latest sample.
#[derive(Clone, Debug)]
pub(super) struct Sampled(Rc<Cell<Timestamp>>);

/// The engine's side.
#[derive(Clone, Debug)]
pub(super) enum FaceClock {
    System(Sampled),
    Monotonic(Monotonic<Sampled>),
    Manual(ManualClock),
}

impl HostTime {
    /// Follows `now`, forwards and backwards.
    pub(super) fn system(now: Now) -> (HostTime, FaceClock) {
        let (time, sampled) = HostTime::asking(now);
        (time, FaceClock::System(sampled))
    }

    /// Follows `now` forwards only, from `floor` on.
    pub(super) fn monotonic(now: Now, floor: Timestamp) -> (HostTime, FaceClock) {
        let (time, sampled) = HostTime::asking(now);
        (time, FaceClock::Monotonic(Monotonic::with_floor(sampled, floor)))
    }

    /// Stands still.
    pub(super) fn manual() -> (HostTime, FaceClock) {
        (HostTime { now: None, sample: Rc::default() }, FaceClock::Manual(ManualClock::default()))
    }

    fn asking(now: Now) -> (HostTime, Sampled) {
        let sample = Rc::new(Cell::new(Timestamp::default()));
        (HostTime { now: Some(now), sample: Rc::clone(&sample) }, Sampled(sample))
    }

    /// The host has looked itself. False when it has no time, as for [`HostTime::sample`].
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

    /// Asks the host for the time. False when it has none: the package guards the function, keeps the reason, and lets
    /// it answer NaN.
    pub(super) fn sample(&self) -> bool {
        let Some(now) = &self.now else { return true };
        now.ask(&JsValue::UNDEFINED).is_ok_and(|now| self.set(now))
    }
}

/// A JavaScript time in milliseconds; `None` when it is not a finite number. Far times saturate.
pub(super) fn timestamp(ms: f64) -> Option<Timestamp> {
    // Casts from f64 to i64 saturate and cannot fail.
    ms.is_finite().then(|| Timestamp::from_ms(ms as i64))
}

impl Clock for Sampled {
    fn now(&mut self) -> Timestamp {
        self.0.get()
    }
}

impl Clock for FaceClock {
    fn now(&mut self) -> Timestamp {
        match self {
            FaceClock::System(clock) => clock.now(),
            FaceClock::Monotonic(clock) => clock.now(),
            FaceClock::Manual(clock) => clock.now(),
        }
    }
}

impl MovableClock for FaceClock {
    /// Moves a manual clock; the others belong to the host.
    fn set(&mut self, now: Timestamp) {
        if let FaceClock::Manual(clock) = self {
            clock.set(now);
        }
    }
}
