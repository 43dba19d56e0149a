//! Structures of C in strings: the library `struct`.
//!
//! Sizes are those of Redis on a 64-bit system, whatever the target: `long` has 8 bytes.

use alloc::format;
use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::api;
use lua_vm::state::LuaState;

use super::output::{grow, push_result};
use super::refusal::{MAX_SLOTS, Refusal};
use crate::lua::charges::functions::charge_bytes;
use crate::lua::machine::conversion::{truncated, unsigned};
use crate::lua::machine::natives::{
    Native, argument, argument_count, charge, number_argument, reserve, set_function, string, string_argument,
};

/// Largest integer.
const MAX_INTEGER: usize = 32;
/// Alignment of `!` without a number.
const DEFAULT_ALIGNMENT: usize = 8;
const INT: usize = 4;
const LONG: usize = 8;

const FUNCTIONS: &[(&str, Native)] = &[
    ("pack", |state| pack(state).map_err(|refusal| refusal.raise(state))),
    ("unpack", |state| unpack(state).map_err(|refusal| refusal.raise(state))),
    ("size", |state| size(state).map_err(|refusal| refusal.raise(state))),
];

/// Fills the table of the library.
pub fn open(state: &mut LuaState, table: &GcRef<LuaTable>) -> Result<(), LuaError> {
    FUNCTIONS.iter().try_for_each(|&(name, function)| set_function(state, table, name, function))
}

/// Format string, read option by option, with the settings that its options changed.
struct Format<'a> {
    text: &'a [u8],
    big_endian: bool,
    alignment: usize,
}

impl<'a> Format<'a> {
    /// Reads and charges a format. It ends at its first zero, as a string of C does.
    fn new(state: &LuaState, text: &'a [u8]) -> Result<Format<'a>, LuaError> {
        let text = text.split(|&byte| byte == 0).next().unwrap_or_default();
        charge(state, text.len())?;
        Ok(Format { text, big_endian: false, alignment: 1 })
    }

    /// Returns the next option and its size; 0 where it has none.
    fn next(&mut self) -> Result<Option<(u8, usize)>, Refusal> {
        let Some((&option, rest)) = self.text.split_first() else {
            return Ok(None);
        };
        self.text = rest;
        let size = match option {
            b'b' | b'B' | b'x' => 1,
            b'h' | b'H' => 2,
            b'l' | b'L' | b'T' | b'd' => LONG,
            b'f' => 4,
            b'c' => self.number(1)?,
            b'i' | b'I' => match self.number(INT)? {
                size if size > MAX_INTEGER => {
                    let text = format!("integral size {size} is larger than limit of {MAX_INTEGER}");
                    return Err(Refusal::Text(text));
                }
                size => size,
            },
            _ => 0,
        };
        Ok(Some((option, size)))
    }

    fn number(&mut self, default: usize) -> Result<usize, Refusal> {
        let digits = self.text.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            return Ok(default);
        }
        let (number, rest) = self.text.split_at(digits);
        self.text = rest;
        let digit = |number: i32, byte: &u8| number.checked_mul(10)?.checked_add(i32::from(byte - b'0'));
        match number.iter().try_fold(0, digit) {
            Some(number) => Ok(number as usize),
            None => Err(Refusal::text("integral size overflow")),
        }
    }

    /// Bytes in front of an option that starts on its alignment.
    fn padding(&self, position: usize, option: u8, size: usize) -> usize {
        if size == 0 || option == b'c' {
            return 0;
        }
        let size = size.min(self.alignment);
        size.wrapping_sub(position & (size - 1)) & (size - 1)
    }

    /// Changes a setting.
    fn set(&mut self, option: u8) -> Result<(), Refusal> {
        match option {
            b' ' => {}
            b'>' => self.big_endian = true,
            b'<' => self.big_endian = false,
            b'!' => match self.number(DEFAULT_ALIGNMENT)? {
                alignment if alignment.is_power_of_two() => self.alignment = alignment,
                alignment => return Err(Refusal::Text(format!("alignment {alignment} is not a power of 2"))),
            },
            other => return Err(Refusal::Argument(1, format!("invalid format option '{}'", other as char))),
        }
        Ok(())
    }

