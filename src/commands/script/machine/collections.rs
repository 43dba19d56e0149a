//! Charge for memory that is used and freed again. Joining strings copies them, which is one instruction however long they
//! are. A value with a finalizer is garbage at once, so each cycle of the collector runs it: it charges what was
//! allocated since the last cycle, about the size of the heap.

use lua_types::LuaError;
use lua_vm::api;
use lua_vm::state::LuaState;

use super::natives::{argument_count, charge, memory_limit, set_function};

/// Bytes that count as an instruction.
const BYTES_PER_INSTRUCTION: usize = 64;

/// Starts to charge the cycles of the collector.
pub fn charge_cycles(state: &mut LuaState) -> Result<(), LuaError> {
    let metatable = state.new_table();
    set_function(state, &metatable, "__gc", charge_cycle)?;
    let sentinel = state.new_userdata(0, 0)?;
    state.push(lua_types::LuaValue::UserData(sentinel));
    state.push(lua_types::LuaValue::Table(metatable));
    api::set_metatable(state, -2)?;
    state.pop();
    Ok(())
}

/// Finalizer: charges a cycle, and leaves the next value behind.
fn charge_cycle(state: &mut LuaState) -> Result<usize, LuaError> {
    if argument_count(state) == 1 && api::get_metatable(state, 1) {
        let sentinel = state.new_userdata(0, 0)?;
        state.push(lua_types::LuaValue::UserData(sentinel));
        api::rotate(state, -2, 1);
        api::set_metatable(state, -2)?;
    }
    begin_before_limit(state);
    let bytes = state.global().total_bytes();
    charge(state, bytes / BYTES_PER_INSTRUCTION)?;
    Ok(0)
}

/// Makes the next cycle begin halfway to the memory limit at the latest. The collector waits until memory has doubled, which
/// may be beyond the limit.
pub fn begin_before_limit(state: &LuaState) {
    let global = state.global();
    let bytes = global.total_bytes();
    let left = memory_limit(state).saturating_sub(bytes);
    global.heap.set_threshold_bytes(global.heap.threshold_bytes().min(bytes + left / 2));
}
