//! Operations on the bits of 32-bit integers, as LuaBitOp defines them.

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::api;
use lua_vm::state::LuaState;

use crate::lua::machine::natives::{Native, argument, argument_count, push_string, set_function, type_error};

/// Added to a double, moves its lowest 32 bits before the point into the lowest bits of the mantissa.
const TO_BITS: f64 = 6_755_399_441_055_744.0;
/// Most digits of `tohex`.
const HEX_DIGITS: u32 = 8;

const FUNCTIONS: &[(&str, Native)] = &[
    ("tobit", |state| result(state, |state| bits(state, 1))),
    ("bnot", |state| result(state, |state| Ok(!bits(state, 1)?))),
    ("band", |state| fold(state, |one, other| one & other)),
    ("bor", |state| fold(state, |one, other| one | other)),
    ("bxor", |state| fold(state, |one, other| one ^ other)),
    ("lshift", |state| shift(state, |bits, count| bits << count)),
    ("rshift", |state| shift(state, |bits, count| bits >> count)),
    ("arshift", |state| shift(state, |bits, count| (bits.cast_signed() >> count).cast_unsigned())),
    ("rol", |state| shift(state, u32::rotate_left)),
    ("ror", |state| shift(state, u32::rotate_right)),
    ("bswap", |state| result(state, |state| Ok(bits(state, 1)?.swap_bytes()))),
    ("tohex", to_hex),
];

/// Fills the table of the library.
pub fn open(state: &mut LuaState, table: &GcRef<LuaTable>) -> Result<(), LuaError> {
    FUNCTIONS.iter().try_for_each(|&(name, function)| set_function(state, table, name, function))
}

/// Reads an argument as 32 bits: numbers are rounded and taken modulo 2^32.
fn bits(state: &mut LuaState, index: usize) -> Result<u32, LuaError> {
    let number = match argument(state, index) {
        LuaValue::Float(number) => Some(number),
        LuaValue::Int(number) => Some(number as f64),
        LuaValue::Str(_) => api::to_number_x(state, index as i32),
        _ => None,
    };
    match number {
        Some(number) => Ok((number + TO_BITS).to_bits() as u32),
        None => Err(type_error(state, index, "number")),
    }
}

fn result(
    state: &mut LuaState,
    operation: impl FnOnce(&mut LuaState) -> Result<u32, LuaError>,
) -> Result<usize, LuaError> {
    let bits = operation(state)?;
    state.push(LuaValue::Float(f64::from(bits.cast_signed())));
    Ok(1)
}

/// Combines all arguments. The first is read first, then the others from the last one on.
fn fold(state: &mut LuaState, combine: fn(u32, u32) -> u32) -> Result<usize, LuaError> {
    result(state, |state| {
        let first = bits(state, 1)?;
        (2..=argument_count(state)).rev().try_fold(first, |all, index| Ok(combine(all, bits(state, index)?)))
    })
}

fn shift(state: &mut LuaState, operation: fn(u32, u32) -> u32) -> Result<usize, LuaError> {
    result(state, |state| Ok(operation(bits(state, 1)?, bits(state, 2)? & 31)))
}

/// `bit.tohex(number [, digits])`: a negative count gives capital letters.
fn to_hex(state: &mut LuaState) -> Result<usize, LuaError> {
    let number = bits(state, 1)?;
    let digits = if argument_count(state) < 2 { HEX_DIGITS as i32 } else { bits(state, 2)?.cast_signed() };
    let letters: &[u8; 16] = if digits < 0 { b"0123456789ABCDEF" } else { b"0123456789abcdef" };
    let count = digits.unsigned_abs().min(HEX_DIGITS);
    let mut text = [0; HEX_DIGITS as usize];
    for (digit, place) in text.iter_mut().zip((0..count).rev()) {
        *digit = letters[(number >> (place * 4) & 15) as usize];
    }
    push_string(state, &text[..count as usize])?;
    Ok(1)
}
