//! Suspension of scripts. A hook that runs every few instructions ends a slice: it leaves the thread, which goes on later at
//! the same instruction. Comparators of `table.sort`, callbacks of `string.gsub` and whatever else a function of Rust calls
//! cannot be left. They end at a part of the instruction limit.

use alloc::boxed::Box;
use alloc::rc::Rc;
use core::cell::{Cell, RefCell};

use lua_types::LuaStatus;
use lua_vm::debug;
use lua_vm::state::LuaState;

use super::errors::{Place, place};
use crate::lua::charges::sampling::{INTERVAL, Sampling};

/// Events of a hook that counts instructions.
const COUNT_MASK: i32 = 1 << 3;
/// Part of the instruction limit at which work ends that cannot be left.
const HELD_PART: u64 = 5;

/// State that the hooks of all threads share.
#[derive(Debug, Default)]
pub struct Suspension {
    /// Charges of instructions, at each run of the hook.
    pub sampling: Sampling,
    /// Rest of the instruction limit at which the slice ends; 0: the script runs through.
    stop_at: Cell<u64>,
    /// Whether the threads that resumed the running one can be left.
    can_leave: Cell<bool>,
    is_suspended: Cell<bool>,
    /// Rest of the instruction limit when work began that cannot be left.
    held_at: Cell<Option<u64>>,
    is_loading: Cell<bool>,
    /// Id of the thread of the script.
    thread: Cell<u64>,
    /// Chunk and line at which the script was left.
    place: RefCell<Place>,
}

pub type SharedSuspension = Rc<Suspension>;

impl Suspension {
    /// Installs the hook on a thread.
    pub fn watch(self: &Rc<Suspension>, thread: &mut LuaState) {
        let shared = self.clone();
        let hook = move |state: &mut LuaState, _: &debug::LuaDebug| {
            if shared.sampling.check(state) {
                shared.check(state);
            }
        };
        debug::set_hook(thread, Some(Box::new(hook)), COUNT_MASK, INTERVAL);
        self.sampling.begin(thread);
    }

    /// Starts a script or its next slice on a thread. `None`: it runs through.
    pub fn start(&self, state: &LuaState, thread: u64, slice: Option<u64>) {
        if self.is_suspended.replace(false) {
            // The instruction at which the thread was left is charged a second time.
            let left = &state.global().sandbox.instr_remaining;
            left.set(left.get() + u64::from(state.global().sandbox.interval.get().unsigned_abs()));
        } else {
            self.held_at.set(None);
        }
        let left = state.sandbox_instr_remaining();
        self.stop_at.set(slice.map_or(0, |slice| left.saturating_sub(slice.max(1))));
        self.can_leave.set(true);
        self.thread.set(thread);
    }

    /// Starts or ends the load of a library, which cannot be left and may take the whole limit.
    pub fn load(&self, is_loading: bool) {
        self.held_at.set(None);
        self.is_loading.set(is_loading);
    }

    /// Ends what [`Suspension::start`] started; returns whether the script was left.
    pub fn stop(&self) -> bool {
        self.can_leave.set(false);
        self.thread.set(0);
        self.is_suspended.get()
    }

    /// Forgets the script that was left; returns its place.
    pub fn abandon(&self) -> Place {
        self.is_suspended.set(false);
        self.place.take()
    }

    /// Whether the running thread was left at its present instruction.
    pub fn is_suspended(&self) -> bool {
        self.is_suspended.get()
    }

    /// Whether the running thread is that of the script, rather than one of its coroutines.
    pub fn runs_script(&self, state: &LuaState) -> bool {
        state.global().current_thread_id == self.thread.get() && self.thread.get() != 0
    }

    /// Notes that the running thread resumes another; returns what [`Suspension::leave`] restores.
    pub fn enter(&self, state: &LuaState) -> bool {
        self.can_leave.replace(self.can_leave.get() && state.is_yieldable())
    }

    pub fn leave(&self, entered: bool) {
        self.can_leave.set(entered);
    }

    fn check(&self, state: &mut LuaState) {
        let left = state.sandbox_instr_remaining();
        if self.is_loading.get() {
            return;
        }
        if !self.can_leave.get() || !state.is_yieldable() {
            let held_at = self.held_at.get().unwrap_or(left);
            self.held_at.set(Some(held_at));
            if held_at.saturating_sub(left) > state.sandbox_instr_limit() / HELD_PART {
                state.global().sandbox.instr_remaining.set(0);
            }
            return;
        }
        self.held_at.set(None);
        if left <= self.stop_at.get() {
            self.place.replace(place(state, 0));
            self.is_suspended.set(true);
            state.set_ci_u2_nyield(state.current_ci_idx(), 0);
            state.status = LuaStatus::Yield as u8;
        }
    }
}
