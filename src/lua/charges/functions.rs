//! Charges of functions with work that depends on their arguments. One call is one instruction of Lua, however long it takes:
//! its work is charged beside, one unit for about the time of an instruction.

use alloc::rc::Rc;
use core::cell::Cell;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::{LuaCallable, LuaState};

use super::rates::{COMPARISON, CONVERSION, COPIED_BYTES, CREATION, MOVED_ELEMENT, READ_DIGITS, VISITED_NODES};
use super::tables::{insertion_weight, lookup_weight, whole_weight};
use super::weights::{order, remainder};
use crate::lua::machine::natives::{argument, argument_count, charge, closure, field, set_field};
use crate::lua::machine::protection::{callable, wrap};

/// Largest table of which `next` is one instruction wherever it starts.
const SMALL_TABLE_BYTES: usize = 4096;
/// Bytes of an element of a table.
const ELEMENT_BYTES: usize = size_of::<LuaValue>();

/// Charges work on a number of bytes.
pub fn charge_bytes(state: &LuaState, bytes: usize) -> Result<(), LuaError> {
    charge(state, bytes / COPIED_BYTES)
}

/// Puts charges in front of functions of the standard libraries.
pub fn add(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    if let Some(original) = callable(state, globals, "next")? {
        let traversal = Cell::new(Traversal::default());
        let function = closure(state, Rc::new(move |state| next(state, &original, &traversal)));
        set_field(state, globals, "next", function)?;
    }
    wrap(state, globals, "tonumber", charge_digits)?;
    wrap(state, globals, "rawequal", charge_comparison)?;
    wrap(state, globals, "rawget", charge_lookup)?;
    wrap(state, globals, "rawset", charge_insertion)?;
    wrap(state, globals, "tostring", charge_text)?;
    wrap(state, globals, "setmetatable", charge_weak)?;
    if let LuaValue::Table(library) = field(state, globals, "math")? {
        for name in ["fmod", "mod"] {
            wrap(state, &library, name, charge_remainder)?;
        }
    }
    if let LuaValue::Table(library) = field(state, globals, "table")? {
        for name in ["foreach", "foreachi", "maxn"] {
            wrap(state, &library, name, charge_table)?;
        }
        wrap(state, &library, "remove", charge_removal)?;
        if let Some(original) = callable(state, &library, "sort")? {
            let less_than = closure(state, Rc::new(less_than));
            let function = closure(state, Rc::new(move |state| sort(state, &original, less_than)));
            set_field(state, &library, "sort", function)?;
        }
    }
    Ok(())
}

/// The last step of `next` in a large table: the table and the key that was returned.
#[derive(Clone, Copy, Default)]
struct Traversal {
    table: usize,
    key: u64,
}

/// `next(table [, key])`: steps that follow each other visit each element once, which the first one is charged for. Any
/// other step may visit all of them, since those that were removed stay behind as empty ones.
fn next(state: &mut LuaState, original: &LuaCallable, traversal: &Cell<Traversal>) -> Result<usize, LuaError> {
    // An error of the machine has no line in front.
    let call = |state: &mut LuaState| original.call(state).map_err(|error| LuaError::Runtime(error.into_value()));
    let LuaValue::Table(table) = argument(state, 1) else { return call(state) };
    if table.buffer_bytes() <= SMALL_TABLE_BYTES {
        return call(state);
    }
    let last = traversal.get();
    charge(state, lookup_weight(&table, &argument(state, 2)))?;
    if last.table != table.identity() || last.key != identity(&argument(state, 2)) {
        charge(state, table.buffer_bytes() / ELEMENT_BYTES)?;
    }
    let results = call(state)?;
    let key = state.get_at(state.top_idx() - results as i32);
    let is_over = key == LuaValue::Nil;
    traversal.set(if is_over {
        Traversal::default()
    } else {
        Traversal { table: table.identity(), key: identity(&key) }
    });
    Ok(results)
}

/// Number of a value that differs between keys of one table.
fn identity(value: &LuaValue) -> u64 {
    match value {
        LuaValue::Float(number) => number.to_bits(),
        LuaValue::Int(number) => (*number as f64).to_bits(),
        LuaValue::Str(text) => text.identity() as u64,
        LuaValue::Table(table) => table.identity() as u64,
        // Rare as keys: each step is charged like a first one.
        _ => u64::MAX,
    }
}

