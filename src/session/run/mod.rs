//! Runs a session on an engine: one client for each name, a clock that moves only at clock lines, and replies as redis-cli
//! prints them.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::compare::{self, Order};
use super::parse::event_text;
use super::typed::{INVALID_REPETITIONS, find_row, repetitions};
use super::{
    Action, ClientReport, ClockMove, Expectation, Report, SESSION_START, Session, SessionError, Step, StepKind, Verdict,
};
use crate::base::argv::{Argv, ArgvRef};
use crate::base::clock::{Clock, MovableClock, Timestamp};
use crate::commands::split_line;
use crate::engine::keylatch::Keylatch;
use crate::resp::cli_text::print;
use crate::resp::read::read;
use crate::server::clients::ClientId;

/// Reply of redis-cli to a line with unbalanced quotes.
const INVALID_ARGUMENTS: &str = "Invalid argument(s)";

/// Runs a session, or its part up to and including `until_line`, and reports every step.
///
/// The engine should be fresh. Its clock is set to [`SESSION_START`]. Its queue of events is used, emptied and stopped. Facts
/// go to the steps, if the engine collects them. The clients stay connected, so that more commands can follow.
///
/// # Errors
/// A clock line that cannot be run: `@ next` while nothing is due, or a movement beyond the range of dates.
pub fn run<C: MovableClock>(
    engine: &mut Keylatch<C>,
    session: &Session,
    until_line: Option<usize>,
) -> Result<Report, SessionError> {
    engine.clock_mut().set(SESSION_START);
    engine.listen(true);
    engine.take_events();
    engine.facts().take();
    let states_facts = engine.facts().is_on();
    let mut runner = Runner { engine, clients: Vec::new(), argv: Argv::default(), in_race: false, states_facts };
    let wanted = session.actions.iter().take_while(|action| until_line.is_none_or(|line| action.line <= line));
    let steps: Result<Vec<Step>, SessionError> = wanted.map(|action| runner.step(action)).collect();
    let (clients, now) = (runner.client_reports(), runner.now());
    runner.engine.listen(false);
    Ok(Report { steps: steps?, clients, now })
}

struct Runner<'e, C: Clock> {
    engine: &'e mut Keylatch<C>,
    clients: Vec<SessionClient>,
    argv: Argv,
    in_race: bool,
    /// Whether steps have facts, words and replies.
    states_facts: bool,
}

struct SessionClient {
    name: String,
    id: ClientId,
    /// Messages pushed to it that no receive line has taken.
    waiting: Vec<u8>,
    /// Whether it has stopped in the race that runs.
    stopped: bool,
}

/// Lines printed by one action, and their comparison with the expected ones.
#[derive(Default)]
struct Outcome {
    printed: Vec<String>,
    message: Option<String>,
    order: Order,
    words: Vec<Vec<u8>>,
    reply: Vec<u8>,
}

