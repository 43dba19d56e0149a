//! Values of Lua as MessagePack.

use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use crate::lua::charges::rates::ENCODED_ELEMENT;
use crate::lua::charges::tables::lookup_weight;
use crate::lua::libraries::output::grow;
use crate::lua::machine::natives::charge;
use crate::lua::machine::protection::real_of;

/// Tables below this many others are written as nil: a table may contain itself.
const MAX_NESTING: usize = 16;

/// Writes a value. What MessagePack has no form for is nil.
pub fn value(state: &LuaState, out: &mut Vec<u8>, value: LuaValue, level: usize) -> Result<(), LuaError> {
    match value {
        LuaValue::Str(text) => put_text(state, out, text.as_bytes()),
        LuaValue::Bool(value) => put(state, out, &[if value { 0xc3 } else { 0xc2 }]),
        LuaValue::Int(number) => put_integer(state, out, number),
        LuaValue::Float(number) => put_number(state, out, number),
        LuaValue::Table(table) if level < MAX_NESTING => {
            put_table(state, out, &real_of(&table).unwrap_or(table), level)
        }
        _ => put(state, out, &[0xc0]),
    }
}

fn put(state: &LuaState, out: &mut Vec<u8>, bytes: &[u8]) -> Result<(), LuaError> {
    grow(state, out, bytes.len())?;
    out.extend_from_slice(bytes);
    Ok(())
}

/// Writes a marker and the lowest bytes of a number, most significant first.
fn put_sized(state: &LuaState, out: &mut Vec<u8>, marker: u8, number: u64, size: usize) -> Result<(), LuaError> {
    grow(state, out, 1 + size)?;
    out.push(marker);
    out.extend_from_slice(&number.to_be_bytes()[8 - size..]);
    Ok(())
}

fn put_text(state: &LuaState, out: &mut Vec<u8>, text: &[u8]) -> Result<(), LuaError> {
    let length = text.len() as u64;
    match length {
        0..32 => put(state, out, &[0xa0 | length as u8])?,
        32..=0xff => put_sized(state, out, 0xd9, length, 1)?,
        0x100..=0xffff => put_sized(state, out, 0xda, length, 2)?,
        _ => put_sized(state, out, 0xdb, length, 4)?,
    }
    put(state, out, text)
}

/// Whole numbers within 64 bits are integers, others the shortest exact float.
fn put_number(state: &LuaState, out: &mut Vec<u8>, number: f64) -> Result<(), LuaError> {
    let whole = number as i64;
    if whole as f64 == number && whole != i64::MAX {
        return put_integer(state, out, whole);
    }
    let short = number as f32;
    if f64::from(short) == number {
        return put_sized(state, out, 0xca, u64::from(short.to_bits()), 4);
    }
    put_sized(state, out, 0xcb, number.to_bits(), 8)
}

fn put_integer(state: &LuaState, out: &mut Vec<u8>, number: i64) -> Result<(), LuaError> {
    let bits = number.cast_unsigned();
    match number {
        -32..=127 => put(state, out, &[number as u8]),
        128..=0xff => put_sized(state, out, 0xcc, bits, 1),
        0x100..=0xffff => put_sized(state, out, 0xcd, bits, 2),
        0x1_0000..=0xffff_ffff => put_sized(state, out, 0xce, bits, 4),
        0x1_0000_0000.. => put_sized(state, out, 0xcf, bits, 8),
        -0x80..-32 => put_sized(state, out, 0xd0, bits, 1),
        -0x8000..-0x80 => put_sized(state, out, 0xd1, bits, 2),
        -0x8000_0000..-0x8000 => put_sized(state, out, 0xd2, bits, 4),
        _ => put_sized(state, out, 0xd3, bits, 8),
    }
}

/// Writes how many elements follow: in the marker, in 16 or in 32 bits.
fn put_count(state: &LuaState, out: &mut Vec<u8>, count: usize, markers: [u8; 3]) -> Result<(), LuaError> {
    match count {
        0..16 => put(state, out, &[markers[0] | count as u8]),
        16..=0xffff => put_sized(state, out, markers[1], count as u64, 2),
        _ => put_sized(state, out, markers[2], count as u64, 4),
    }
}

fn put_table(state: &LuaState, out: &mut Vec<u8>, table: &GcRef<LuaTable>, level: usize) -> Result<(), LuaError> {
    let (count, is_array) = measure(state, table)?;
    if is_array {
        put_count(state, out, count, [0x90, 0xdc, 0xdd])?;
        return (1..=count).try_for_each(|index| value(state, out, table.get_int(index as i64), level + 1));
    }
    put_count(state, out, count, [0x80, 0xde, 0xdf])?;
    let mut last = LuaValue::Nil;
    while let Some((key, element)) = table.next_pair(&last) {
        charge(state, lookup_weight(table, &key))?;
        value(state, out, key, level + 1)?;
        value(state, out, element, level + 1)?;
        last = key;
    }
    Ok(())
}

/// Counts elements; an array has the keys from 1 to their number.
fn measure(state: &LuaState, table: &GcRef<LuaTable>) -> Result<(usize, bool), LuaError> {
    let (mut count, mut largest, mut is_array) = (0, 0.0, true);
    let mut last = LuaValue::Nil;
    while let Some((key, _)) = table.next_pair(&last) {
        charge(state, ENCODED_ELEMENT + lookup_weight(table, &key))?;
        count += 1;
        match number(&key) {
            Some(number) if number > 0.0 && f64::from(number as i32) == number => largest = f64::max(largest, number),
            _ => is_array = false,
        }
        last = key;
    }
    Ok((count, is_array && largest == count as f64))
}

fn number(key: &LuaValue) -> Option<f64> {
    match key {
        LuaValue::Int(number) => Some(*number as f64),
        LuaValue::Float(number) => Some(*number),
        _ => None,
    }
}
