//! Functions of the library `string` that search, and those that build long strings: each is charged before it takes
//! memory. Results and errors are those of Lua 5.1.

use alloc::rc::Rc;
use alloc::vec::Vec;
use core::cell::RefCell;

use lua_types::closure::LuaCClosure;
use lua_types::{GcRef, LuaClosure, LuaError, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use super::conversion::int;
use super::natives::{
    argument, argument_error, charge, closure, display_number, error_at_call, field, number_argument, push_string,
    reserve, set_field, set_function, string, string_argument,
};
use super::patterns::{Captured, MatchError, Matcher};
use super::protection::wrap;
use super::results::position;
use crate::lua::charges::checks::{cast, check_concat, check_copy, check_format};
use crate::lua::charges::functions::charge_bytes;
use crate::lua::charges::rates::CREATION;

/// Bytes that are compared at once.
const COMPARED_BYTES: usize = 16;
/// Characters that make a pattern more than a text.
const SPECIALS: &[u8] = b"^$*+?.([%-";

/// Replaces functions of the libraries `string` and `table`, and casts the integers of others.
pub fn replace(state: &mut LuaState, globals: &GcRef<LuaTable>) -> Result<(), LuaError> {
    if let LuaValue::Table(library) = field(state, globals, "string")? {
        set_function(state, &library, "find", |state| find(state, true))?;
        set_function(state, &library, "match", |state| find(state, false))?;
        let iterator = state.register_c_function(next_match, true);
        for name in ["gmatch", "gfind"] {
            let function = closure(state, Rc::new(move |state| gmatch(state, iterator)));
            set_field(state, &library, name, function)?;
        }
        set_function(state, &library, "gsub", gsub)?;
        super::format::replace(state, &library)?;
        wrap(state, &library, "format", check_format)?;
        for name in ["lower", "upper", "reverse"] {
            wrap(state, &library, name, check_copy)?;
        }
    }
    wrap(state, globals, "select", |state| cast(state, 1..=1))?;
    wrap(state, globals, "tonumber", |state| cast(state, 2..=2))?;
    wrap(state, globals, "error", |state| cast(state, 2..=2))?;
    if let LuaValue::Table(library) = field(state, globals, "math")? {
        wrap(state, &library, "ldexp", |state| cast(state, 2..=2))?;
    }
    if let LuaValue::Table(library) = field(state, globals, "table")? {
        wrap(state, &library, "concat", check_concat)?;
        wrap(state, &library, "concat", |state| cast(state, 3..=4))?;
        wrap(state, &library, "remove", |state| cast(state, 2..=2))?;
    }
    Ok(())
}

/// Offset that an argument names as a position: at most the end of the text.
fn start_argument(state: &mut LuaState, index: usize, len: usize) -> Result<usize, LuaError> {
    let position = position(state, index, len, 1)?;
    Ok((position - 1).clamp(0, len as i64) as usize)
}

/// Runs the matcher, and charges its steps.
fn run<T>(
    state: &LuaState,
    matcher: &mut Matcher<'_>,
    act: impl FnOnce(&mut Matcher<'_>) -> Result<T, MatchError>,
) -> Result<T, LuaError> {
    let before = matcher.steps_left();
    let outcome = act(matcher);
    charge(state, usize::try_from(before - matcher.steps_left()).unwrap_or(usize::MAX))?;
    outcome.map_err(|error| match error {
        MatchError::Malformed(text) => error_at_call(state, text.as_bytes()),
        MatchError::Exhausted => error_at_call(state, b"pattern too complex"),
    })
}

/// Matcher with the steps that are left to the script.
fn matcher<'a>(state: &LuaState, text: &'a [u8], pattern: &'a [u8]) -> Matcher<'a> {
    Matcher::new(text, pattern, state.sandbox_instr_remaining())
}

/// `string.find` and `string.match`
fn find(state: &mut LuaState, finds: bool) -> Result<usize, LuaError> {
    let (text, pattern) = (string_argument(state, 1)?, string_argument(state, 2)?);
    let (text, pattern) = (text.as_bytes(), pattern.as_bytes());
    let start = start_argument(state, 3, text.len())?;
    charge_bytes(state, pattern.len())?;
    let is_plain = !matches!(argument(state, 4), LuaValue::Nil | LuaValue::Bool(false));
    if finds && (is_plain || !pattern.iter().any(|byte| SPECIALS.contains(byte))) {
        return match position_of(state, &text[start..], pattern)? {
            Some(at) => push_span(state, start + at, start + at + pattern.len()),
            None => push_nil(state),
        };
    }
    let (anchored, pattern) = pattern.strip_prefix(b"^").map_or((false, pattern), |rest| (true, rest));
    let mut matcher = matcher(state, text, pattern);
    for at in start..=text.len() {
        if let Some(end) = run(state, &mut matcher, |matcher| matcher.match_at(at))? {
            let whole = if finds { None } else { Some((at, end)) };
            let positions = if finds { push_span(state, at, end)? } else { 0 };
            return Ok(positions + push_captures(state, &matcher, whole)?);
        }
        if anchored {
            break;
        }
    }
    push_nil(state)
}

/// Finds a text in another. Texts that nearly match everywhere take a time of both lengths multiplied, so each comparison
/// is charged.
fn position_of(state: &LuaState, text: &[u8], wanted: &[u8]) -> Result<Option<usize>, LuaError> {
    let Some((first, rest)) = wanted.split_first() else { return Ok(Some(0)) };
    let mut from = 0;
    while text.len() - from >= wanted.len() {
        let Some(skipped) = text[from..].iter().position(|byte| byte == first) else { break };
        let behind = from + skipped + 1;
        let candidate = &text[behind..behind + rest.len().min(text.len() - behind)];
        let (parts, others) = (candidate.chunks(COMPARED_BYTES), rest.chunks(COMPARED_BYTES));
        let equal = parts.zip(others).take_while(|(one, other)| one == other).count();
        charge(state, 1 + equal)?;
        charge_bytes(state, skipped)?;
        if equal == rest.len().div_ceil(COMPARED_BYTES) {
            return Ok(Some(behind - 1));
        }
        from = behind;
    }
    charge_bytes(state, text.len() - from)?;
    Ok(None)
}

fn push_nil(state: &mut LuaState) -> Result<usize, LuaError> {
    state.push(LuaValue::Nil);
    Ok(1)
}

/// Pushes the first and the last position of a match.
fn push_span(state: &mut LuaState, start: usize, end: usize) -> Result<usize, LuaError> {
    state.push(LuaValue::Float((start + 1) as f64));
    state.push(LuaValue::Float(end as f64));
    Ok(2)
}

/// Value of a capture; without captures the first is the whole match.
fn capture(
    state: &mut LuaState,
    matcher: &Matcher<'_>,
    index: usize,
    whole: Option<(usize, usize)>,
) -> Result<LuaValue, LuaError> {
    let Some(capture) = matcher.captures.get(index) else {
        return match whole {
            Some((start, end)) if index == 0 => captured(state, &matcher.text[start..end]),
            _ => Err(error_at_call(state, b"invalid capture index")),
        };
    };
    match capture.captured {
        Captured::Position => Ok(LuaValue::Float((capture.start + 1) as f64)),
        Captured::Len(len) => captured(state, &matcher.text[capture.start..capture.start + len]),
        Captured::Open => Err(error_at_call(state, b"unfinished capture")),
    }
}

/// Creates the text of a capture.
fn captured(state: &mut LuaState, text: &[u8]) -> Result<LuaValue, LuaError> {
    charge(state, CREATION)?;
    charge_bytes(state, text.len())?;
    string(state, text)
}

/// Pushes all captures, or the whole match if there are none.
fn push_captures(
    state: &mut LuaState,
    matcher: &Matcher<'_>,
    whole: Option<(usize, usize)>,
) -> Result<usize, LuaError> {
    let count = matcher.captures.len().max(usize::from(whole.is_some()));
    reserve(state, matcher.text.len().saturating_mul(count))?;
    state.check_stack(count as i32)?;
    for index in 0..count {
        let value = capture(state, matcher, index, whole)?;
        state.push(value);
    }
    Ok(count)
}

/// `string.gmatch(text, pattern)`. The iterator keeps text, pattern and position as its own values.
fn gmatch(state: &mut LuaState, iterator: usize) -> Result<usize, LuaError> {
    let (text, pattern) = (string_argument(state, 1)?, string_argument(state, 2)?);
    let values = alloc::vec![LuaValue::Str(text), LuaValue::Str(pattern), LuaValue::Float(0.0)];
    let closure = GcRef::new(LuaCClosure { func: iterator, upvalues: RefCell::new(values) });
    closure.account_buffer(closure.buffer_bytes() as isize);
    state.gc_check_needed = true;
    state.push(LuaValue::Function(LuaClosure::C(closure)));
    Ok(1)
}

/// Next match of an iterator of `string.gmatch`.
fn next_match(state: &mut LuaState) -> Result<usize, LuaError> {
    let own = state.get_at(state.current_call_info().func);
    let LuaValue::Function(LuaClosure::C(own)) = own else { return push_nil(state) };
    let values = own.upvalues.borrow().clone();
    let [LuaValue::Str(text), LuaValue::Str(pattern), LuaValue::Float(start)] = values[..] else {
        return push_nil(state);
    };
    let mut matcher = matcher(state, text.as_bytes(), pattern.as_bytes());
    for at in start as usize..=text.len() {
        if let Some(end) = run(state, &mut matcher, |matcher| matcher.match_at(at))? {
            // An empty match is followed by the next character.
            let next = if end == at { end + 1 } else { end };
            own.upvalues.borrow_mut()[2] = LuaValue::Float(next as f64);
            return push_captures(state, &matcher, Some((at, end)));
        }
    }
    own.upvalues.borrow_mut()[2] = LuaValue::Float((text.len() + 1) as f64);
    push_nil(state)
}

/// `string.gsub(text, pattern, replacement [, count])`
fn gsub(state: &mut LuaState) -> Result<usize, LuaError> {
    let (text, pattern) = (string_argument(state, 1)?, string_argument(state, 2)?);
    let replacement = replacement(state)?;
    let (source, pattern) = (text.as_bytes(), pattern.as_bytes());
    let count_max = match argument(state, 4) {
        LuaValue::Nil => f64::INFINITY,
        _ => int(number_argument(state, 4)?).into(),
    };
    let (anchored, pattern) = pattern.strip_prefix(b"^").map_or((false, pattern), |rest| (true, rest));
    let mut matcher = matcher(state, source, pattern);
    let (mut out, mut at, mut count) = (Vec::new(), 0, 0.0);
    while count < count_max {
        let found = run(state, &mut matcher, |matcher| matcher.match_at(at))?;
        if let Some(end) = found {
            count += 1.0;
            append_replacement(state, &matcher, (at, end), &replacement, &mut out)?;
        }
        match found {
            Some(end) if end > at => at = end,
            _ if at < source.len() => {
                grow(state, &mut out, 1)?;
                out.push(source[at]);
                at += 1;
            }
            _ => break,
        }
        if anchored {
            break;
        }
    }
    grow(state, &mut out, source.len() - at)?;
    out.extend_from_slice(&source[at..]);
    push_string(state, &out)?;
    state.push(LuaValue::Float(count));
    Ok(2)
}

/// Reserves memory for `more` bytes and their copy in Lua, and charges them.
fn grow(state: &LuaState, out: &mut Vec<u8>, more: usize) -> Result<(), LuaError> {
    charge_bytes(state, more)?;
    if out.capacity() - out.len() < more {
        reserve(state, (out.len() + more).saturating_mul(3))?;
        out.reserve(more);
    }
    Ok(())
}

/// Replacement of `gsub`: a text, a table or a function.
fn replacement(state: &mut LuaState) -> Result<LuaValue, LuaError> {
    match argument(state, 3) {
        value @ (LuaValue::Table(_) | LuaValue::Function(_)) => Ok(value),
        LuaValue::Str(_) | LuaValue::Float(_) | LuaValue::Int(_) => Ok(LuaValue::Str(string_argument(state, 3)?)),
        _ => Err(argument_error(state, 3, "string/function/table expected")),
    }
}

fn append_replacement(
    state: &mut LuaState,
    matcher: &Matcher<'_>,
    (start, end): (usize, usize),
    replacement: &LuaValue,
    out: &mut Vec<u8>,
) -> Result<(), LuaError> {
    let whole = Some((start, end));
    let value = match replacement {
        LuaValue::Str(template) => return append_template(state, matcher, (start, end), template.as_bytes(), out),
        LuaValue::Table(_) => {
            let key = capture(state, matcher, 0, whole)?;
            state.table_get_with_tm(replacement, &key)?
        }
        function => {
            state.push(*function);
            let called = state.top_idx() - 1;
            push_captures(state, matcher, whole)?;
            state.call_no_yield(called, 1)?;
            state.pop()
        }
    };
    let text = match value {
        LuaValue::Nil | LuaValue::Bool(false) => matcher.text[start..end].to_vec(),
        LuaValue::Str(text) => text.as_bytes().to_vec(),
        LuaValue::Float(number) => display_number(number),
        LuaValue::Int(number) => display_number(number as f64),
        other => {
            let message = alloc::format!("invalid replacement value (a {})", other.type_name());
            return Err(error_at_call(state, message.as_bytes()));
        }
    };
    grow(state, out, text.len())?;
    out.extend_from_slice(&text);
    Ok(())
}

/// Appends a text in which `%1` stands for a capture.
fn append_template(
    state: &mut LuaState,
    matcher: &Matcher<'_>,
    (start, end): (usize, usize),
    template: &[u8],
    out: &mut Vec<u8>,
) -> Result<(), LuaError> {
    charge(state, template.len())?;
    let mut bytes = template.iter();
    while let Some(&byte) = bytes.next() {
        let digit = if byte == b'%' { bytes.next().copied() } else { None };
        match digit {
            Some(b'0') => {
                grow(state, out, end - start)?;
                out.extend_from_slice(&matcher.text[start..end]);
            }
            Some(digit @ b'1'..=b'9') => {
                let index = usize::from(digit - b'1');
                let text = match capture(state, matcher, index, Some((start, end)))? {
                    LuaValue::Str(text) => text.as_bytes().to_vec(),
                    LuaValue::Float(number) => display_number(number),
                    _ => Vec::new(),
                };
                grow(state, out, text.len())?;
                out.extend_from_slice(&text);
            }
            other => {
                grow(state, out, 1)?;
                out.push(other.unwrap_or(byte));
            }
        }
    }
    Ok(())
}
