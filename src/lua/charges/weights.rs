//! Weights of instructions: what they take beyond the time of one instruction of an empty loop, by their operands.

use lua_types::{GcRef, LuaClosure, LuaLClosure, LuaTable, LuaValue, StackIdx};
use lua_vm::state::LuaState;

use super::rates::{
    CALL, COMPARED_BYTES, CONVERSION, COPIED_BYTES, CREATION, DIVISION_STEPS, LIBRARY_CALL, MOVED_VALUES, POWER,
    READ_DIGITS, VISITED_NODES,
};
use super::tables::{insertion_weight, lookup_weight, metamethod};
use crate::lua::machine::instructions::{Decoded, op};

/// Tables of a chain of metatables.
const CHAIN_MAX: usize = 2000;
/// Slots of the names of metamethods.
const INDEX: usize = 0;
const NEW_INDEX: usize = 1;

/// Weight of the instruction that the state executes next. `crowding` is the number of texts that a new one is compared
/// with.
pub fn present(state: &LuaState, crowding: usize) -> usize {
    let index = state.current_ci_idx();
    let frame = state.get_ci(index);
    if !frame.is_lua() {
        return 0;
    }
    let Some(function) = state.ci_lua_closure(index) else { return 0 };
    let at = frame.saved_pc().saturating_sub(1) as usize;
    let Some(&instruction) = function.proto.code.get(at) else { return 0 };
    let extra_arguments = usize::try_from(frame.nextra_args()).unwrap_or_default();
    let makes_text = crowding / VISITED_NODES;
    Frame { state, function, base: frame.func + 1, extra_arguments, makes_text }.weight(Decoded::of(instruction))
}

/// Function that runs, with its registers.
struct Frame<'a> {
    state: &'a LuaState,
    function: GcRef<LuaLClosure>,
    base: StackIdx,
    extra_arguments: usize,
    /// Weight of finding out whether a new text exists.
    makes_text: usize,
}

