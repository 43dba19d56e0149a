//! Errors of Lua as Redis words them: the place of an error, and the text of its value.

use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::debug::{LuaDebug, get_info, get_stack};
use lua_vm::state::LuaState;

use super::natives::{display_number, field, set_field, string};

/// Error that ended a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Error reply without source and line: a code word, a blank, the text.
    pub message: Vec<u8>,
    /// Name of the chunk and line of the error, where known.
    pub source: Option<(Vec<u8>, i64)>,
}

impl Failure {
    /// Failure without a place in the script.
    pub fn of_text(message: &[u8]) -> Failure {
        Failure { message: message.to_vec(), source: None }
    }

    /// The failure with its place, unless that is not known.
    pub fn at(self, place: Place) -> Failure {
        match place {
            Some((source, line)) => Failure { source: Some((source, line.into())), ..self },
            None => self,
        }
    }
}

/// Chunk and line, where known.
pub type Place = Option<(Vec<u8>, i32)>;

/// Chunk and line of the function at a level of the stack, or of its caller if it is not written in Lua.
pub fn place(state: &mut LuaState, first: i32) -> Place {
    for level in [first, first + 1] {
        let mut frame = LuaDebug::default();
        if !get_stack(state, level, &mut frame) {
            return None;
        }
        get_info(state, b"Sl", &mut frame);
        if frame.what != Some(b"C") {
            return Some((frame.source.unwrap_or_default(), frame.currentline));
        }
    }
    None
}

/// Creates the table of an error: `{err = text}`.
pub fn error_table(state: &mut LuaState, text: &[u8]) -> Result<GcRef<LuaTable>, LuaError> {
    let table = state.new_table_with_sizes(0, 1)?;
    let text = string(state, text)?;
    set_field(state, &table, "err", text)?;
    Ok(table)
}

/// Error with a table, as functions of the table `redis` raise it.
pub fn raise(state: &mut LuaState, text: &[u8]) -> LuaError {
    match error_table(state, text) {
        Ok(table) => LuaError::Runtime(LuaValue::Table(table)),
        Err(error) => error,
    }
}

/// Reads a failure out of the value of an error.
pub fn failure(state: &mut LuaState, error: &LuaError) -> Failure {
    let value = match error {
        LuaError::Runtime(value) | LuaError::Syntax(value) => *value,
        LuaError::RuntimeMsg(text) | LuaError::SyntaxMsg(text) => return Failure::of_text(&with_code(text)),
        other => return Failure::of_text(&with_code(other.message_lossy().as_bytes())),
    };
    let LuaValue::Table(table) = value else {
        let text = display(&value);
        return Failure::of_text(&with_code(&text));
    };
    let message = match field(state, &table, "err") {
        Ok(LuaValue::Nil) | Err(_) => b"ERR unknown error".to_vec(),
        Ok(text) => display(&text),
    };
    let source = match (field(state, &table, "source"), field(state, &table, "line")) {
        (Ok(LuaValue::Str(source)), Ok(LuaValue::Float(line))) => Some((source.as_bytes().to_vec(), line as i64)),
        (Ok(LuaValue::Str(source)), Ok(LuaValue::Int(line))) => Some((source.as_bytes().to_vec(), line)),
        _ => None,
    };
    Failure { message, source }
}

fn with_code(text: &[u8]) -> Vec<u8> {
    [b"ERR ", worded(text)].concat()
}

/// The machine's errors about limits, in words that name the parameter.
pub fn worded(text: &[u8]) -> &[u8] {
    match text {
        b"sandbox: instruction budget exhausted" => b"the script ran longer than lua-instruction-limit allows",
        b"sandbox: memory limit exceeded" => {
            b"the script needs more memory than lua-memory-limit allows or the host has"
        }
        _ => text,
    }
}

/// Text of a value in an error.
pub fn display(value: &LuaValue) -> Vec<u8> {
    match value {
        LuaValue::Str(text) => worded(text.as_bytes()).to_vec(),
        LuaValue::Nil => b"nil".to_vec(),
        LuaValue::Bool(value) => if *value { &b"true"[..] } else { b"false" }.to_vec(),
        LuaValue::Int(number) => alloc::format!("{number}").into_bytes(),
        LuaValue::Float(number) => display_number(*number),
        other => other.type_name().as_bytes().to_vec(),
    }
}
