//! Runs the session files on both sides, up to the first step that a server cannot follow: its clock does not move, and
//! it lacks some commands.

use keylatch::internals::commands::split_line;
use keylatch::session::{self, Session, StepKind};
use keylatch::{Argv, Protocol};

use super::allowed::Tally;
use super::harness::Request;
use super::pair::Pair;
use super::redis::Server;
use super::scope::{Scope, row_of};
use super::tree::{self, File};

/// Commands after which a session is not continued, because they close connections, hold back replies or reconfigure
/// the server.
const ENDS: &[&str] = &[
    "quit",
    "client|kill",
    "client|reply",
    "client|pause",
    "monitor",
    "config|set",
    "debug|reload",
    "shutdown",
    "replicaof",
    "slaveof",
];

/// Result of a session.
pub struct Outcome {
    /// Counts over all session files.
    pub commands: usize,
    pub replayed: usize,
    pub differences: Vec<String>,
}

/// Runs every session file on both sides.
pub fn replay_all(scope: &Scope, server: &mut Server, allowed: &Tally) -> Outcome {
    let mut outcome = Outcome { commands: 0, replayed: 0, differences: Vec::new() };
    // A server always has Lua.
    let sessions = tree::sessions().into_iter().filter(|file| !file.path.contains("/without-lua/"));
    for File { path: name, text } in sessions {
        let session = session::parse(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
        let requests = requests(&session, scope);
        outcome.commands += session.actions.iter().filter(|action| action.kind == StepKind::Command).count();
        outcome.replayed += requests.len();
        if let Err(difference) = replay(&requests, server, allowed) {
            outcome.differences.push(format!("{name}: {difference}"));
        }
    }
    outcome
}

/// The requests of a session with their line numbers, without those that the server does not support.
fn requests(session: &Session, scope: &Scope) -> Vec<(usize, Request)> {
    let mut clients: Vec<String> = Vec::new();
    let mut requests = Vec::new();
    for action in session.actions.iter().take_while(|action| !matches!(action.kind, StepKind::Clock(_))) {
        let mut argv = Argv::default();
        if action.kind != StepKind::Command || split_line(action.text.as_bytes(), &mut argv).is_err() {
            continue;
        }
        let mut argv: Vec<Vec<u8>> = argv.as_ref().iter().map(<[u8]>::to_vec).collect();
        let row_name = row_of(&argv).map_or("", |row| row.name);
        if ENDS.contains(&row_name) {
            break;
        }
        let known = clients.iter().position(|client| *client == action.client);
        let client = known.unwrap_or_else(|| {
            clients.push(action.client.clone());
            clients.len() - 1
        });
        if let Some(place) = place_of_client(row_name, &argv) {
            name_client(&mut argv[place], clients.len());
        }
        if scope.knows(&argv) {
            requests.push((action.line, Request { client, argv }));
        }
    }
    requests
}

/// Argument indices of client numbers in a request.
fn place_of_client(row_name: &str, argv: &[Vec<u8>]) -> Option<usize> {
    let place = match row_name {
        "client|unblock" => 2,
        "client|tracking" => 1 + argv.iter().position(|word| word.eq_ignore_ascii_case(b"redirect"))?,
        _ => return None,
    };
    (place < argv.len()).then_some(place)
}

/// In a session the clients are numbered from 1 in the order of their first use.
fn name_client(word: &mut Vec<u8>, clients: usize) {
    let number = std::str::from_utf8(word).ok().and_then(|number| number.parse::<usize>().ok());
    if let Some(number) = number.filter(|number| (1..=clients).contains(number)) {
        *word = Request::number_of(number - 1).into_bytes();
    }
}

fn replay(requests: &[(usize, Request)], server: &mut Server, allowed: &Tally) -> Result<(), String> {
    let clients = requests.iter().map(|(_, request)| request.client + 1).max().unwrap_or(0);
    let mut pair = Pair::new(&vec![Protocol::Resp2; clients], server, allowed);
    for (line, request) in requests {
        let outcome = pair.perform(request).and_then(|()| pair.flush());
        outcome.map_err(|difference| {
            format!("{line}: {}\n--- ours\n{}\n--- theirs\n{}\n", request.line(), difference.ours, difference.theirs)
        })?;
    }
    Ok(())
}
