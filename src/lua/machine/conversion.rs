//! Conversion between values of Lua and replies, in both directions, as Redis defines it.

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::state::LuaState;

use super::errors::error_table;
use super::natives::{charge, field, reserve, set, set_element, set_field, string};
use crate::lua::charges::rates::{REPLY_BYTES, REPLY_ELEMENT, REPLY_TABLE, REPLY_VALUE_BYTES};
use crate::lua::charges::tables::whole_weight;
use crate::resp::encode::{Protocol, Writer};
use crate::resp::error::{CommandError, ErrorText};
use crate::resp::read::{Value, read};

/// Largest nesting depth of a table that is returned.
const DEPTH_MAX: usize = 100;
/// Upper bound of the memory that a reply takes in Lua, for each of its bytes.
const REPLY_FACTOR: usize = 16;
/// Least number of bytes of an element in a reply: `:1` and the end of the line.
const ELEMENT_BYTES_MIN: usize = 4;

/// Converts the reply of a command into a value of Lua. `protocol` is the one that the script asked for.
pub fn from_reply(state: &mut LuaState, reply: &[u8], protocol: Protocol) -> Result<LuaValue, LuaError> {
    reserve(state, reply.len().saturating_mul(REPLY_FACTOR))?;
    charge(state, reply.len() / REPLY_VALUE_BYTES)?;
    match read(reply) {
        Ok(Some((value, _))) => from_value(state, &value, protocol),
        // A command without a reply.
        _ => Ok(LuaValue::Nil),
    }
}

fn from_value(state: &mut LuaState, value: &Value<'_>, protocol: Protocol) -> Result<LuaValue, LuaError> {
    match value {
        Value::Bulk(text) => string(state, text),
        Value::Integer(number) => Ok(LuaValue::Float(*number as f64)),
        Value::Null | Value::NullArray if protocol == Protocol::Resp2 => Ok(LuaValue::Bool(false)),
        Value::Null | Value::NullArray => Ok(LuaValue::Nil),
        Value::Simple(text) => {
            let text = string(state, text)?;
            record(state, "ok", text)
        }
        Value::Error(text) => Ok(LuaValue::Table(error_table(state, text)?)),
        Value::Boolean(value) => Ok(LuaValue::Bool(*value)),
        Value::Double(text) => {
            let number = core::str::from_utf8(text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN);
            record(state, "double", LuaValue::Float(number))
        }
        Value::BigNumber(text) => {
            let text = string(state, text)?;
            record(state, "big_number", text)
        }
        Value::Verbatim { format, text } => {
            let (format, text) = (string(state, format)?, string(state, text)?);
            let parts = state.new_table_with_sizes(0, 2)?;
            set_field(state, &parts, "format", format)?;
            set_field(state, &parts, "string", text)?;
            record(state, "verbatim_string", LuaValue::Table(parts))
        }
        Value::Array(elements) | Value::Push(elements) => from_array(state, elements, protocol),
        Value::Map(pairs) => {
            let map = state.new_table_with_sizes(0, pairs.len() as u32)?;
            for (key, value) in pairs {
                let (key, value) = (from_value(state, key, protocol)?, from_value(state, value, protocol)?);
                set(state, &map, key, value)?;
            }
            record(state, "map", LuaValue::Table(map))
        }
        Value::Set(members) => {
            let set_of = state.new_table_with_sizes(0, members.len() as u32)?;
            for member in members {
                let member = from_value(state, member, protocol)?;
                set(state, &set_of, member, LuaValue::Bool(true))?;
            }
            record(state, "set", LuaValue::Table(set_of))
        }
    }
}

