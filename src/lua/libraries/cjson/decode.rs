//! JSON as values of Lua.
//!
//! Containers that are open stand in a list, not on the stack of the program: the allowed depth is a setting.

use alloc::format;
use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use super::settings::{Settings, null};
use super::token::{Token, Tokens};
use crate::lua::charges::rates::DECODED_VALUE;
use crate::lua::libraries::refusal::{MAX_SLOTS, Refusal};
use crate::lua::machine::natives::{charge, reserve, set, string};

/// Bytes that are read in the time of one instruction of Lua.
const BYTES_PER_INSTRUCTION: usize = 4;

/// Container that is being read.
enum Open {
    Array { table: GcRef<LuaTable>, index: f64 },
    Object { table: GcRef<LuaTable>, key: LuaValue },
}

impl Open {
    /// Slots of Lua's stack that the container needs while a value of it is read.
    fn slots(&self) -> usize {
        match self {
            Open::Array { .. } => 1,
            Open::Object { .. } => 2,
        }
    }

    fn table(&self) -> GcRef<LuaTable> {
        match self {
            Open::Array { table, .. } | Open::Object { table, .. } => *table,
        }
    }
}

struct Decoder<'a> {
    tokens: Tokens<'a>,
    open: Vec<Open>,
    slots: usize,
    max_depth: usize,
}

/// Reads the one value of a text.
pub fn decode(state: &mut LuaState, text: &[u8], settings: Settings) -> Result<LuaValue, Refusal> {
    if text.len() >= 2 && (text[0] == 0 || text[1] == 0) {
        return Err(Refusal::text("JSON parser does not support UTF-16 or UTF-32"));
    }
    charge(state, text.len() / BYTES_PER_INSTRUCTION)?;
    // Strings are built beside the text before Lua gets them.
    reserve(state, text.len())?;
    let tokens = Tokens::new(text, settings.decode_invalid);
    let max_depth = settings.decode_max_depth as usize;
    let mut decoder = Decoder { tokens, open: Vec::new(), slots: 1, max_depth };
    let value = decoder.value(state)?;
    match decoder.tokens.next() {
        (Token::End, _) => Ok(value),
        other => Err(unexpected("the end", &other)),
    }
}

impl Decoder<'_> {
    fn value(&mut self, state: &mut LuaState) -> Result<LuaValue, Refusal> {
        let mut token = self.tokens.next();
        loop {
            let Some(mut value) = self.begin(state, &mut token)? else {
                continue;
            };
            // Ends the containers of which this value is the last one.
            loop {
                if self.open.is_empty() {
                    return Ok(value);
                }
                if self.add(state, value)? {
                    token = self.tokens.next();
                    break;
                }
                value = match self.close() {
                    Some(table) => LuaValue::Table(table),
                    None => return Ok(LuaValue::Nil),
                };
            }
        }
    }

    /// Reads a value that is no container, or an empty one. For other containers it opens them, and leaves their first
    /// value's token.
    fn begin(&mut self, state: &mut LuaState, token: &mut (Token, usize)) -> Result<Option<LuaValue>, Refusal> {
        charge(state, DECODED_VALUE)?;
        let value = match &token.0 {
            Token::Text(text) => {
                reserve(state, text.len())?;
                string(state, text)?
            }
            Token::Number(number) => LuaValue::Float(*number),
            Token::Boolean(value) => LuaValue::Bool(*value),
            Token::Null => null(),
            Token::ObjectBegin => return self.object(state, token),
            Token::ArrayBegin => return self.array(state, token),
            _ => return Err(unexpected("value", token)),
        };
        Ok(Some(value))
    }

    fn array(&mut self, state: &mut LuaState, token: &mut (Token, usize)) -> Result<Option<LuaValue>, Refusal> {
        self.check_depth(2)?;
        let table = state.new_table();
        *token = self.tokens.next();
        if token.0 == Token::ArrayEnd {
            return Ok(Some(LuaValue::Table(table)));
        }
        self.push(Open::Array { table, index: 1.0 })?;
        Ok(None)
    }

    fn object(&mut self, state: &mut LuaState, token: &mut (Token, usize)) -> Result<Option<LuaValue>, Refusal> {
        self.check_depth(3)?;
        let table = state.new_table();
        *token = self.tokens.next();
        if token.0 == Token::ObjectEnd {
            return Ok(Some(LuaValue::Table(table)));
        }
        let key = self.key(state, token)?;
        self.push(Open::Object { table, key })?;
        *token = self.tokens.next();
        Ok(None)
    }

    fn push(&mut self, open: Open) -> Result<(), LuaError> {
        self.open.try_reserve(1).map_err(|_| LuaError::Memory)?;
        self.slots += open.slots();
        self.open.push(open);
        Ok(())
    }

    fn close(&mut self) -> Option<GcRef<LuaTable>> {
        let closed = self.open.pop()?;
        self.slots -= closed.slots();
        Some(closed.table())
    }

    fn check_depth(&self, slots: usize) -> Result<(), Refusal> {
        let depth = self.open.len() + 1;
        if depth <= self.max_depth && self.slots + slots <= MAX_SLOTS {
            return Ok(());
        }
        let position = self.tokens.position;
        Err(Refusal::Text(format!("Found too many nested data structures ({depth}) at character {position}")))
    }

    /// Reads a key and its colon.
    fn key(&mut self, state: &mut LuaState, token: &(Token, usize)) -> Result<LuaValue, Refusal> {
        let Token::Text(text) = &token.0 else {
            return Err(unexpected("object key string", token));
        };
        reserve(state, text.len())?;
        let key = string(state, text)?;
        match self.tokens.next() {
            (Token::Colon, _) => Ok(key),
            other => Err(unexpected("colon", &other)),
        }
    }

    /// Adds a value to the innermost container; returns whether another one follows.
    fn add(&mut self, state: &mut LuaState, value: LuaValue) -> Result<bool, Refusal> {
        match self.open.last_mut() {
            Some(Open::Array { table, index }) => {
                set(state, table, LuaValue::Float(*index), value)?;
                *index += 1.0;
                match self.tokens.next() {
                    (Token::Comma, _) => Ok(true),
                    (Token::ArrayEnd, _) => Ok(false),
                    other => Err(unexpected("comma or array end", &other)),
                }
            }
            Some(Open::Object { table, key }) => {
                set(state, table, *key, value)?;
                match self.tokens.next() {
                    (Token::Comma, _) => {}
                    (Token::ObjectEnd, _) => return Ok(false),
                    other => return Err(unexpected("comma or object end", &other)),
                }
                let token = self.tokens.next();
                let next = self.key(state, &token)?;
                if let Some(Open::Object { key, .. }) = self.open.last_mut() {
                    *key = next;
                }
                Ok(true)
            }
            None => Ok(false),
        }
    }
}

fn unexpected(expected: &str, (token, start): &(Token, usize)) -> Refusal {
    Refusal::Text(format!("Expected {expected} but found {} at character {}", token.name(), start + 1))
}