impl<C: MovableClock> Runner<'_, C> {
    fn step(&mut self, action: &Action) -> Result<Step, SessionError> {
        let (prompt, database) = (self.prompt(action), self.database_of(action));
        if matches!(action.kind, StepKind::Race | StepKind::Join) {
            self.in_race = action.kind == StepKind::Race;
            self.clients.iter_mut().for_each(|client| client.stopped = false);
        }
        let skipped = self.has_stopped(action);
        let outcome = match action.kind {
            _ if skipped => Outcome { message: Some("not run".to_string()), ..Outcome::default() },
            StepKind::Command => self.command(action),
            StepKind::Receive => self.receive(action),
            StepKind::Clock(clock_move) => {
                self.move_clock(action, clock_move)?;
                Outcome::default()
            }
            _ => Outcome::default(),
        };
        let mut step = self.judge(action, prompt, outcome);
        (step.skipped, step.database) = (skipped, database);
        if self.in_race {
            self.guard(&mut step);
        }
        Ok(step)
    }

    fn has_stopped(&self, action: &Action) -> bool {
        let is_own = !matches!(action.kind, StepKind::Clock(_) | StepKind::Heading | StepKind::Comment);
        self.in_race && is_own && self.clients.iter().any(|client| client.stopped && client.name == action.client)
    }

    /// Takes an expected reply as a guard: the client stops if another one came. A blocked client has no reply yet.
    fn guard(&mut self, step: &mut Step) {
        step.in_race = true;
        let differs = core::mem::take(&mut step.reply_differs);
        if differs || step.skipped {
            let is_mismatch = !step.skipped && step.events_differ();
            step.verdict = if is_mismatch { Verdict::Mismatched } else { Verdict::Ran };
        }
        if differs && !step.expected.is_empty() && !step.printed.is_empty() {
            step.message = Some("the client stops here".to_string());
            self.client(&step.client).stopped = true;
        }
    }

    fn judge(&mut self, action: &Action, prompt: String, outcome: Outcome) -> Step {
        let events = self.engine.take_events();
        let mut step = Step {
            line: action.line,
            kind: action.kind,
            client: action.client.clone(),
            prompt,
            text: action.text.clone(),
            reply_differs: !reply_matches(action, &outcome),
            printed: outcome.printed,
            expected: action.expected.clone(),
            events: events.iter().map(|event| event_text(event.kind.name(), &event.key)).collect(),
            expected_events: action.expected_events.clone(),
            database: 0,
            words: outcome.words,
            reply: outcome.reply,
            facts: self.engine.facts().take(),
            verdict: Verdict::Ran,
            in_race: false,
            skipped: false,
            message: outcome.message,
            now: self.now(),
        };
        let silent = step.expected.is_empty() && step.expected_events.is_empty() && step.kind != StepKind::Receive;
        if step.reply_differs || step.events_differ() {
            step.verdict = Verdict::Mismatched;
        } else if !silent {
            step.verdict = Verdict::Matched;
        }
        step
    }

    fn prompt(&mut self, action: &Action) -> String {
        match action.kind {
            StepKind::Command => self.command_prompt(action),
            StepKind::Receive => format!("{}<", action.name),
            StepKind::Enter => format!("{}+", action.name),
            StepKind::Leave => format!("{}-", action.name),
            StepKind::Clock(_) | StepKind::Race | StepKind::Join => "@".to_string(),
            StepKind::Heading => "##".to_string(),
            StepKind::Comment => "#".to_string(),
        }
    }

    /// Database of the client that acts; 0 for lines without one.
    fn database_of(&mut self, action: &Action) -> u8 {
        match action.kind {
            StepKind::Command | StepKind::Receive => {
                let id = self.client(&action.client).id;
                self.state_of(id).0
            }
            _ => 0,
        }
    }

    /// The author's name for the client with the database and the transaction it is really in.
    fn command_prompt(&mut self, action: &Action) -> String {
        let id = self.client(&action.client).id;
        let (database, in_transaction) = self.state_of(id);
        let database = if database == 0 { String::new() } else { format!("[{database}]") };
        let transaction = if in_transaction { "(TX)" } else { "" };
        format!("{}{database}{transaction}>", action.name)
    }

    fn command(&mut self, action: &Action) -> Outcome {
        self.argv.clear();
        if let Err(problem) = split_line(action.text.as_bytes(), &mut self.argv) {
            let printed = Vec::from([INVALID_ARGUMENTS.to_string()]);
            return Outcome { printed, message: Some(problem.to_string()), ..Outcome::default() };
        }
        let id = self.client(&action.client).id;
        let Some((times, argv)) = repetitions(self.argv.as_ref()) else {
            return Outcome { printed: Vec::from([INVALID_REPETITIONS.to_string()]), ..Outcome::default() };
        };
        let mut reply = Vec::new();
        (0..times).for_each(|_| self.engine.execute(id, argv, &mut reply));
        let mut outcome = Outcome { order: order_of(argv), ..Outcome::default() };
        let mut rest = reply.as_slice();
        while !rest.is_empty() {
            rest = outcome.print_message(rest);
        }
        if self.states_facts {
            outcome.words = argv.iter().map(<[u8]>::to_vec).collect();
            outcome.reply = reply;
        }
        outcome
    }

    fn receive(&mut self, action: &Action) -> Outcome {
        let id = self.client(&action.client).id;
        let arrived = self.engine.take_outbox(id);
        let states_facts = self.states_facts;
        let client = self.client(&action.client);
        client.waiting.extend_from_slice(&arrived);
        let mut outcome = Outcome::default();
        if !client.waiting.is_empty() {
            let rest = outcome.print_message(&client.waiting).to_vec();
            let message = core::mem::replace(&mut client.waiting, rest);
            if states_facts {
                outcome.reply = message;
                outcome.reply.truncate(outcome.reply.len() - client.waiting.len());
            }
        }
        outcome
    }

    fn move_clock(&mut self, action: &Action, clock_move: ClockMove) -> Result<(), SessionError> {
        let target = match clock_move {
            ClockMove::ByMs(span_ms) => self.now().checked_add_ms(span_ms).ok_or("the time is out of range"),
            ClockMove::ToMs(ms) => Ok(Timestamp::from_ms(ms)),
            ClockMove::ToNext => {
                self.engine.next_deadline().ok_or("nothing is due: no key expires, no client is blocked")
            }
        };
        let target = target.map_err(|message| SessionError {
            line: action.line,
            column: action.column,
            message: message.to_string(),
        })?;
        self.engine.clock_mut().set(target);
        self.engine.tick();
        Ok(())
    }

    fn client(&mut self, name: &str) -> &mut SessionClient {
        let known = self.clients.iter().position(|client| client.name == name);
        let index = known.unwrap_or_else(|| {
            let id = self.engine.connect();
            self.clients.push(SessionClient { name: name.to_string(), id, waiting: Vec::new(), stopped: false });
            self.clients.len() - 1
        });
        // The index is that of a client found or added just above.
        &mut self.clients[index]
    }

    fn state_of(&self, id: ClientId) -> (u8, bool) {
        self.engine.client(id).map_or((0, false), |client| (client.database, client.in_transaction()))
    }

    fn client_reports(&self) -> Vec<ClientReport> {
        let report = |client: &SessionClient| {
            let (database, in_transaction) = self.state_of(client.id);
            ClientReport { name: client.name.clone(), id: client.id, database, in_transaction }
        };
        self.clients.iter().map(report).collect()
    }

    fn now(&mut self) -> Timestamp {
        self.engine.clock_mut().now()
    }
}

