//! Items of `string.format`. Lua 5.1 casts a number as C does on the processors that Redis runs on, where a negative
//! number is a large unsigned one. The machine clamps numbers instead, so those that differ are written here.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use lua_types::{GcRef, LuaError, LuaTable, LuaValue};
use lua_vm::api;
use lua_vm::state::LuaState;

use super::classes::ESCAPE;
use super::conversion::{truncated, unsigned};
use super::natives::{argument_count, argument_error, error_at_call, string, string_argument};
use super::protection::wrap;

/// Most digits of a width or a precision.
const DIGITS_MAX: usize = 2;
/// Flags of an item. It has at most as many, which may be equal.
const FLAGS: &[u8] = b"-+#0 ";
/// Letters that end an item.
const LETTERS: &[u8] = b"cdiouxXeEfgGqs";

/// Replaces `string.format`.
pub fn replace(state: &mut LuaState, library: &GcRef<LuaTable>) -> Result<(), LuaError> {
    wrap(state, library, "format", cast_integers)
}

/// Gives the integers of a format the values of C. A number that is not exact becomes a text, and its item `%s`. Items are
/// refused in the words of Lua 5.1, and lose flags that have no effect in C and that the function refuses.
fn cast_integers(state: &mut LuaState) -> Result<(), LuaError> {
    let template = string_argument(state, 1)?;
    let mut rest = template.as_bytes();
    let (mut text, mut index, first) = (Vec::new(), 1, state.current_call_info().func);
    while let Some(at) = rest.iter().position(|&byte| byte == ESCAPE) {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix(&[ESCAPE]) {
            text.extend_from_slice(b"%%");
            rest = behind;
            continue;
        }
        index += 1;
        if index > argument_count(state) {
            return Err(argument_error(state, index, "no value"));
        }
        let (item, behind) = Item::read(rest).map_err(|message| error_at_call(state, &message))?;
        match integer(state, index, item.letter) {
            Some(number) => {
                let shown = string(state, item.show(number).as_bytes())?;
                state.set_at(first + index as i32, shown);
                text.extend_from_slice(b"%s");
            }
            None => item.write(&mut text),
        }
        rest = behind;
    }
    text.extend_from_slice(rest);
    let text = string(state, &text)?;
    state.set_at(first + 1, text);
    Ok(())
}

/// Makes an integer argument the number that C casts it to. Returns unsigned ones that are no exact number.
fn integer(state: &mut LuaState, index: usize, letter: u8) -> Option<u64> {
    if !matches!(letter, b'c' | b'd' | b'i' | b'o' | b'u' | b'x' | b'X') || index > argument_count(state) {
        return None;
    }
    let number = api::to_number_x(state, index as i32)?;
    let cast = match letter {
        b'c' | b'd' | b'i' => truncated(number) as f64,
        _ if unsigned(number) as f64 as u64 == unsigned(number) && unsigned(number) != u64::MAX => {
            unsigned(number) as f64
        }
        _ => return Some(unsigned(number)),
    };
    state.set_at(state.current_call_info().func + index as i32, LuaValue::Float(cast));
    None
}

/// Item of a format: `%-+#0 8.3x`.
#[derive(Debug)]
struct Item<'a> {
    flags: &'a [u8],
    width: usize,
    precision: Option<usize>,
    letter: u8,
}

impl<'a> Item<'a> {
    /// Reads an item behind its `%`; returns it with what follows. The error is a message.
    fn read(text: &'a [u8]) -> Result<(Item<'a>, &'a [u8]), Vec<u8>> {
        let (flags, rest) = split(text, |byte| FLAGS.contains(&byte));
        if flags.len() > FLAGS.len() {
            return Err(b"invalid format (repeated flags)".to_vec());
        }
        let (width, rest) = number(rest)?;
        let (precision, rest) = match rest.strip_prefix(b".") {
            Some(rest) => number(rest).map(|(precision, rest)| (Some(precision), rest))?,
            None => (None, rest),
        };
        let (letter, rest) = rest.split_first().map_or((0, rest), |(&letter, rest)| (letter, rest));
        if LETTERS.contains(&letter) {
            return Ok((Item { flags, width, precision, letter }, rest));
        }
        // A text in C ends at a zero byte.
        let shown = if letter == 0 { &[][..] } else { &[letter][..] };
        Err([b"invalid option '%", shown, b"' to 'format'"].concat())
    }

    /// Writes the item with the flags that its letter has an effect for.
    fn write(&self, out: &mut Vec<u8>) {
        let kept: &[u8] = match self.letter {
            b'd' | b'i' => b"-+0 ",
            b'o' | b'x' | b'X' => b"-#0",
            b'u' => b"-0",
            b'c' | b's' => b"-",
            b'q' => return out.extend_from_slice(b"%q"),
            _ => FLAGS,
        };
        out.push(ESCAPE);
        out.extend(self.flags.iter().filter(|flag| kept.contains(flag)));
        if self.width > 0 {
            out.extend_from_slice(format!("{}", self.width).as_bytes());
        }
        match self.precision {
            // The function refuses a precision of a character.
            Some(precision) if self.letter != b'c' => out.extend_from_slice(format!(".{precision}").as_bytes()),
            _ => {}
        }
        out.push(self.letter);
    }

    /// Text of an unsigned integer, as of C's `printf`.
    fn show(&self, value: u64) -> String {
        let has = |flag| self.flags.contains(&flag);
        let (digits, prefix) = match self.letter {
            b'x' => (format!("{value:x}"), "0x"),
            b'X' => (format!("{value:X}"), "0X"),
            b'o' => (format!("{value:o}"), "0"),
            _ => (format!("{value}"), ""),
        };
        let prefix = if has(b'#') { prefix } else { "" };
        let zeros = match self.precision {
            Some(least) => least,
            None if has(b'0') && !has(b'-') => self.width.saturating_sub(prefix.len()),
            None => 0,
        };
        let digits = format!("{prefix}{digits:0>zeros$}");
        let width = self.width;
        if has(b'-') { format!("{digits:<width$}") } else { format!("{digits:>width$}") }
    }
}

fn split(text: &[u8], is_part: impl Fn(u8) -> bool) -> (&[u8], &[u8]) {
    let len = text.iter().take_while(|&&byte| is_part(byte)).count();
    text.split_at(len)
}

/// Reads a width or a precision, 0 without digits. The error is a message.
fn number(text: &[u8]) -> Result<(usize, &[u8]), Vec<u8>> {
    let (digits, rest) = split(text, |byte| byte.is_ascii_digit());
    if digits.len() > DIGITS_MAX {
        return Err(b"invalid format (width or precision too long)".to_vec());
    }
    Ok((digits.iter().fold(0, |value, digit| value * 10 + usize::from(digit - b'0')), rest))
}