    /// Turns bytes in the machine's order around where the format says so.
    fn ordered<const N: usize>(&self, mut little: [u8; N]) -> [u8; N] {
        if self.big_endian {
            little.reverse();
        }
        little
    }
}

/// `struct.pack(format, value, ...)`
fn pack(state: &mut LuaState) -> Result<usize, Refusal> {
    let format = string_argument(state, 1)?;
    let mut format = Format::new(state, format.as_bytes())?;
    let mut out = Vec::new();
    let mut index = 2;
    while let Some((option, size)) = format.next()? {
        let padding = format.padding(out.len(), option, size);
        grow(state, &mut out, padding + MAX_INTEGER)?;
        out.extend(core::iter::repeat_n(0, padding));
        match option {
            b'b' | b'B' | b'h' | b'H' | b'l' | b'L' | b'T' | b'i' | b'I' => {
                let number = packed_number(state, &mut index)?;
                put_integer(&mut out, unsigned(number), size, format.big_endian);
            }
            b'x' => out.push(0),
            b'f' => {
                let number = packed_number(state, &mut index)? as f32;
                out.extend(format.ordered(number.to_le_bytes()));
            }
            b'd' => {
                let number = packed_number(state, &mut index)?;
                out.extend(format.ordered(number.to_le_bytes()));
            }
            b'c' | b's' => put_text(state, &mut out, &mut index, option, size)?,
            other => format.set(other)?,
        }
    }
    Ok(push_result(state, &out)?)
}

/// Reads a number to pack. Behind the last argument Redis finds a nil of its own.
fn packed_number(state: &mut LuaState, index: &mut usize) -> Result<f64, Refusal> {
    let at = *index;
    *index += 1;
    if at == argument_count(state) + 1 {
        return Err(Refusal::argument(at, "number expected, got nil"));
    }
    Ok(number_argument(state, at)?)
}

fn put_text(
    state: &mut LuaState,
    out: &mut Vec<u8>,
    index: &mut usize,
    option: u8,
    size: usize,
) -> Result<(), Refusal> {
    let at = *index;
    *index += 1;
    if at == argument_count(state) + 1 {
        return Err(Refusal::argument(at, "string expected, got nil"));
    }
    let text = string_argument(state, at)?;
    let text = text.as_bytes();
    let size = if size == 0 { text.len() } else { size };
    // The library counts on before it refuses: the error is about the next argument.
    let Some(text) = text.get(..size) else {
        return Err(Refusal::argument(*index, "string too short"));
    };
    grow(state, out, size + 1)?;
    out.extend_from_slice(text);
    if option == b's' {
        out.push(0);
    }
    Ok(())
}

fn put_integer(out: &mut Vec<u8>, value: u64, size: usize, big_endian: bool) {
    let start = out.len();
    let bytes = value.to_le_bytes();
    out.extend((0..size).map(|index| bytes.get(index).copied().unwrap_or_default()));
    if big_endian {
        out[start..].reverse();
    }
}

/// Reads an integer; of a longer one the lowest 64 bits.
fn get_integer(bytes: &[u8], signed: bool, big_endian: bool) -> f64 {
    let shifted = |value: u64, byte: &u8| (value << 8) | u64::from(*byte);
    let value = if big_endian { bytes.iter().fold(0, shifted) } else { bytes.iter().rev().fold(0, shifted) };
    if !signed {
        return value as f64;
    }
    let mask = u64::MAX.wrapping_shl((bytes.len() as u32).wrapping_mul(8).wrapping_sub(1));
    let value = if value & mask == 0 { value } else { value | mask };
    value.cast_signed() as f64
}

