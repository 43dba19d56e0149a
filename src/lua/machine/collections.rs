//! Charge for memory that is used and freed again. Joining strings copies them, which is one instruction however long they
//! are. A value with a finalizer is garbage at once, so each cycle of the collector runs it: it charges what was
//! allocated since the last cycle, about the size of the heap.

use alloc::rc::Rc;

use lua_types::LuaError;
use lua_vm::api;
use lua_vm::state::LuaState;

use super::natives::{argument_count, charge, memory_limit, set_closure};
use crate::lua::charges::rates::COLLECTED_BYTES;
use crate::lua::charges::sampling::{Sampling, check_soon, is_short_of_memory};

/// Chains that are counted, of as many or more that the machine has.
const CHAINS: usize = 256;
/// Texts of a chain that need no reason.
const USUAL_MIN: usize = 32;

/// Starts to charge the cycles of the collector.
pub fn charge_cycles(state: &mut LuaState, sampling: &Sampling) -> Result<(), LuaError> {
    let (metatable, sampling) = (state.new_table(), sampling.clone());
    set_closure(state, &metatable, "__gc", Rc::new(move |state| charge_cycle(state, &sampling)))?;
    let sentinel = state.new_userdata(0, 0)?;
    state.push(lua_types::LuaValue::UserData(sentinel));
    state.push(lua_types::LuaValue::Table(metatable));
    api::set_metatable(state, -2)?;
    state.pop();
    Ok(())
}

/// Finalizer: charges a cycle, and leaves the next value behind.
fn charge_cycle(state: &mut LuaState, sampling: &Sampling) -> Result<usize, LuaError> {
    if argument_count(state) == 1 && api::get_metatable(state, 1) {
        let sentinel = state.new_userdata(0, 0)?;
        state.push(lua_types::LuaValue::UserData(sentinel));
        api::rotate(state, -2, 1);
        api::set_metatable(state, -2)?;
    }
    let bytes = state.global().total_bytes();
    bound_threshold(state);
    sampling.set_crowding(crowding(state));
    // The error of a finalizer is lost; the next check of the limits finds the same.
    charge(state, bytes / COLLECTED_BYTES)?;
    Ok(0)
}

/// Length of the longest chain of short texts beyond the usual. The machine looks for each new text in a table of all. Its
/// hash has no secret, so a script can make many texts of one chain.
fn crowding(state: &LuaState) -> usize {
    let global = state.global();
    let mut chains = [0_usize; CHAINS];
    global.interned_lt.iter().for_each(|text| chains[text.hash() as usize % CHAINS] += 1);
    let usual = 2 * global.interned_lt.len() / CHAINS + USUAL_MIN;
    chains.into_iter().max().unwrap_or(0).saturating_sub(usual)
}

/// Makes the next collection begin when half of the memory is used, or halfway from there to the limit. It follows each instruction that makes a
/// text: those that double cannot outrun the checks of the limits, which are many instructions apart.
pub fn bound_threshold(state: &mut LuaState) {
    let limit = memory_limit(state);
    let is_short = is_short_of_memory(state);
    {
        let heap = &state.global().heap;
        let bytes = state.global().total_bytes();
        let halfway = bytes + limit.saturating_sub(bytes) / 2;
        let bound = if is_short { halfway } else { halfway.min(limit / 2) };
        heap.set_threshold_bytes(heap.threshold_bytes().min(bound));
    }
    if is_short {
        check_soon(state);
    }
}
