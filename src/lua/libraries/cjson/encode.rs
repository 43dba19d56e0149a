//! Values of Lua as JSON.
//!
//! Containers that are open stand in a list, not on the stack of the program: the allowed depth is a setting.

use alloc::format;
use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use super::settings::{InvalidNumbers, Settings};
use crate::lua::charges::rates::{CONVERSION, ENCODED_ELEMENT, SCANNED_BYTES};
use crate::lua::charges::tables::lookup_weight;
use crate::lua::libraries::output::grow;
use crate::lua::libraries::refusal::{MAX_SLOTS, Refusal};
use crate::lua::machine::natives::{charge, write_general};
use crate::lua::machine::protection::real_of;

/// Longest number.
const NUMBER: usize = 32;
/// Longest escape of a byte.
const ESCAPE: usize = 6;

/// Container that is being written.
enum Open {
    Array { table: GcRef<LuaTable>, next: i64, length: i64 },
    Object { table: GcRef<LuaTable>, last: LuaValue, first: bool },
}

impl Open {
    /// Slots of Lua's stack that the container needs while a value of it is written.
    fn slots(&self) -> usize {
        match self {
            Open::Array { .. } => 1,
            Open::Object { .. } => 2,
        }
    }
}

/// Writer of one value.
pub struct Encoder<'a> {
    state: &'a LuaState,
    settings: Settings,
    out: Vec<u8>,
    open: Vec<Open>,
    slots: usize,
}

