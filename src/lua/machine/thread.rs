//! Threads on which scripts run, so that they can be left. One is kept for each world: making a thread takes as long as a
//! small script.

use alloc::rc::Rc;
use core::cell::RefCell;

use lua_types::{LuaError, LuaValue};
use lua_vm::state::{ExternalRootKey, LuaState, new_thread};

use super::errors::{Place, place};
use super::natives::heap_guard;
use super::suspension::SharedSuspension;
use crate::lua::charges::sampling::INTERVAL;

/// Largest stack, in values, of a thread that is kept.
const KEPT_STACK_MAX: usize = 16 * 1024;

/// Thread of a world.
#[derive(Clone, Debug)]
pub struct ScriptThread {
    pub id: u64,
    pub value: LuaValue,
    root: ExternalRootKey,
    state: SharedThread,
}

type SharedThread = Rc<RefCell<LuaState>>;

impl ScriptThread {
    /// Makes a thread, of which the global variables are those of the state.
    pub fn new(state: &mut LuaState, suspension: &SharedSuspension) -> Result<ScriptThread, LuaError> {
        let _guard = heap_guard(state);
        new_thread(state, None)?;
        let value = state.pop();
        let LuaValue::Thread(handle) = value else { return Err(LuaError::Memory) };
        let own = state.global().threads.get(&handle.id).map(|entry| entry.state.clone()).ok_or(LuaError::Memory)?;
        if let Ok(mut thread) = own.try_borrow_mut() {
            suspension.watch(&mut thread);
        }
        let root = state.external_root_value(value);
        Ok(ScriptThread { id: handle.id, value, root, state: own })
    }

    /// Puts a function on the thread, to be called when it is resumed.
    pub fn stage(&self, function: LuaValue) {
        if let Ok(mut thread) = self.state.try_borrow_mut() {
            thread.set_base_hook_count(INTERVAL);
            thread.reset_hook_count();
            thread.push(function);
        }
    }

    /// Place of the error that ended the thread.
    pub fn place(&self) -> Place {
        place(&mut *self.state.try_borrow_mut().ok()?, 0)
    }

    /// Whether another script may run on the thread.
    pub fn is_small(&self) -> bool {
        self.state.try_borrow().is_ok_and(|thread| thread.stack.len() <= KEPT_STACK_MAX)
    }

    /// Leaves the thread to the collector.
    pub fn release(&self, state: &mut LuaState) {
        state.external_unroot_value(self.root);
    }
}