/// `tonumber(text)`: the length of the text.
fn charge_digits(state: &mut LuaState) -> Result<(), LuaError> {
    match argument(state, 1) {
        LuaValue::Str(text) => charge(state, CONVERSION + text.len() / READ_DIGITS),
        _ => Ok(()),
    }
}

/// `tostring(value)`: the digits of a number.
fn charge_text(state: &mut LuaState) -> Result<(), LuaError> {
    match argument(state, 1) {
        LuaValue::Float(_) | LuaValue::Int(_) => charge(state, CONVERSION),
        _ => charge(state, CREATION),
    }
}

/// `math.fmod(number, divisor)`: the digits that are divided.
fn charge_remainder(state: &mut LuaState) -> Result<(), LuaError> {
    charge(state, remainder(&argument(state, 1), &argument(state, 2)))
}

/// `rawget(table, key)`: the nodes on the way to the key.
fn charge_lookup(state: &mut LuaState) -> Result<(), LuaError> {
    match argument(state, 1) {
        LuaValue::Table(table) => charge(state, lookup_weight(&table, &argument(state, 2))),
        _ => Ok(()),
    }
}

/// `rawset(table, key, value)`: the nodes on the way to the key, and those of a table that is built anew.
fn charge_insertion(state: &mut LuaState) -> Result<(), LuaError> {
    charge_lookup(state)?;
    match argument(state, 1) {
        LuaValue::Table(table) => charge(state, insertion_weight(&table, &argument(state, 2))),
        _ => Ok(()),
    }
}

/// `setmetatable(table, metatable)`: a table with dead keys may become a weak one, which is searched for each of them.
fn charge_weak(state: &mut LuaState) -> Result<(), LuaError> {
    match (argument(state, 1), argument(state, 2)) {
        (LuaValue::Table(table), LuaValue::Table(metatable)) if metatable.get_str_bytes(b"__mode") != LuaValue::Nil => {
            let nodes = table.with_inner(|inner| inner.node.len());
            charge(state, nodes.saturating_mul(nodes) / VISITED_NODES)
        }
        _ => Ok(()),
    }
}

/// Bytes that are compared at most.
fn charge_comparison(state: &mut LuaState) -> Result<(), LuaError> {
    charge(state, order(&argument(state, 1), &argument(state, 2)))
}

/// All elements of the first argument.
fn charge_table(state: &mut LuaState) -> Result<(), LuaError> {
    match argument(state, 1) {
        LuaValue::Table(table) => charge(state, table.with_inner(whole_weight)),
        _ => Ok(()),
    }
}

/// `table.remove(table [, position])`: the elements that move.
fn charge_removal(state: &mut LuaState) -> Result<(), LuaError> {
    match (argument(state, 1), argument(state, 2)) {
        (LuaValue::Table(_), LuaValue::Nil) => Ok(()),
        (LuaValue::Table(table), _) => {
            let len = table.getn() as f64;
            let position = crate::lua::machine::natives::number_argument(state, 2)?;
            charge_moved(state, len - position)
        }
        _ => Ok(()),
    }
}

/// Elements that move by one.
pub fn charge_moved(state: &LuaState, elements: f64) -> Result<(), LuaError> {
    charge(state, (elements.max(0.0) as usize).saturating_mul(MOVED_ELEMENT))
}

/// `table.sort(table [, comparator])`: each element as often as a sort that halves visits it. Without a comparator the
/// order of Lua is one, which is charged for each comparison.
fn sort(state: &mut LuaState, original: &LuaCallable, less_than: LuaValue) -> Result<usize, LuaError> {
    if let LuaValue::Table(table) = argument(state, 1) {
        let len = table.getn();
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        charge(state, len.saturating_mul(len.max(1).ilog2() as usize))?;
        match argument_count(state) {
            1 => state.push(less_than),
            _ if argument(state, 2) == LuaValue::Nil => state.set_at(state.current_call_info().func + 2, less_than),
            _ => {}
        }
    }
    original.call(state)
}

/// Whether the first argument is less than the second.
fn less_than(state: &mut LuaState) -> Result<usize, LuaError> {
    charge(state, COMPARISON)?;
    charge_comparison(state)?;
    let own = state.current_ci_idx();
    match state.less_than(&argument(state, 1), &argument(state, 2)) {
        Ok(is_less) => state.push(LuaValue::Bool(is_less)),
        Err(error) => {
            // An error of this function is one of the sort, which finds the script's line at its caller.
            if state.current_ci_idx() == own {
                state.ci = state.prev_ci(own).unwrap_or(own);
            }
            return Err(error);
        }
    }
    Ok(1)
}