fn from_array(state: &mut LuaState, elements: &[Value<'_>], protocol: Protocol) -> Result<LuaValue, LuaError> {
    let array = state.new_table_with_sizes(elements.len() as u32, 0)?;
    for (index, element) in elements.iter().enumerate() {
        let element = from_value(state, element, protocol)?;
        set_element(state, &array, index, element)?;
    }
    Ok(LuaValue::Table(array))
}

/// Creates a table with one field.
fn record(state: &mut LuaState, name: &str, value: LuaValue) -> Result<LuaValue, LuaError> {
    let table = state.new_table_with_sizes(0, 1)?;
    set_field(state, &table, name, value)?;
    Ok(LuaValue::Table(table))
}

/// Writes the result of a script as a reply of at most `bytes_max` bytes. `protocol` is the one that the script asked for.
/// Fails if no instructions are left for it.
pub fn write_result(
    state: &mut LuaState,
    value: &LuaValue,
    protocol: Protocol,
    reply: &mut Writer,
    bytes_max: usize,
) -> Result<(), LuaError> {
    let start = reply.len();
    let (end_max, elements_left) = (start.saturating_add(bytes_max), bytes_max / ELEMENT_BYTES_MIN);
    let mut result = ResultWriter { state, protocol, reply, end_max, elements_left };
    match result.value(value, 0) {
        Ok(()) => Ok(()),
        Err(Unwritten::Refused(error)) => {
            reply.truncate(start);
            reply.error(&error.into());
            Ok(())
        }
        Err(Unwritten::Charged(error)) => {
            reply.truncate(start);
            Err(error)
        }
    }
}

/// Reason why a result is not written.
enum Unwritten {
    /// No reply can have it.
    Refused(CommandError),
    /// The script's limits do not allow it.
    Charged(LuaError),
}

impl From<CommandError> for Unwritten {
    fn from(error: CommandError) -> Unwritten {
        Unwritten::Refused(error)
    }
}

impl From<LuaError> for Unwritten {
    fn from(error: LuaError) -> Unwritten {
        Unwritten::Charged(error)
    }
}

/// Writes values of Lua. A value may occur many times in a result, so its memory does not bound that of the reply.
struct ResultWriter<'a> {
    state: &'a mut LuaState,
    protocol: Protocol,
    reply: &'a mut Writer,
    /// Largest length of the reply's buffer.
    end_max: usize,
    /// Number of elements that may follow in tables.
    elements_left: usize,
}