/// `struct.unpack(format, data [, position])`
fn unpack(state: &mut LuaState) -> Result<usize, Refusal> {
    let format = string_argument(state, 1)?;
    let data = string_argument(state, 2)?;
    let mut position = match argument(state, 3) {
        LuaValue::Nil => 0,
        _ => match truncated(number_argument(state, 3)?).cast_unsigned() {
            0 => return Err(Refusal::argument(3, "offset must be 1 or greater")),
            // A position that the target cannot address is behind any data.
            position => usize::try_from(position - 1).unwrap_or(usize::MAX),
        },
    };
    let (mut format, data) = (Format::new(state, format.as_bytes())?, data.as_bytes());
    let mut results = Vec::new();
    while let Some((option, size)) = format.next()? {
        position = position.saturating_add(format.padding(position, option, size));
        let bytes = part(data, position, size)?;
        if argument_count(state) + results.len() + 2 > MAX_SLOTS {
            return Err(Refusal::text("stack overflow (too many results)"));
        }
        let (value, read) = match option {
            b'c' | b's' => unpack_text(state, &mut results, data, position, (option, bytes))?,
            _ => (unpack_number(&mut format, option, bytes)?, bytes.len()),
        };
        results.extend(value);
        position += read;
    }
    results.push(LuaValue::Float((position + 1) as f64));
    if !api::check_stack(state, results.len() as i32) {
        return Err(Refusal::text("stack overflow (too many results)"));
    }
    let count = results.len();
    results.into_iter().for_each(|value| state.push(value));
    Ok(count)
}

fn part(data: &[u8], position: usize, size: usize) -> Result<&[u8], Refusal> {
    let too_short = || Refusal::argument(2, "data string too short");
    data.get(position..).and_then(|rest| rest.get(..size)).ok_or_else(too_short)
}

/// Reads a number, or changes a setting.
fn unpack_number(format: &mut Format, option: u8, bytes: &[u8]) -> Result<Option<LuaValue>, Refusal> {
    let number = match option {
        b'b' | b'h' | b'l' | b'i' => get_integer(bytes, true, format.big_endian),
        b'B' | b'H' | b'L' | b'T' | b'I' => get_integer(bytes, false, format.big_endian),
        b'f' => f64::from(f32::from_le_bytes(format.ordered(bytes.try_into().unwrap_or_default()))),
        b'd' => f64::from_le_bytes(format.ordered(bytes.try_into().unwrap_or_default())),
        b'x' => return Ok(None),
        other => {
            format.set(other)?;
            return Ok(None);
        }
    };
    Ok(Some(LuaValue::Float(number)))
}

/// Reads text, and returns it with the bytes that it takes. `c0` has the length that was read before it.
fn unpack_text(
    state: &mut LuaState,
    results: &mut Vec<LuaValue>,
    data: &[u8],
    position: usize,
    (option, bytes): (u8, &[u8]),
) -> Result<(Option<LuaValue>, usize), Refusal> {
    let (text, read) = if option == b's' {
        let rest = part(data, position, data.len().saturating_sub(position))?;
        let end = rest.iter().position(|&byte| byte == 0);
        charge_bytes(state, end.unwrap_or(rest.len()))?;
        match end {
            Some(length) => (&rest[..length], length + 1),
            None => return Err(Refusal::text("unfinished string in data")),
        }
    } else if bytes.is_empty() {
        let size = previous_size(results)?;
        (part(data, position, size)?, size)
    } else {
        (bytes, bytes.len())
    };
    reserve(state, text.len())?;
    Ok((Some(string(state, text)?), read))
}

fn previous_size(results: &mut Vec<LuaValue>) -> Result<usize, Refusal> {
    let number = match results.last() {
        Some(LuaValue::Float(number)) => Some(*number),
        Some(LuaValue::Str(text)) => {
            core::str::from_utf8(text.as_bytes()).ok().and_then(|text| text.trim().parse().ok())
        }
        _ => None,
    };
    let Some(number) = number else {
        return Err(Refusal::text("format 'c0' needs a previous size"));
    };
    results.pop();
    Ok(usize::try_from(unsigned(number)).unwrap_or(usize::MAX))
}

/// `struct.size(format)`
fn size(state: &mut LuaState) -> Result<usize, Refusal> {
    let format = string_argument(state, 1)?;
    let mut format = Format::new(state, format.as_bytes())?;
    let mut position = 0_u64;
    while let Some((option, size)) = format.next()? {
        // Only the lowest bits of a position decide its padding.
        position = position.wrapping_add(format.padding(position as usize, option, size) as u64);
        match (option, size) {
            (b's', _) => return Err(Refusal::argument(1, "option 's' has no fixed size")),
            (b'c', 0) => return Err(Refusal::argument(1, "option 'c0' has no fixed size")),
            (letter, _) if letter.is_ascii_alphanumeric() => {}
            (other, _) => format.set(other)?,
        }
        position = position.wrapping_add(size as u64);
    }
    state.push(LuaValue::Float(position as f64));
    Ok(1)
}
