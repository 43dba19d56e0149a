//! Logs of effects: pieces of `#KL:<now> v1` or `#KL:<now> v2 <token>` and commands, as drained from an engine, or a plain append-only file of
//! Redis.
//!
//! A log is read in two passes. The first validates the syntax and finds the end of the last whole unit; nothing is
//! changed yet. The second applies the units. No key expires during a replay; the next command or tick removes due
//! keys. So a log may be replayed piece by piece.

use alloc::vec::Vec;

use super::{LoadError, Replayed};
use crate::base::argv::{ArgvRef, Span};
use crate::base::clock::Timestamp;
use crate::base::number::parse_integer;
use crate::keyspace::{ANNOTATION, LOG_VERSION};

/// Maximum number of arguments of a command in a log, as in a request.
const ARGUMENT_COUNT_MAX: usize = i32::MAX as usize;
/// Maximum number of digits of a count or length.
const DIGITS_MAX: usize = 10;

/// Receiver of a log's commands.
pub trait Target {
    /// Kind of a command of a log; `None` for what no log contains: commands that change nothing, wrong numbers of
    /// arguments, bytes that are no name.
    fn kind(&self, argv: ArgvRef<'_>) -> Option<CommandKind>;
    /// Sets the instant of the commands that follow, and the largest token of a latch so far.
    fn move_to(&mut self, now: Timestamp, last_token: u64);
    /// Whether [`CommandKind::Unsupported`] commands are left out instead of refused.
    fn skips_unsupported(&self) -> bool;
    /// Runs a command at `offset` other than MULTI and EXEC.
    fn apply(&mut self, argv: ArgvRef<'_>, offset: usize) -> Result<(), LoadError>;
    /// Leaves out an unsupported command at `offset`.
    fn skip(&mut self, argv: ArgvRef<'_>, offset: usize) -> Result<(), LoadError>;
}

/// Kind of a command in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CommandKind {
    Begin,
    End,
    /// Selects the database of the effects that follow; not an effect itself.
    Select,
    Effect,
    /// A command of another program.
    Unsupported,
}

/// Applies a log. On an error of the first pass nothing has changed. A command that fails, as only a foreign log can
/// contain, ends the replay after the units before it.
pub fn replay(target: &mut impl Target, log: &[u8]) -> Result<Replayed, LoadError> {
    let survey = survey(target, log)?;
    apply(target, log.get(..survey.whole_bytes).unwrap_or_default())?;
    Ok(Replayed {
        units: survey.units,
        dropped_bytes: log.len() - survey.whole_bytes,
        last_now_ms: survey.last_now.map(Timestamp::as_ms),
    })
}

/// Result of the first pass.
#[derive(Default)]
struct Survey {
    /// Offset of the end of the last whole unit.
    whole_bytes: usize,
    units: usize,
    last_now: Option<Timestamp>,
}

fn survey(target: &impl Target, log: &[u8]) -> Result<Survey, LoadError> {
    let (mut reader, mut survey, mut in_unit) = (Reader::new(log), Survey::default(), false);
    loop {
        let start = reader.at;
        let malformed = LoadError::Malformed { offset: start };
        match reader.next()? {
            Item::End => return Ok(survey),
            // Within a unit an annotation means that the piece before was torn and not truncated.
            Item::Piece(..) if in_unit => return Err(malformed),
            Item::Piece(now, _) => survey.last_now = survey.last_now.max(Some(now)),
            Item::Skipped => {}
            Item::Command => match (target.kind(reader.argv()).ok_or(malformed.clone())?, in_unit) {
                (CommandKind::Begin, false) => in_unit = true,
                (CommandKind::End, true) => {
                    in_unit = false;
                    survey.units += 1;
                }
                (CommandKind::Unsupported, _) if !target.skips_unsupported() => {
                    return Err(LoadError::Unsupported { offset: start });
                }
                (CommandKind::Effect | CommandKind::Unsupported, false) => survey.units += 1,
                (CommandKind::Effect | CommandKind::Unsupported, true) | (CommandKind::Select, _) => {}
                (CommandKind::Begin, true) | (CommandKind::End, false) => return Err(malformed),
            },
        }
        if !in_unit {
            survey.whole_bytes = reader.at;
        }
    }
}

/// Runs whole units. MULTI and EXEC are skipped, because no other client runs in between.
fn apply(target: &mut impl Target, units: &[u8]) -> Result<(), LoadError> {
    let mut reader = Reader::new(units);
    loop {
        let start = reader.at;
        match reader.next()? {
            Item::End => return Ok(()),
            Item::Piece(now, last_token) => target.move_to(now, last_token),
            Item::Skipped => {}
            Item::Command => match target.kind(reader.argv()) {
                Some(CommandKind::Begin | CommandKind::End) => {}
                Some(CommandKind::Unsupported) => target.skip(reader.argv(), start)?,
                _ => target.apply(reader.argv(), start)?,
            },
        }
    }
}

/// Annotation line or command of a log.
enum Item {
    /// The log ends, possibly within a torn item.
    End,
    /// Annotation of a piece, with the instant at which it was drained and the largest token so far, 0 without one.
    Piece(Timestamp, u64),
    /// Annotation of another program.
    Skipped,
    /// Command; its arguments are in [`Reader::argv`].
    Command,
}

/// Reason why an item cannot be read.
enum Stop {
    /// The log ends within the item.
    Torn,
    Refused(LoadError),
}

/// Reader of the items of a log.
struct Reader<'a> {
    log: &'a [u8],
    at: usize,
    /// Offset of the command that the spans belong to.
    start: usize,
    spans: Vec<Span>,
}

impl<'a> Reader<'a> {
    fn new(log: &'a [u8]) -> Reader<'a> {
        Reader { log, at: 0, start: 0, spans: Vec::new() }
    }

    fn argv(&self) -> ArgvRef<'_> {
        ArgvRef::new(self.log.get(self.start..).unwrap_or_default(), &self.spans)
    }

