//! Lines as people type them into redis-cli: a number of repetitions in front, and a script in quotes over several
//! lines.

use alloc::format;
use alloc::string::{String, ToString};

use super::line::{Line, classify};
use crate::base::argv::{Argv, ArgvRef};
use crate::base::number::parse_integer;
use crate::commands::{Role, Row, find, split_line};
use crate::resp::cli_text::quote;

/// Largest number of repetitions. Their replies are kept in memory.
const REPETITIONS_MAX: i64 = 10_000;
/// Reply of redis-cli to a number of repetitions that it refuses.
pub(super) const INVALID_REPETITIONS: &str = "Invalid redis-cli repeat command option value.";
/// Number of lines up to which a command over several lines is joined.
const LINES_MAX: usize = 1000;

/// Splits `3 INCR n` into the number of repetitions and the command. `None` if the number is refused.
pub(super) fn repetitions(argv: ArgvRef<'_>) -> Option<(usize, ArgvRef<'_>)> {
    let digits = |word: &[u8]| !word.is_empty() && word.iter().all(u8::is_ascii_digit);
    match argv.get(0) {
        Some(word) if argv.len() > 1 && digits(word.strip_prefix(b"-").unwrap_or(word)) => {
            let count = parse_integer(word).filter(|count| (1..=REPETITIONS_MAX).contains(count))?;
            Some((usize::try_from(count).ok()?, argv.from_index(1)))
        }
        _ => Some((1, argv)),
    }
}

/// A command with a script that goes on over the lines below it.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Script {
    /// The whole command as one line.
    pub(super) command: String,
    /// Number of lines that it takes beside its own.
    pub(super) lines: usize,
}

/// Joins a command that begins a script in quotes with the lines below it, up to the one that ends the command. `None` if no
/// line below closes the quotes before the next command.
pub(super) fn script<'a>(text: &str, below: impl Iterator<Item = &'a str>) -> Option<Script> {
    let mut argv = Argv::default();
    if !takes_script(text) || split_line(text.as_bytes(), &mut argv).is_ok() {
        return None;
    }
    let mut whole = text.to_string();
    let is_command = |line: &&str| matches!(classify(line), Line::Command { .. });
    for (index, line) in below.take(LINES_MAX).take_while(|line| !is_command(line)).enumerate() {
        whole.push('\n');
        whole.push_str(line.strip_suffix('\r').unwrap_or(line));
        // Only a line with a quote can close one.
        argv.clear();
        if line.contains(['"', '\'']) && split_line(whole.as_bytes(), &mut argv).is_ok() {
            return Some(Script { command: in_one_line(argv.as_ref()), lines: index + 1 });
        }
    }
    None
}

/// Returns the row of a command, or of its subcommand, by the words of a line.
pub(super) fn find_row<'a>(mut words: impl Iterator<Item = &'a str>) -> Option<&'static Row> {
    let row = words.next().filter(|name| !name.contains(['|', ' '])).and_then(find)?;
    let is_named = |word: &str| row.subcommands.iter().find(|sub| sub.own_name().eq_ignore_ascii_case(word));
    Some(words.next().and_then(is_named).unwrap_or(row))
}

/// Whether a command has a text in Lua as an argument. Others are one line, as in redis-cli.
fn takes_script(text: &str) -> bool {
    let row = find_row(text.split_ascii_whitespace());
    row.is_some_and(|row| matches!(row.role, Role::RunsText | Role::LoadsText))
}

fn in_one_line(argv: ArgvRef<'_>) -> String {
    let mut line = String::new();
    for word in argv.iter() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(&written(word));
    }
    line
}

/// A word as it is typed: in quotes where it must be, and letters of any alphabet as they are.
fn written(word: &[u8]) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ':' | '_' | '.' | '-' | '+' | '{' | '}' | '/');
    match core::str::from_utf8(word) {
        Ok(text) if !text.is_empty() && text.chars().all(is_plain) => text.to_string(),
        Ok(text) if text.chars().all(|c| c.is_ascii() || !c.is_control()) => format!("\"{}\"", escaped(text)),
        _ => quote(word),
    }
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            ' '..='~' if !matches!(c, '"' | '\\') => out.push(c),
            '"' | '\\' => out.extend(['\\', c]),
            _ if c.is_ascii() => out.push_str(quote(&[c as u8]).trim_matches('"')),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn split(line: &str) -> Argv {
        let mut argv = Argv::default();
        assert!(split_line(line.as_bytes(), &mut argv).is_ok(), "{line}");
        argv
    }

    #[test]
    fn a_number_in_front_repeats_a_command() {
        for (line, times, rest) in
            [("3 INCR n", 3, 2), ("INCR n", 1, 2), ("3", 1, 1), ("3x INCR n", 1, 3), ("\"2\" PING", 2, 1), ("", 1, 0)]
        {
            let argv = split(line);
            let found = repetitions(argv.as_ref()).map(|(times, rest)| (times, rest.len()));
            assert_eq!(found, Some((times, rest)), "{line}");
        }
        for line in ["0 INCR n", "-1 INCR n", "10001 INCR n", "99999999999999999999 PING"] {
            assert!(repetitions(split(line).as_ref()).is_none(), "{line}");
        }
    }

    #[test]
    fn scripts_over_lines_become_one_line_with_the_same_words() {
        for (text, below) in [
            ("EVAL \"", "return 1\n\" 0\n> PING"),
            ("EVAL 'local a = \"é\\\\\"", "\t-- it\\'s\r\nreturn a' 1 k \"b c\""),
            ("script load \"return", "  1\""),
        ] {
            let lines: Vec<&str> = below.split('\n').collect();
            let script = script(text, lines.iter().copied()).expect(text);
            assert!(!script.command.contains(char::is_control), "{}", script.command);
            let whole = [&[text], &lines[..script.lines]].concat().join("\n").replace('\r', "");
            assert_eq!(split(&script.command), split(&whole), "{}", script.command);
        }
    }

    #[test]
    fn other_lines_stay_as_they_are() {
        for (text, below) in [
            ("EVAL \"return 1\" 0", "(integer) 1"),
            ("SET k \"a", "b\""),
            ("EVAL \"return 1", "Invalid argument(s)\n> GET \"k\""),
            ("EVAL \"return 1", "Invalid argument(s)"),
            ("SCRIPT EXISTS \"a", "b\""),
        ] {
            assert_eq!(script(text, below.split('\n')), None, "{text}");
        }
    }
}
