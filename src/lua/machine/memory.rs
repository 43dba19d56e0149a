//! Memory of scripts: their limit, and that of the host.

use lua_vm::state::LuaState;

use super::collections;
use crate::base::headroom::{OutOfMemory, ensure};

/// Least memory that a script is run with.
const MEMORY_BYTES_MIN: usize = 128 * 1024;
/// Memory that the host has to have for each byte of the machine's count: the allocator's overhead, and the copy of a table
/// that grows.
const ALLOCATED_FACTOR: usize = 2;
/// Memory that the host has to have besides that of a script: a stack that overflows is extended to report it.
const STACK_BYTES: usize = 17 * 1024 * 1024;
/// Sets the memory limit of scripts, or a lower one if the host has less memory: an allocation that fails within Lua would
/// end the process. Fails if next to nothing is left.
pub fn bound_memory(state: &mut LuaState, limit: usize) -> Result<(), OutOfMemory> {
    let used = state.global().total_bytes();
    let mut more = limit.saturating_sub(used);
    while ensure(more.saturating_mul(ALLOCATED_FACTOR).saturating_add(STACK_BYTES)).is_err() {
        more /= 2;
        if more < MEMORY_BYTES_MIN {
            return Err(OutOfMemory);
        }
    }
    state.global().sandbox.mem_limit.set(Some(used.saturating_add(more)));
    collections::bound_threshold(state);
    Ok(())
}
