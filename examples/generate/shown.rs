//! Examples of commands in session files: which file shows a command best, an example out of it, and its errors.

use std::collections::HashSet;
use std::path::Path;

use keylatch::session::{self, SESSION_START, StepKind};
use keylatch::{Keylatch, ManualClock, Options};

use super::tree::{self, File};

/// An example ends before the command behind this line.
const LINES_MAX: usize = 24;
/// Most uses of one command.
const USES_MAX: usize = 20;
/// Most kinds of replies of one command, and the longest that is shown.
const REPLIES_MAX: usize = 6;
const REPLY_CHARS_MAX: usize = 72;

/// All session files.
pub struct Shown {
    files: Vec<Session>,
}

struct Session {
    /// From the root of the repository.
    path: String,
    stem: String,
    text: String,
}

pub struct Example {
    pub path: String,
    /// The heading it stands under.
    pub caption: String,
    pub lines: Vec<String>,
}

impl Shown {
    pub fn read() -> Shown {
        let file = |File { path, text }| Session {
            stem: Path::new(&path).file_stem().unwrap_or_default().to_string_lossy().to_uppercase(),
            path,
            text,
        };
        let files = tree::files("tests/sessions", &["session"]).into_iter();
        Shown { files: files.filter(|file| tree::fits_build(&file.path)).map(file).collect() }
    }

    /// The file named after a command, else the one of its container, else the first that runs it.
    fn file(&self, name: &str) -> Option<&Session> {
        let container = name.split('|').next().unwrap_or_default();
        let named = |stem: &str| self.files.iter().find(|file| file.stem == stem && runs(&file.text, name));
        let any = || self.files.iter().find(|file| runs(&file.text, name));
        named(&name.replace('|', "-")).or_else(|| named(container)).or_else(any)
    }

    /// The first block that runs the command and does what it says on a fresh engine, else the file up to there.
    pub fn example(&self, name: &str) -> Option<Example> {
        let file = self.file(name)?;
        let blocks = blocks(&file.text);
        let index = blocks.iter().position(|block| runs(&block.join("\n"), name))?;
        let alone = shortened(&blocks[index], name);
        let lines = if does_what_it_says(&alone) { alone } else { blocks[..=index].concat() };
        assert!(does_what_it_says(&lines), "{}: the example of {name} does not run", file.path);
        let caption = lines.iter().find_map(|line| line.strip_prefix("## ")).unwrap_or_default().to_owned();
        let lines = lines.into_iter().filter(|line| *line != format!("## {caption}")).collect();
        Some(Example { path: file.path.clone(), caption, lines })
    }

    /// The errors that the file of a command shows of it, each with the first request that got it.
    pub fn errors(&self, name: &str) -> Vec<(String, String)> {
        let mut errors: Vec<(String, String)> = Vec::new();
        let Some(session) = self.file(name).and_then(|file| session::parse(&file.text).ok()) else { return errors };
        for action in session.actions.iter().filter(|action| is_run(&action.text, name)) {
            let error = match action.expected.as_slice() {
                [only] => only.text.strip_prefix("(error) "),
                _ => None,
            };
            if let Some(error) = error.filter(|error| errors.iter().all(|(known, _)| known != error)) {
                errors.push((error.to_owned(), action.text.clone()));
            }
        }
        errors
    }
}

/// A request of a command with the lines of its reply, and its place in a session file.
pub struct Use {
    pub request: String,
    pub reply: Vec<String>,
    /// From the root of the repository.
    pub path: String,
    /// Counted from 1.
    pub line: usize,
}

impl Shown {
    /// Uses of a command in its file, errors left out.
    pub fn uses(&self, name: &str) -> Vec<Use> {
        self.file(name).map(|file| uses_in(&file.path, &file.text, name)).unwrap_or_default()
    }
}

