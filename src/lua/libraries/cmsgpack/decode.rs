//! MessagePack as values of Lua.
//!
//! Containers that are open stand in a list, not on the stack of the program: input may nest thousands of them.

use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use crate::lua::charges::rates::DECODED_VALUE;
use crate::lua::libraries::refusal::{MAX_SLOTS, Refusal};
use crate::lua::machine::natives::{charge, reserve, set, string};

/// Reader of a text of MessagePack.
#[derive(Debug)]
pub struct Decoder<'a> {
    rest: &'a [u8],
}

/// Beginning of a value.
enum Head<'a> {
    Value(LuaValue),
    Text(&'a [u8]),
    Array(usize),
    Map(usize),
}

/// Container that is being read. `left` counts missing elements: for a map its keys and values.
struct Open {
    table: GcRef<LuaTable>,
    left: usize,
    /// Number of the last element of an array.
    index: Option<f64>,
    /// Key of the next value of a map.
    key: Option<LuaValue>,
}

impl<'a> Decoder<'a> {
    /// Starts at the first byte.
    pub fn new(text: &'a [u8]) -> Decoder<'a> {
        Decoder { rest: text }
    }

    /// Whether everything is read.
    pub fn at_end(&self) -> bool {
        self.rest.is_empty()
    }

    /// Number of bytes that are not read.
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    /// Reads a value. `slots` is how much of Lua's stack would be in use.
    pub fn value(&mut self, state: &mut LuaState, slots: usize) -> Result<LuaValue, Refusal> {
        let mut open: Vec<Open> = Vec::new();
        let mut slots = slots;
        loop {
            let mut value = match self.element(state, &mut open, &mut slots)? {
                Some(value) => value,
                None => continue,
            };
            // Ends the containers of which this value is the last one.
            loop {
                let Some(container) = open.last_mut() else {
                    return Ok(value);
                };
                slots = slots.saturating_sub(container.slots());
                container.add(state, value)?;
                slots += container.slots();
                if container.left > 0 {
                    break;
                }
                slots = slots.saturating_sub(container.slots());
                value = LuaValue::Table(container.table);
                open.pop();
            }
        }
    }

    /// Reads a value without elements, or opens a container that has some.
    fn element(
        &mut self,
        state: &mut LuaState,
        open: &mut Vec<Open>,
        slots: &mut usize,
    ) -> Result<Option<LuaValue>, Refusal> {
        charge(state, DECODED_VALUE)?;
        if self.at_end() {
            return Err(missing());
        }
        if *slots + 1 > MAX_SLOTS {
            let text = "stack overflow (too many return values at once; use unpack_one or unpack_limit instead.)";
            return Err(Refusal::text(text));
        }
        let (left, index) = match self.head()? {
            Head::Value(value) => return Ok(Some(value)),
            Head::Text(text) => {
                reserve(state, text.len())?;
                return Ok(Some(string(state, text)?));
            }
            Head::Array(count) if *slots + 2 > MAX_SLOTS => {
                let _ = count;
                return Err(Refusal::text("stack overflow (in function mp_decode_to_lua_array)"));
            }
            Head::Array(count) => (count, Some(0.0)),
            Head::Map(count) => (count.saturating_mul(2), None),
        };
        let table = state.new_table();
        if left == 0 {
            return Ok(Some(LuaValue::Table(table)));
        }
        open.try_reserve(1).map_err(|_| LuaError::Memory)?;
        let container = Open { table, left, index, key: None };
        *slots += container.slots();
        open.push(container);
        Ok(None)
    }

    fn head(&mut self) -> Result<Head<'a>, Refusal> {
        let marker = self.take(1)?[0];
        let number = |number: f64| Ok(Head::Value(LuaValue::Float(number)));
        match marker {
            0x00..=0x7f | 0xe0..=0xff => number(f64::from(marker.cast_signed())),
            0x80..=0x8f => Ok(Head::Map(usize::from(marker & 15))),
            0x90..=0x9f => Ok(Head::Array(usize::from(marker & 15))),
            0xa0..=0xbf => Ok(Head::Text(self.take(usize::from(marker & 31))?)),
            0xc0 => Ok(Head::Value(LuaValue::Nil)),
            0xc2 | 0xc3 => Ok(Head::Value(LuaValue::Bool(marker == 0xc3))),
            0xca => number(f64::from(f32::from_bits(self.unsigned(4)? as u32))),
            0xcb => number(f64::from_bits(self.unsigned(8)?)),
            0xcc => number(self.unsigned(1)? as f64),
            0xcd => number(self.unsigned(2)? as f64),
            0xce => number(self.unsigned(4)? as f64),
            // The library passes unsigned integers of 64 bits on as signed ones.
            0xcf | 0xd3 => number(self.unsigned(8)?.cast_signed() as f64),
            0xd0 => number(f64::from(self.unsigned(1)? as i8)),
            0xd1 => number(f64::from(self.unsigned(2)? as i16)),
            0xd2 => number(f64::from(self.unsigned(4)? as i32)),
            0xd9..=0xdb => {
                let length = self.unsigned(1 << (marker - 0xd9))?;
                Ok(Head::Text(self.take(length as usize)?))
            }
            0xdc | 0xdd => Ok(Head::Array(self.unsigned(2 << (marker - 0xdc))? as usize)),
            0xde | 0xdf => Ok(Head::Map(self.unsigned(2 << (marker - 0xde))? as usize)),
            _ => Err(Refusal::text("Bad data format in input.")),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Refusal> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(missing)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Reads an integer, most significant byte first.
    fn unsigned(&mut self, size: usize) -> Result<u64, Refusal> {
        Ok(self.take(size)?.iter().fold(0, |number, byte| (number << 8) | u64::from(*byte)))
    }
}

impl Open {
    /// Slots of Lua's stack that the container needs while its next element is read.
    fn slots(&self) -> usize {
        if self.index.is_some() || self.key.is_some() { 2 } else { 1 }
    }

    /// Adds an element: the next one of an array, or a key or a value of a map.
    fn add(&mut self, state: &mut LuaState, value: LuaValue) -> Result<(), LuaError> {
        self.left -= 1;
        let key = match (&mut self.index, self.key.take()) {
            (Some(index), _) => {
                *index += 1.0;
                LuaValue::Float(*index)
            }
            (None, Some(key)) => key,
            (None, None) => {
                self.key = Some(value);
                return Ok(());
            }
        };
        set(state, &self.table, key, value)
    }
}

fn missing() -> Refusal {
    Refusal::text("Missing bytes in input.")
}