impl Outcome {
    /// Prints the first of the messages and returns the others.
    fn print_message<'a>(&mut self, messages: &'a [u8]) -> &'a [u8] {
        let Ok(Some((value, length))) = read(messages) else {
            self.message = Some("the engine wrote an invalid reply".to_string());
            return &[];
        };
        print(&value, &mut self.printed);
        messages.get(length..).unwrap_or_default()
    }
}

/// Whether a reply, as RESP bytes, is one that an action expects.
#[cfg(any(test, feature = "wasm"))]
pub(crate) fn is_expected(action: &Action, reply: &[u8]) -> bool {
    let mut argv = Argv::default();
    let is_whole = split_line(action.text.as_bytes(), &mut argv).is_ok();
    let command = repetitions(argv.as_ref()).filter(|_| is_whole);
    let order = command.map_or(Order::Exact, |(_, command)| order_of(command));
    let mut outcome = Outcome { order, ..Outcome::default() };
    let mut rest = reply;
    while !rest.is_empty() {
        rest = outcome.print_message(rest);
    }
    reply_matches(action, &outcome)
}

/// A command without reply lines expects nothing; a receive line without them expects that nothing waits.
fn reply_matches<'a>(action: &'a Action, outcome: &Outcome) -> bool {
    if action.expected.is_empty() && action.kind != StepKind::Receive {
        return true;
    }
    let line = |expectation: &'a Expectation| (!expectation.anything).then_some(expectation.text.as_str());
    let expected: Vec<Option<&str>> = action.expected.iter().map(line).collect();
    let got: Vec<&str> = outcome.printed.iter().map(String::as_str).collect();
    compare::matches(&expected, &got, outcome.order)
}

/// Whether a reply of that shape can be a map.
fn has_pairs(shape: &str) -> bool {
    shape.split(['|', '(', ',', ')']).any(|word| word == "map")
}

/// How much the order of a command's reply means, as its row says.
fn order_of(argv: ArgvRef<'_>) -> Order {
    match find_row(argv.iter().map_while(|word| core::str::from_utf8(word).ok())) {
        Some(row) if row.is_unordered() && has_pairs(row.reply) => Order::AnyOfPairs,
        Some(row) if row.is_unordered() => Order::Any,
        _ => Order::Exact,
    }
}

#[cfg(test)]
mod tests;
