//! Command sessions: plain text with typed commands, the replies expected of them, and the movements of a clock.
//! One reader and one runner serve the tests, the wasm build, the command line and the page. The format is
//! the session grammar of ARCHITECTURE.md. Stands above the engine and uses only its public face.

mod compare;
mod instant;
mod line;
mod parse;
mod report;
mod run;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use crate::base::clock::Timestamp;
use crate::server::clients::ClientId;

pub use instant::ClockMove;
pub use parse::parse;
pub use report::Failure;
pub use run::run;

/// Where the clock of every session starts: 2026-01-01T00:00:00Z.
pub const SESSION_START: Timestamp = Timestamp::from_ms(1_767_225_600_000);

/// A session as read: what to do, in order, and what should come of it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Session {
    pub actions: Vec<Action>,
}

/// One thing a session does or says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Action {
    /// The line it stands on, counted from 1.
    pub line: usize,
    /// Where `text` begins on that line, in characters counted from 1.
    pub column: usize,
    pub kind: StepKind,
    /// The session client that acts; empty for the default client and where nobody does.
    pub client: String,
    /// The name in front of the line as its author wrote it (`redis`, `127.0.0.1:6379`, `A`), without `[db]` and `(TX)`.
    pub name: String,
    pub text: String,
    /// The reply lines given for it, freed of trailing blanks.
    pub expected: Vec<Expectation>,
    /// The event lines given for it, each as `KIND KEY`.
    pub expected_events: Vec<Expectation>,
}

/// The kinds of lines that stand for themselves.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StepKind {
    Command,
    /// Takes the next message that reached a client by itself.
    Receive,
    Clock(ClockMove),
    Heading,
    Comment,
}

impl StepKind {
    pub const fn name(self) -> &'static str {
        match self {
            StepKind::Command => "command",
            StepKind::Receive => "receive",
            StepKind::Clock(_) => "clock",
            StepKind::Heading => "heading",
            StepKind::Comment => "comment",
        }
    }
}

/// A line that a session expects, and the number of the line that says so.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub line: usize,
    pub text: String,
}

/// A session that cannot be read or cannot go on, and where: both numbers count from 1, the column in characters.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SessionError {
    pub line: usize,
    pub column: usize,
    pub message: String,
}

impl fmt::Display for SessionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl core::error::Error for SessionError {}

/// What came of a session.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    pub steps: Vec<Step>,
    /// The clients of the session in the order of their first use. They stay connected.
    pub clients: Vec<ClientReport>,
    /// What the clock shows at the end.
    pub now: Timestamp,
}

/// A client of the session as the last step left it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ClientReport {
    /// Empty for the default client.
    pub name: String,
    pub id: ClientId,
    pub database: u8,
    pub in_transaction: bool,
}

/// One action and what came of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Step {
    pub line: usize,
    pub kind: StepKind,
    pub client: String,
    /// What stands before the text: `A[2](TX)>`, `A<`, `@`, `##` or `#`. Database and transaction are the real ones.
    pub prompt: String,
    pub text: String,
    /// What redis-cli would print, one entry a line.
    pub printed: Vec<String>,
    pub expected: Vec<Expectation>,
    /// The events of this step in commit order, each as `KIND KEY` with the key quoted where it needs to be.
    pub events: Vec<String>,
    pub expected_events: Vec<Expectation>,
    pub verdict: Verdict,
    /// Whether the reply is what makes it mismatch; the events alone may.
    reply_differs: bool,
    /// A remark that explains what was printed, for example where the quotes of a command went wrong.
    pub message: Option<String>,
    /// What the clock showed after the step.
    pub now: Timestamp,
}

/// How a step compares with what the session expected of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Nothing was expected.
    Ran,
    Matched,
    Mismatched,
}

impl Verdict {
    pub const fn name(self) -> &'static str {
        match self {
            Verdict::Ran => "ran",
            Verdict::Matched => "matched",
            Verdict::Mismatched => "mismatched",
        }
    }
}