impl<'a> Encoder<'a> {
    /// Starts an empty text.
    pub fn new(state: &'a LuaState, settings: Settings) -> Encoder<'a> {
        Encoder { state, settings, out: Vec::new(), open: Vec::new(), slots: 1 }
    }

    /// Writes a value and returns the text.
    pub fn encode(mut self, value: LuaValue) -> Result<Vec<u8>, Refusal> {
        self.begin(value)?;
        while let Some(next) = self.step()? {
            self.begin(next)?;
        }
        Ok(self.out)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), LuaError> {
        grow(self.state, &mut self.out, bytes.len())?;
        self.out.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes a value without elements, or opens a container.
    fn begin(&mut self, value: LuaValue) -> Result<(), Refusal> {
        match value {
            LuaValue::Str(text) => self.text(text.as_bytes())?,
            LuaValue::Int(number) => self.number(number as f64)?,
            LuaValue::Float(number) => self.number(number)?,
            LuaValue::Bool(true) => self.put(b"true")?,
            LuaValue::Bool(false) => self.put(b"false")?,
            LuaValue::Nil => self.put(b"null")?,
            LuaValue::LightUserData(address) if address.is_null() => self.put(b"null")?,
            LuaValue::Table(table) => return self.open(real_of(&table).unwrap_or(table)),
            other => return Err(cannot(other.type_name(), "type not supported")),
        }
        Ok(())
    }

    fn open(&mut self, table: GcRef<LuaTable>) -> Result<(), Refusal> {
        let depth = self.open.len() + 1;
        if depth > self.settings.encode_max_depth as usize || self.slots + 3 > MAX_SLOTS {
            return Err(Refusal::Text(format!("Cannot serialise, excessive nesting ({depth})")));
        }
        let (open, bracket) = match self.array_length(&table)? {
            Some(length) => (Open::Array { table, next: 1, length }, b"["),
            None => (Open::Object { table, last: LuaValue::Nil, first: true }, b"{"),
        };
        self.put(bracket)?;
        self.open.try_reserve(1).map_err(|_| LuaError::Memory)?;
        self.slots += open.slots();
        self.open.push(open);
        Ok(())
    }

    /// Writes what stands before the next value of the open containers, and returns that value.
    fn step(&mut self) -> Result<Option<LuaValue>, Refusal> {
        loop {
            let Some(open) = self.open.last_mut() else {
                return Ok(None);
            };
            let bracket = match open {
                Open::Array { table, next, length } if *next <= *length => {
                    let (value, first) = (table.get_int(*next), *next == 1);
                    *next += 1;
                    if !first {
                        self.put(b",")?;
                    }
                    return Ok(Some(value));
                }
                Open::Array { .. } => b"]",
                Open::Object { table, last, first } => match table.next_pair(last) {
                    Some((key, value)) => {
                        charge(self.state, ENCODED_ELEMENT + lookup_weight(table, &key))?;
                        let is_first = core::mem::take(first);
                        *last = key;
                        self.key(&key, is_first)?;
                        return Ok(Some(value));
                    }
                    None => b"}",
                },
            };
            self.slots -= open.slots();
            self.open.pop();
            self.put(bracket)?;
        }
    }

    fn key(&mut self, key: &LuaValue, first: bool) -> Result<(), Refusal> {
        if !first {
            self.put(b",")?;
        }
        match key {
            LuaValue::Str(text) => self.text(text.as_bytes())?,
            LuaValue::Int(_) | LuaValue::Float(_) => {
                self.put(b"\"")?;
                self.number(number(key).unwrap_or_default())?;
                self.put(b"\"")?;
            }
            other => return Err(cannot(other.type_name(), "table key must be a number or string")),
        }
        Ok(self.put(b":")?)
    }

    fn number(&mut self, number: f64) -> Result<(), Refusal> {
        if !number.is_finite() {
            match self.settings.encode_invalid {
                InvalidNumbers::Refused => return Err(cannot("number", "must not be NaN or Inf")),
                InvalidNumbers::Written if number.is_nan() => return Ok(self.put(b"nan")?),
                InvalidNumbers::Written => {}
                InvalidNumbers::Null => return Ok(self.put(b"null")?),
            }
        }
        charge(self.state, CONVERSION)?;
        grow(self.state, &mut self.out, NUMBER)?;
        write_general(number, self.settings.precision as usize, &mut self.out);
        Ok(())
    }

    fn text(&mut self, text: &[u8]) -> Result<(), LuaError> {
        charge(self.state, ENCODED_ELEMENT + text.len() / SCANNED_BYTES)?;
        let escapes = text.iter().filter(|byte| escape(**byte).is_some()).count();
        grow(self.state, &mut self.out, text.len() + escapes * ESCAPE + 2)?;
        self.out.push(b'"');
        for &byte in text {
            match escape(byte) {
                None => self.out.push(byte),
                Some(0) => self.out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
                Some(letter) => self.out.extend_from_slice(&[b'\\', letter]),
            }
        }
        self.out.push(b'"');
        Ok(())
    }

    /// Length of a table that is an array, with the gaps that settings allow; nothing for an object.
    fn array_length(&self, table: &GcRef<LuaTable>) -> Result<Option<i64>, Refusal> {
        let (mut largest, mut count) = (0.0, 0_i64);
        let mut last = LuaValue::Nil;
        while let Some((key, _)) = table.next_pair(&last) {
            charge(self.state, ENCODED_ELEMENT + lookup_weight(table, &key))?;
            match number(&key) {
                Some(number) if number >= 1.0 && libm::floor(number) == number => largest = f64::max(largest, number),
                _ => return Ok(None),
            }
            count += 1;
            last = key;
        }
        // The library counts in 32 bits.
        let length = if largest < 2_147_483_648.0 { largest as i64 } else { i64::from(i32::MIN) };
        let (ratio, safe) = (i64::from(self.settings.sparse_ratio), i64::from(self.settings.sparse_safe));
        if ratio > 0 && length > count * ratio && length > safe {
            if !self.settings.sparse_convert {
                return Err(cannot("table", "excessively sparse array"));
            }
            return Ok(None);
        }
        Ok((length > 0).then_some(length))
    }
}

fn number(key: &LuaValue) -> Option<f64> {
    match key {
        LuaValue::Int(number) => Some(*number as f64),
        LuaValue::Float(number) => Some(*number),
        _ => None,
    }
}

/// Letter of a byte's escape; zero for one in hexadecimal digits, nothing for bytes that stand for themselves.
fn escape(byte: u8) -> Option<u8> {
    match byte {
        b'"' | b'\\' | b'/' => Some(byte),
        8 => Some(b'b'),
        b'\t' => Some(b't'),
        b'\n' => Some(b'n'),
        12 => Some(b'f'),
        b'\r' => Some(b'r'),
        0..32 | 127 => Some(0),
        _ => None,
    }
}

fn cannot(kind: &str, reason: &str) -> Refusal {
    Refusal::Text(format!("Cannot serialise {kind}: {reason}"))
}
