//! Command sessions: plain text with typed commands, their expected replies, and movements of a clock.
//!
//! Tests, the WebAssembly build, the command line and the page share one reader ([`parse`]) and one runner ([`run`]).
//!
//! | line | meaning |
//! |---|---|
//! | `> SET k v`, `A> GET k` | a command, of the default client or of the client `A` |
//! | `OK` | a line of the expected reply, as redis-cli prints it |
//! | `...` | any lines of the reply, also none |
//! | `A<` | takes the next message that was pushed to `A` |
//! | `! expired k` | an expected event |
//! | `@ +5s`, `@ next` | moves the clock: by a duration, or to the next deadline |
//! | `@ race`, `@ join` | begins and ends lines that may run in any order that keeps each client's own |
//! | `A+`, `A-` | from here, or up to here, `A` believes itself inside; in a race only |
//! | `# text`, `## text` | a comment, a heading |
//!
//! A race runs in the order in which it is written, like any other part. A reply in it is a guard: a client that gets another
//! one stops, and its lines up to `@ join` are not run. A race prints as it was written.
//!
//! ```
//! use keylatch::session::{self, SESSION_START};
//! use keylatch::{Keylatch, ManualClock, Options};
//!
//! let text = "> SET lock me NX PX 5000\nOK\n@ +6s\n> EXISTS lock\n(integer) 0\n";
//! let session = session::parse(text)?;
//! let mut db = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
//! let report = session::run(&mut db, &session, None)?;
//! assert_eq!(report.mismatches(), 0);
//! # Ok::<(), session::SessionError>(())
//! ```

mod compare;
mod instant;
mod line;
mod lines;
#[cfg(any(test, feature = "wasm"))]
mod outline;
mod parse;
mod report;
mod run;
mod typed;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::base::clock::Timestamp;
use crate::keyspace::Fact;
use crate::server::clients::ClientId;

pub use instant::ClockMove;
pub use parse::parse;
pub use report::Failure;
pub use run::run;

#[cfg(feature = "wasm")]
pub(crate) use outline::outline;
#[cfg(feature = "wasm")]
pub(crate) use run::is_expected;

/// Instant at which the clock of every session starts: 2026-01-01T00:00:00Z.
pub const SESSION_START: Timestamp = Timestamp::from_ms(1_767_225_600_000);

/// A parsed session.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Session {
    /// Commands, clock movements, comments and headings in order.
    pub actions: Vec<Action>,
}

/// One command, clock movement, comment or heading, with the reply and the events expected of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// Number of its line, counted from 1.
    pub line: usize,
    /// Column of `text` on that line, in characters counted from 1.
    pub column: usize,
    /// Kind of its line.
    pub kind: StepKind,
    /// Name of the client that acts; empty for the default client and for lines without one.
    pub client: String,
    /// The prompt of the line as its author wrote it (`redis`, `127.0.0.1:6379`, `A`), without `[db]` and `(TX)`.
    pub name: String,
    /// The line without its prompt.
    pub text: String,
    /// Expected lines of the reply, without trailing blanks.
    pub expected: Vec<Expectation>,
    /// Expected events, each as `KIND KEY`.
    pub expected_events: Vec<Expectation>,
}

/// Kinds of steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    /// A command of a client.
    Command,
    /// Takes the next message that was pushed to a client.
    Receive,
    /// A movement of the clock.
    Clock(ClockMove),
    /// The begin of a race (`@ race`).
    Race,
    /// The end of a race (`@ join`).
    Join,
    /// From here a client believes itself inside (`A+`).
    Enter,
    /// Up to here a client believes itself inside (`A-`).
    Leave,
    /// A heading (`##`).
    Heading,
    /// A comment (`#`).
    Comment,
}

impl StepKind {
    /// The kind as a word, for messages and hosts in other languages.
    pub const fn name(self) -> &'static str {
        match self {
            StepKind::Command => "command",
            StepKind::Receive => "receive",
            StepKind::Clock(_) => "clock",
            StepKind::Race => "race",
            StepKind::Join => "join",
            StepKind::Enter => "enter",
            StepKind::Leave => "leave",
            StepKind::Heading => "heading",
            StepKind::Comment => "comment",
        }
    }
}

/// An expected line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// Number of its line in the session, counted from 1.
    pub line: usize,
    /// The line as it is compared.
    pub text: String,
    /// Whether the line is `...`, which stands for any number of lines of the reply.
    pub anything: bool,
}

/// Error of a session that cannot be parsed or cannot go on.
///
/// # Examples
/// ```
/// let error = keylatch::session::parse("OK\n> PING\n").unwrap_err();
/// assert_eq!((error.line, error.column), (1, 1));
/// ```
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionError {
    /// Number of the line, counted from 1.
    pub line: usize,
    /// Column on that line, in characters counted from 1.
    pub column: usize,
    /// The mistake, and the expected form.
    pub message: String,
}

impl fmt::Display for SessionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl core::error::Error for SessionError {}

/// Result of a session that ran.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The steps in order.
    pub steps: Vec<Step>,
    /// Clients of the session in the order of their first use. They stay connected.
    pub clients: Vec<ClientReport>,
    /// Instant at the end.
    pub now: Timestamp,
}

/// State of a client after the last step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientReport {
    /// Name in the session; empty for the default client.
    pub name: String,
    /// Id in the engine.
    pub id: ClientId,
    /// Selected database.
    pub database: u8,
    /// Whether MULTI is open.
    pub in_transaction: bool,
}

/// An action that ran, with its reply and its events.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    /// Number of its line, counted from 1.
    pub line: usize,
    /// Kind of its line.
    pub kind: StepKind,
    /// Name of the client that acted; empty for the default client.
    pub client: String,
    /// Prompt before the text: `A[2](TX)>`, `A<`, `A+`, `A-`, `@`, `##` or `#`, with the real database and transaction state.
    pub prompt: String,
    /// The line without its prompt.
    pub text: String,
    /// Lines of the reply, as redis-cli prints it.
    pub printed: Vec<String>,
    /// Expected lines of the reply.
    pub expected: Vec<Expectation>,
    /// Events of this step in order, each as `KIND KEY`, with the key quoted if it has blanks or control characters.
    pub events: Vec<String>,
    /// Expected events.
    pub expected_events: Vec<Expectation>,
    /// Database of the client before the step.
    pub database: u8,
    /// Words of the command without quotes, behind a number of repetitions, if the engine collects facts.
    pub words: Vec<Vec<u8>>,
    /// The reply as RESP, or that of each repetition, if the engine collects facts.
    pub reply: Vec<u8>,
    /// Changes of keys in this step in order, if the engine collects facts.
    pub facts: Vec<Fact>,
    /// Result of the comparison.
    pub verdict: Verdict,
    /// Whether the reply differs; a mismatch may be in the events alone.
    reply_differs: bool,
    /// Whether the step is part of a race: its expected reply is a guard.
    in_race: bool,
    /// Whether the step was not run, since its client has stopped.
    skipped: bool,
    /// A note on the reply, for example the column at which the quotes of a command do not balance.
    pub message: Option<String>,
    /// Instant after the step.
    pub now: Timestamp,
}

/// Comparison of a step with its expectations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Ran, and nothing was expected.
    Ran,
    /// Reply and events are as expected.
    Matched,
    /// Reply or events differ.
    Mismatched,
}

impl Verdict {
    /// The verdict as a word, for messages and hosts in other languages.
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Ran => "ran",
            Verdict::Matched => "matched",
            Verdict::Mismatched => "mismatched",
        }
    }
}