impl Frame<'_> {
    fn weight(&self, instruction: Decoded) -> usize {
        let Decoded { op, a, b, c, .. } = instruction;
        match op {
            op::GET_GLOBAL..=op::GET_FIELD | op::SELF => self.read(instruction),
            op::SET_GLOBAL..=op::SET_FIELD => self.write(instruction),
            op::EQUAL => equality(&self.register(a), &self.register(b)),
            op::EQUAL_CONSTANT => equality(&self.register(a), &self.constant(b)),
            op::LESS | op::LESS_EQUAL => order(&self.register(a), &self.register(b)),
            op::CONCAT => {
                self.makes_text + CREATION + (a..a + b).map(|register| joined(&self.register(register))).sum::<usize>()
            }
            op::MOD => remainder(&self.register(b), &self.register(c)),
            op::MOD_CONSTANT => remainder(&self.register(b), &self.constant(c)),
            op::POW | op::POW_CONSTANT => POWER,
            op::BINARY => read_number(&self.register(a)) + read_number(&self.register(b)),
            op::BINARY_INTEGER | op::BINARY_CONSTANT => read_number(&self.register(a)),
            op::MINUS => read_number(&self.register(b)),
            op::FOR_PREPARE => (a..a + 3).map(|register| read_number(&self.register(register))).sum(),
            op::LEN => CALL,
            op::NEW_TABLE | op::CLOSURE => CREATION,
            op::LOAD_NIL => b as usize / MOVED_VALUES,
            op::CALL | op::TAIL_CALL => self.call(&self.register(a)) + self.values(a + 1, b) / MOVED_VALUES,
            op::FOR_CALL => self.call(&self.register(a)),
            op::RETURN => self.values(a, b) / MOVED_VALUES,
            op::SET_LIST => self.values(a + 1, if b == 0 { 0 } else { b + 1 }),
            op::VARARG => self.extra_arguments / MOVED_VALUES,
            _ => 0,
        }
    }

    fn register(&self, index: u32) -> LuaValue {
        self.state.get_at(self.base + index as i32)
    }

    fn constant(&self, index: u32) -> LuaValue {
        self.function.proto.k.get(index as usize).copied().unwrap_or(LuaValue::Nil)
    }

    /// Variable of an enclosing function: that of globals, as a rule.
    fn upvalue(&self, index: u32) -> LuaValue {
        let Some(upvalue) = self.function.upvals.get(index as usize) else { return LuaValue::Nil };
        match upvalue.get().try_open_payload() {
            Some((_, at)) => self.state.get_at(at),
            None => upvalue.get().try_closed_value().unwrap_or(LuaValue::Nil),
        }
    }

    /// Number of values from a register on: `count` less one, or all up to the top for a count of zero.
    fn values(&self, first: u32, count: u32) -> usize {
        match count {
            0 => self.state.top_idx().as_usize().saturating_sub((self.base + first as i32).as_usize()),
            count => count as usize - 1,
        }
    }

    fn call(&self, function: &LuaValue) -> usize {
        match function {
            LuaValue::Function(LuaClosure::Lua(_)) => CALL,
            _ => LIBRARY_CALL + self.makes_text,
        }
    }

    fn read(&self, Decoded { op, b, c, k, .. }: Decoded) -> usize {
        let (value, key) = match op {
            op::GET_GLOBAL => (self.upvalue(b), self.constant(c)),
            op::GET_TABLE => (self.register(b), self.register(c)),
            op::GET_INTEGER => (self.register(b), LuaValue::Int(c.into())),
            op::GET_FIELD => (self.register(b), self.constant(c)),
            _ => (self.register(b), if k { self.constant(c) } else { self.register(c) }),
        };
        let (_, weight) = self.chain(value, &key, INDEX);
        weight
    }

    fn write(&self, Decoded { op, a, b, .. }: Decoded) -> usize {
        let (value, key) = match op {
            op::SET_GLOBAL => (self.upvalue(a), self.constant(b)),
            op::SET_TABLE => (self.register(a), self.register(b)),
            op::SET_INTEGER => (self.register(a), LuaValue::Int(b.into())),
            _ => (self.register(a), self.constant(b)),
        };
        let (last, weight) = self.chain(value, &key, NEW_INDEX);
        weight + last.map_or(0, |table| insertion_weight(&table, &key))
    }

    /// Follows metatables from a value to the table that has a key. Returns the last table, and the weight of all lookups.
    fn chain(&self, mut value: LuaValue, key: &LuaValue, name: usize) -> (Option<GcRef<LuaTable>>, usize) {
        let mut weight = 0;
        for _ in 0..CHAIN_MAX {
            let LuaValue::Table(table) = value else { return (None, weight + CALL) };
            weight += lookup_weight(&table, key);
            if !table.has_metatable() || table.get(key) != LuaValue::Nil {
                return (Some(table), weight);
            }
            match metamethod(self.state, &table, name) {
                LuaValue::Nil => return (Some(table), weight),
                next => value = next,
            }
            weight += CALL;
        }
        (None, weight)
    }
}

/// Bytes that two texts of one length have; the machine compares them if they are not the same.
fn equality(one: &LuaValue, other: &LuaValue) -> usize {
    match (one, other) {
        (LuaValue::Str(one), LuaValue::Str(other)) if one.len() == other.len() => one.len() / COMPARED_BYTES,
        _ => 0,
    }
}

/// Bytes of two texts that are brought into order: the machine looks for a zero in all of them, and then compares.
pub fn order(one: &LuaValue, other: &LuaValue) -> usize {
    match (one, other) {
        (LuaValue::Str(one), LuaValue::Str(other)) => CALL + one.len().saturating_add(other.len()) / COMPARED_BYTES,
        _ => 0,
    }
}

fn joined(value: &LuaValue) -> usize {
    match value {
        LuaValue::Str(text) => text.len() / COPIED_BYTES,
        LuaValue::Int(_) | LuaValue::Float(_) => CONVERSION,
        _ => LIBRARY_CALL,
    }
}

/// Weight of reading a text as a number.
fn read_number(value: &LuaValue) -> usize {
    match value {
        LuaValue::Str(text) => CONVERSION + text.len() / READ_DIGITS,
        _ => 0,
    }
}

/// Weight of a remainder: the machine divides digit by digit.
pub fn remainder(one: &LuaValue, other: &LuaValue) -> usize {
    let exponent = |value: &LuaValue| match value {
        LuaValue::Float(number) => (number.to_bits() >> 52 & 0x7ff) as usize,
        LuaValue::Int(number) => ((*number as f64).to_bits() >> 52 & 0x7ff) as usize,
        _ => 0,
    };
    CALL + exponent(one).saturating_sub(exponent(other)) / DIVISION_STEPS
}