/// Uses of a command in a session, errors and those of clients in another database left out.
pub fn uses_in(path: &str, text: &str, name: &str) -> Vec<Use> {
    let Ok(session) = session::parse(text) else { return Vec::new() };
    let mut elsewhere: HashSet<String> = HashSet::new();
    let mut uses = Vec::new();
    for action in session.actions {
        match action.text.strip_prefix("SELECT ") {
            Some("0") => _ = elsewhere.remove(&action.client),
            Some(_) => _ = elsewhere.insert(action.client.clone()),
            None => {}
        }
        let reply: Vec<String> = action.expected.into_iter().map(|line| line.text).collect();
        let is_use = is_run(&action.text, name) && reply.first().is_some_and(|line| !line.starts_with("(error)"));
        if is_use && !elsewhere.contains(&action.client) {
            uses.push(Use { request: action.text, reply, path: path.to_owned(), line: action.line });
        }
    }
    uses.truncate(USES_MAX);
    uses
}

impl Shown {
    /// Replies of different kinds to a command in its file, each on one line with the first request that got it.
    pub fn replies(&self, name: &str) -> Vec<(String, String)> {
        let mut kinds: Vec<String> = Vec::new();
        let mut replies: Vec<(String, String)> = Vec::new();
        for Use { request, reply, .. } in self.uses(name) {
            let reply = reply.iter().map(|line| line.trim()).collect::<Vec<_>>().join("  ");
            let kind = kind_of(&reply);
            if reply == "QUEUED" || reply.chars().count() > REPLY_CHARS_MAX || kinds.contains(&kind) {
                continue;
            }
            kinds.push(kind);
            replies.push((reply, request));
        }
        replies.truncate(REPLIES_MAX);
        replies
    }
}

/// Replies of one kind mean much the same to a reader: all texts, all arrays, all numbers from 2 on.
fn kind_of(reply: &str) -> String {
    let first = reply.split(' ').next().unwrap_or_default();
    let small = ["(integer) 0", "(integer) 1"].contains(&reply) || reply.starts_with("(integer) -");
    match first {
        "(integer)" if !small => first.to_owned(),
        "(double)" | "1)" | "1#" | "1~" => first.to_owned(),
        _ if reply.starts_with('"') && reply != "\"\"" => "\"".to_owned(),
        _ => reply.to_owned(),
    }
}

#[test]
fn texts_and_large_numbers_are_one_kind_each() {
    assert_eq!(kind_of("\"a\""), kind_of("\"b c\""));
    assert_eq!(kind_of("(integer) 2"), kind_of("(integer) 70"));
    let kinds =
        ["(integer) 0", "(integer) 1", "(integer) 2", "(integer) -1", "(nil)", "\"\"", "\"a\"", "OK"].map(kind_of);
    assert!(kinds.iter().enumerate().all(|(index, kind)| !kinds[..index].contains(kind)));
}

/// The parts between headings, each with its own.
fn blocks(text: &str) -> Vec<Vec<String>> {
    let mut blocks: Vec<Vec<String>> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        match blocks.last_mut().filter(|_| !line.starts_with("## ")) {
            Some(block) => block.push(line.to_owned()),
            None => blocks.push(vec![line.to_owned()]),
        }
    }
    blocks
}

/// A long block ends where a command begins, but not before the one it is the example of.
fn shortened(block: &[String], name: &str) -> Vec<String> {
    let is_command = |line: &String| runs_any(line);
    let first = block.iter().position(|line| runs(line, name)).unwrap_or(0);
    let ends = (first + 1..block.len()).filter(|index| *index >= LINES_MAX && is_command(&block[*index]));
    block[..ends.min().unwrap_or(block.len())].to_vec()
}

fn does_what_it_says(lines: &[String]) -> bool {
    let Ok(session) = session::parse(&lines.join("\n")) else { return false };
    let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
    session::run(&mut engine, &session, None).is_ok_and(|report| report.mismatches() == 0)
}

fn runs_any(text: &str) -> bool {
    let is_request = |kind: StepKind| !matches!(kind, StepKind::Heading | StepKind::Comment);
    session::parse(text).is_ok_and(|session| session.actions.iter().any(|action| is_request(action.kind)))
}

/// Whether a session runs the command.
fn runs(text: &str, name: &str) -> bool {
    session::parse(text).is_ok_and(|session| session.actions.iter().any(|action| is_run(&action.text, name)))
}

pub fn is_run(request: &str, name: &str) -> bool {
    let mut words = request.split_whitespace();
    name.split('|').all(|wanted| words.next().is_some_and(|word| word.eq_ignore_ascii_case(wanted)))
}