impl ResultWriter<'_> {
    fn value(&mut self, value: &LuaValue, depth: usize) -> Result<(), Unwritten> {
        match value {
            LuaValue::Str(text) => {
                self.ensure(text.as_bytes().len())?;
                self.reply.bulk(text.as_bytes());
            }
            LuaValue::Int(number) => self.reply.integer(*number),
            LuaValue::Float(number) => self.reply.integer(truncated(*number)),
            LuaValue::Bool(value) if self.protocol == Protocol::Resp3 => self.reply.boolean(*value),
            LuaValue::Bool(true) => self.reply.integer(1),
            LuaValue::Table(table) if depth < DEPTH_MAX => return self.table(table, depth + 1),
            LuaValue::Table(_) => return Err(CommandError::SCRIPT_RESULT_TOO_DEEP.into()),
            _ => self.reply.null(),
        }
        Ok(())
    }

    /// A table with a field of a certain name is a reply of that type, any other one is an array.
    fn table(&mut self, table: &GcRef<LuaTable>, depth: usize) -> Result<(), Unwritten> {
        charge(self.state, REPLY_TABLE)?;
        if self.text(table)? {
            return Ok(());
        }
        if let LuaValue::Float(number) = self.field(table, "double") {
            self.reply.double(number);
            return Ok(());
        }
        if let LuaValue::Table(pairs) = self.field(table, "map") {
            return self.map(&pairs, depth);
        }
        if let LuaValue::Table(members) = self.field(table, "set") {
            return self.set(&members, depth);
        }
        if let LuaValue::Str(number) = self.field(table, "big_number") {
            self.ensure(number.as_bytes().len())?;
            self.reply.big_number(number.as_bytes());
            return Ok(());
        }
        if let LuaValue::Table(parts) = self.field(table, "verbatim_string")
            && let (LuaValue::Str(format), LuaValue::Str(text)) =
                (self.field(&parts, "format"), self.field(&parts, "string"))
        {
            self.ensure(text.as_bytes().len())?;
            self.reply.verbatim(&verbatim_format(format.as_bytes()), text.as_bytes());
            return Ok(());
        }
        self.array(table, depth)
    }

    /// Writes a table with an error or a status; false if it has neither.
    fn text(&mut self, table: &GcRef<LuaTable>) -> Result<bool, Unwritten> {
        if let LuaValue::Str(text) = self.field(table, "err") {
            let text = text.as_bytes();
            self.ensure(text.len())?;
            self.reply.error(&ErrorText::with_bytes("", text.strip_prefix(b"-").unwrap_or(text)));
            return Ok(true);
        }
        let LuaValue::Str(text) = self.field(table, "ok") else { return Ok(false) };
        // A text in C ends at a zero byte.
        let text = text.as_bytes().split(|&byte| byte == 0).next().unwrap_or_default();
        self.ensure(text.len())?;
        self.reply.status(text);
        Ok(true)
    }

    /// Elements up to the first nil.
    fn array(&mut self, table: &GcRef<LuaTable>, depth: usize) -> Result<(), Unwritten> {
        let element = |index: usize| match table.get(&LuaValue::Float(index as f64)) {
            LuaValue::Nil => None,
            element => Some(element),
        };
        let count = (1..).take_while(|&index| element(index).is_some()).count();
        self.take(count)?;
        self.reply.array(count);
        (1..).map_while(element).try_for_each(|element| self.value(&element, depth))
    }

    fn map(&mut self, pairs: &GcRef<LuaTable>, depth: usize) -> Result<(), Unwritten> {
        charge(self.state, pairs.with_inner(whole_weight))?;
        let count = entries(pairs).count();
        self.take(2 * count)?;
        self.reply.map(count);
        entries(pairs).try_for_each(|(key, value)| {
            self.value(&key, depth)?;
            self.value(&value, depth)
        })
    }

    fn set(&mut self, members: &GcRef<LuaTable>, depth: usize) -> Result<(), Unwritten> {
        charge(self.state, members.with_inner(whole_weight))?;
        let count = entries(members).count();
        self.take(count)?;
        self.reply.set(count);
        entries(members).try_for_each(|(member, _)| self.value(&member, depth))
    }

    fn field(&mut self, table: &GcRef<LuaTable>, name: &str) -> LuaValue {
        field(self.state, table, name).unwrap_or(LuaValue::Nil)
    }

    /// Checks that the reply has room for a text.
    fn ensure(&self, bytes: usize) -> Result<(), Unwritten> {
        charge(self.state, bytes / REPLY_BYTES)?;
        let fits = self.reply.len().saturating_add(bytes) <= self.end_max;
        if fits { Ok(()) } else { Err(CommandError::SCRIPT_RESULT_TOO_LARGE.into()) }
    }

    /// Counts the elements of a table.
    fn take(&mut self, elements: usize) -> Result<(), Unwritten> {
        charge(self.state, elements.saturating_mul(REPLY_ELEMENT))?;
        self.elements_left = self.elements_left.checked_sub(elements).ok_or(CommandError::SCRIPT_RESULT_TOO_LARGE)?;
        Ok(())
    }
}

/// Format of a verbatim string: three bytes of a text in C, filled up with blanks.
fn verbatim_format(text: &[u8]) -> [u8; 3] {
    let mut format = [b' '; 3];
    let text = text.iter().take_while(|&&byte| byte != 0);
    format.iter_mut().zip(text).for_each(|(to, from)| *to = *from);
    format
}

/// Entries of a table in the order of `next`.
fn entries(table: &GcRef<LuaTable>) -> impl Iterator<Item = (LuaValue, LuaValue)> {
    let mut last = LuaValue::Nil;
    core::iter::from_fn(move || {
        let (key, value) = table.next_pair(&last)?;
        last = key;
        Some((key, value))
    })
}

/// Truncates a number as C's cast to `long long` does on x86-64: numbers out of range become the least integer.
pub fn truncated(number: f64) -> i64 {
    const LIMIT: f64 = 9_223_372_036_854_775_808.0;
    if (-LIMIT..LIMIT).contains(&number) { number as i64 } else { i64::MIN }
}

/// Truncates a number as C's casts to `long long` and then to `int` do: the lowest 32 bits, which are zero for numbers
/// out of range. Lua 5.1 reads most integer arguments this way.
pub fn int(number: f64) -> i32 {
    truncated(number) as i32
}

/// Truncates a number as C's cast to `unsigned long long` does on x86-64: negative numbers count from 2^64 down, and
/// numbers out of range give fixed values.
pub fn unsigned(number: f64) -> u64 {
    const HALF: f64 = 9_223_372_036_854_775_808.0;
    if number >= HALF {
        return truncated(number - HALF).cast_unsigned() ^ (1 << 63);
    }
    truncated(number).cast_unsigned()
}
