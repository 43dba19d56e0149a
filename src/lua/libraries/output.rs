//! Bytes that a library writes, charged to the script before they are allocated.

use alloc::vec::Vec;

use lua_types::LuaError;
use lua_vm::state::LuaState;

use crate::lua::charges::functions::charge_bytes;
use crate::lua::machine::natives::{charge, push_string, reserve};

/// First allocation.
const FIRST: usize = 256;

/// Makes room for more bytes, and charges the work of writing them.
pub fn grow(state: &LuaState, bytes: &mut Vec<u8>, more: usize) -> Result<(), LuaError> {
    charge(state, 1)?;
    charge_bytes(state, more)?;
    let needed = bytes.len().saturating_add(more);
    if needed <= bytes.capacity() {
        return Ok(());
    }
    let capacity = needed.max(bytes.capacity().saturating_mul(2)).max(FIRST);
    reserve(state, capacity)?;
    bytes.try_reserve_exact(capacity - bytes.len()).map_err(|_| LuaError::Memory)
}

/// Pushes written bytes as the one result of a function.
pub fn push_result(state: &mut LuaState, bytes: &[u8]) -> Result<usize, LuaError> {
    reserve(state, bytes.len())?;
    push_string(state, bytes)?;
    Ok(1)
}
