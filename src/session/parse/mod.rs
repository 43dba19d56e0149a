//! The parser of sessions: dedents blocks, joins each reply line to its command, and refuses other lines with line and column.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::instant::{ClockMove, parse_move};
use super::line::{ANYTHING, Line, client_of, without_trailing_blanks};
use super::lines::{SourceLine, SourceText, lines};
use super::{Action, Expectation, Session, SessionError, StepKind};
use crate::base::argv::Argv;
use crate::commands::split_line;
use crate::resp::cli_text::quote;

/// Parses a session.
///
/// # Errors
/// The first line that cannot be parsed: a reply above every command, a clock line without an instant, an event line that
/// is not one kind and one key, a mark outside of a race, or a race without an end.
pub fn parse(text: &str) -> Result<Session, SessionError> {
    let mut reader = Reader::default();
    for line in lines(text) {
        reader.add(line)?;
    }
    if let Some((line, column)) = reader.race {
        return Err(SessionError { line, column, message: "`@ race` without `@ join` below it".to_string() });
    }
    Ok(Session { actions: reader.actions })
}

/// `KIND KEY` as sessions write it: the key is quoted only where it would not be read back as it is.
pub(super) fn event_text(kind: &str, key: &[u8]) -> String {
    let plain = |c: char| !c.is_control() && !matches!(c, ' ' | '"' | '\'');
    match core::str::from_utf8(key) {
        Ok(key) if !key.is_empty() && key.chars().all(plain) => format!("{kind} {key}"),
        _ => format!("{kind} {}", quote(key)),
    }
}

#[derive(Default)]
struct Reader {
    actions: Vec<Action>,
    /// The command or receive line to which reply lines belong.
    replies_to: Option<usize>,
    /// The command or clock line to which event lines belong.
    events_of: Option<usize>,
    /// Line and column of the `@ race` that has no `@ join` yet.
    race: Option<(usize, usize)>,
}

impl Reader {
    fn add(&mut self, SourceLine { source, line, script }: SourceLine<'_>) -> Result<(), SessionError> {
        let source = &source;
        match line {
            Line::Prompt { .. } | Line::Ignored => {}
            Line::Heading(text) => self.act(source, StepKind::Heading, "", text),
            Line::Comment(text) => self.act(source, StepKind::Comment, "", text),
            Line::Command { base, text } => {
                self.act(source, StepKind::Command, base, text);
                self.replies_to = self.last();
                self.events_of = self.last();
                if let (Some(script), Some(action)) = (script, self.actions.last_mut()) {
                    action.text = script.command;
                }
            }
            Line::Receive { base } => {
                self.act(source, StepKind::Receive, base, "");
                self.replies_to = self.last();
            }
            Line::Clock(text) => {
                let clock_move = clock_move(source, text)?;
                self.act(source, StepKind::Clock(clock_move), "", text);
                self.events_of = self.last();
            }
            Line::Race(text) => self.race(source, StepKind::Race, "", text)?,
            Line::Join(text) => self.race(source, StepKind::Join, "", text)?,
            Line::Enter { base } => self.race(source, StepKind::Enter, base, "")?,
            Line::Leave { base } => self.race(source, StepKind::Leave, base, "")?,
            Line::Event(text) => self.expect_event(source, text)?,
            Line::Literal(text) | Line::Reply(text) => self.expect_reply(source, text, false)?,
            Line::Anything => self.expect_reply(source, ANYTHING, true)?,
        }
        Ok(())
    }

    fn race(&mut self, source: &SourceText<'_>, kind: StepKind, name: &str, text: &str) -> Result<(), SessionError> {
        self.act(source, kind, name, text);
        let Some(action) = self.actions.last_mut() else { return Ok(()) };
        if text.is_empty() {
            // A mark begins with its name, and has no text behind it.
            action.column = source.indent + 1;
        }
        let (line, column) = (action.line, action.column);
        if self.race.is_some() == (kind == StepKind::Race) {
            let message = match self.race {
                Some(_) => "`@ race` without `@ join` above it",
                None => "expected between `@ race` and `@ join`; a reply of this form stands behind `| `",
            };
            return Err(SessionError { line, column, message: message.to_string() });
        }
        match kind {
            StepKind::Race => self.race = Some((line, column)),
            StepKind::Join => self.race = None,
            _ => {}
        }
        Ok(())
    }

    fn act(&mut self, source: &SourceText<'_>, kind: StepKind, name: &str, text: &str) {
        self.actions.push(Action {
            line: source.number,
            column: column_of(source, text),
            kind,
            client: client_of(name).to_string(),
            name: name.to_string(),
            text: text.to_string(),
            expected: Vec::new(),
            expected_events: Vec::new(),
        });
    }

    fn last(&self) -> Option<usize> {
        self.actions.len().checked_sub(1)
    }

    fn expect_reply(&mut self, source: &SourceText<'_>, text: &str, anything: bool) -> Result<(), SessionError> {
        let action = self.replies_to.and_then(|index| self.actions.get_mut(index));
        let Some(action) = action else {
            return Err(error(source, text, "reply without a command line above it"));
        };
        action.expected.push(Expectation { line: source.number, text: text.to_string(), anything });
        Ok(())
    }

    fn expect_event(&mut self, source: &SourceText<'_>, text: &str) -> Result<(), SessionError> {
        let mut words = Argv::default();
        if let Err(problem) = split_line(text.as_bytes(), &mut words) {
            let mut error = error(source, text, &problem.to_string());
            error.column += problem.column.saturating_sub(1);
            return Err(error);
        }
        let words = words.as_ref();
        let (2, Some(kind), Some(key)) = (words.len(), words.get(0), words.get(1)) else {
            return Err(error(source, text, "expected `! KIND KEY`"));
        };
        let action = self.events_of.and_then(|index| self.actions.get_mut(index));
        let Some(action) = action else {
            return Err(error(source, text, "event without a command or clock line above it"));
        };
        let text = event_text(&String::from_utf8_lossy(kind), key);
        action.expected_events.push(Expectation { line: source.number, text, anything: false });
        Ok(())
    }
}

fn clock_move(source: &SourceText<'_>, text: &str) -> Result<ClockMove, SessionError> {
    parse_move(text).map_err(|message| error(source, text, message))
}

fn error(source: &SourceText<'_>, text: &str, message: &str) -> SessionError {
    SessionError { line: source.number, column: column_of(source, text), message: message.to_string() }
}

/// Where `text`, the end of a source line but for trailing blanks, begins on the line as its author sees it.
fn column_of(source: &SourceText<'_>, text: &str) -> usize {
    let line = without_trailing_blanks(source.text);
    let before = line.strip_suffix(text).unwrap_or_default();
    // The indentation is made of blanks and tabs, one byte each.
    source.indent + before.chars().count() + 1
}

#[cfg(test)]
mod tests;