    fn next(&mut self) -> Result<Item, LoadError> {
        self.start = self.at;
        let item = match self.log.get(self.at) {
            None => Err(Stop::Torn),
            Some(b'#') => self.annotation(),
            Some(_) => self.command(),
        };
        match item {
            Ok(item) => Ok(item),
            Err(Stop::Torn) => Ok(Item::End),
            Err(Stop::Refused(error)) => Err(error),
        }
    }

    fn malformed(&self) -> Stop {
        Stop::Refused(LoadError::Malformed { offset: self.at })
    }

    /// Reads `#KL:<now> v1` or `#KL:<now> v2 <token>`, or any other line that begins with `#`.
    fn annotation(&mut self) -> Result<Item, Stop> {
        let rest = self.log.get(self.at..).unwrap_or_default();
        let len = rest.iter().position(|&byte| byte == b'\n').ok_or(Stop::Torn)?;
        let line = &rest[..len];
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let item = match line.strip_prefix(ANNOTATION.as_bytes()) {
            None => Item::Skipped,
            Some(text) => self.piece(text)?,
        };
        self.at += len + 1;
        Ok(item)
    }

    /// Parses the words of an annotation. Newer versions are refused, with any text after the number.
    fn piece(&self, text: &[u8]) -> Result<Item, Stop> {
        let mut words = text.split(|&byte| byte == b' ');
        let now = words.next().and_then(parse_integer);
        let version = words.next().and_then(|word| word.strip_prefix(b"v")).and_then(parse_integer);
        let (token, rest) = (words.next(), words.next());
        let last_token =
            token.map_or(Some(0), |token| parse_integer(token).and_then(|token| u64::try_from(token).ok()));
        match (now, version, last_token) {
            (_, Some(version), _) if version > i64::from(LOG_VERSION) => Err(Stop::Refused(LoadError::NewerVersion)),
            (Some(now), Some(version), Some(last_token)) if token.is_some() == (version > 1) && rest.is_none() => {
                Ok(Item::Piece(Timestamp::from_ms(now), last_token))
            }
            _ => Err(self.malformed()),
        }
    }

    fn command(&mut self) -> Result<Item, Stop> {
        self.spans.clear();
        let count = self.header(b'*')?;
        if !(1..=ARGUMENT_COUNT_MAX).contains(&count) {
            return Err(self.malformed());
        }
        for _ in 0..count {
            let len = self.header(b'$')?;
            let (start, end) = (self.at - self.start, (self.at - self.start).checked_add(len).ok_or(Stop::Torn)?);
            self.at = self.at.checked_add(len).ok_or(Stop::Torn)?;
            self.line_end()?;
            let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else {
                return Err(self.malformed());
            };
            self.spans.try_reserve(1).map_err(|_| Stop::Refused(LoadError::OutOfMemory))?;
            self.spans.push(Span { start, end });
        }
        Ok(Item::Command)
    }

    /// Reads a kind byte, a number and a line end.
    fn header(&mut self, kind: u8) -> Result<usize, Stop> {
        self.expect(kind)?;
        let (mut number, mut digits) = (0usize, 0);
        while let Some(digit) = self.digit()? {
            digits += 1;
            let longer = number.checked_mul(10).and_then(|tens| tens.checked_add(digit));
            number = longer.filter(|_| digits <= DIGITS_MAX).ok_or_else(|| self.malformed())?;
        }
        if digits == 0 {
            return Err(self.malformed());
        }
        self.line_end()?;
        Ok(number)
    }

    fn digit(&mut self) -> Result<Option<usize>, Stop> {
        let byte = *self.log.get(self.at).ok_or(Stop::Torn)?;
        if !byte.is_ascii_digit() {
            return Ok(None);
        }
        self.at += 1;
        Ok(Some(usize::from(byte - b'0')))
    }

    fn line_end(&mut self) -> Result<(), Stop> {
        self.expect(b'\r')?;
        self.expect(b'\n')
    }

    fn expect(&mut self, expected: u8) -> Result<(), Stop> {
        match self.log.get(self.at) {
            None => Err(Stop::Torn),
            Some(&byte) if byte == expected => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.malformed()),
        }
    }
}
