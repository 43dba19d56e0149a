//! Every command row has a session file, and every session file asserts a reply.

use std::path::Path;

use keylatch::internals::commands;
use keylatch::session::{self, StepKind};

use crate::tree::{self, File};

/// Rows that no session file names as a command.
pub fn rows_without_session() -> Vec<String> {
    let sessions = tree::files("tests/sessions", &["session"]);
    assert!(!sessions.is_empty(), "tests/sessions has no session file");
    let rows = commands::all_rows();
    let names = rows.map(|row| row.name.to_uppercase());
    let missing = names.filter(|name| !sessions.iter().any(|session| shows(session, name)));
    missing.map(|name| format!("tests/sessions: no session runs {name}")).collect()
}

/// Session files without a reply to compare.
pub fn sessions_without_reply() -> Vec<String> {
    tree::sessions().iter().filter(|session| !asserts(session)).map(no_reply).collect()
}

fn no_reply(session: &File) -> String {
    format!("{}: no command has a reply line; add the reply that a server gives", session.path)
}

/// True when at least one command has a reply line. A file that cannot be parsed is reported by the session tests.
fn asserts(session: &File) -> bool {
    let Ok(parsed) = session::parse(&session.text) else { return true };
    parsed.actions.iter().any(|action| action.kind == StepKind::Command && !action.expected.is_empty())
}

/// True when a file is named after the row (`object-encoding.session` for `OBJECT|ENCODING`) or runs it.
fn shows(session: &File, row: &str) -> bool {
    let stem = Path::new(&session.path).file_stem().unwrap_or_default().to_string_lossy().to_uppercase();
    stem == row.replace('|', "-") || session.text.lines().any(|line| runs(line, row))
}

/// True for a command line of a transcript (`prompt> words`) that starts with the row's words.
fn runs(line: &str, row: &str) -> bool {
    let is_prompt = |prompt: &str| prompt.chars().all(|c| c.is_ascii_alphanumeric() || ":._-[]() ".contains(c));
    let Some((prompt, text)) = line.trim_start().split_once('>') else { return false };
    let mut words = text.split_whitespace().map(str::to_uppercase);
    is_prompt(prompt) && row.split('|').all(|wanted| words.next().is_some_and(|word| word == wanted))
}

#[test]
fn a_row_without_session_is_found() {
    let session = File::new("tests/sessions/strings/set-get.session", "> SET k v\nOK\n> object encoding k\n\"raw\"\n");
    for shown in ["SET", "OBJECT|ENCODING", "OBJECT", "SET|GET"] {
        assert!(shows(&session, shown), "{shown}");
    }
    for missing in ["GET", "SETNX", "OBJECT|HELP", "K", "RAW"] {
        assert!(!shows(&session, missing), "{missing}");
    }
    assert!(!runs("# in words > SET, k", "SET,"));
}

#[test]
fn a_session_that_asserts_nothing_is_found() {
    let session = |text: &str| File::new("tests/sessions/server/help.session", text);
    for silent in ["", "## Title\n", "> LOLWUT\n", "> SET k v\n! set k\n", "> PING\n# PONG\n\n@ +1s\nA<\n"] {
        assert!(!asserts(&session(silent)), "{silent:?}");
    }
    for asserting in ["> PING\nPONG\n", "> SET k v\n> ECHO ''\n\"\"\n", "> LOLWUT\n| art\n"] {
        assert!(asserts(&session(asserting)), "{asserting:?}");
    }
    assert!(no_reply(&session("")).starts_with("tests/sessions/server/help.session: "));
}
