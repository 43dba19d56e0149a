//! The rows to draw from: those that a server has too, except those without comparable replies, with the options
//! that it supports; or all rows with all options, where there is no server.

use std::collections::{BTreeMap, BTreeSet};

use keylatch::internals::commands::{Argument, ArgumentKind, Row, all_rows, flags, parse_grammar, rows};
use keylatch::internals::resp::read::{Value, read};

use super::redis::Server;

/// Commands that are not compared, or containers with all their subcommands, and the reason.
const EXCLUDED: &[(&str, &str)] = &[
    ("info", "figures of the process"),
    ("time", "the server's own clock"),
    ("lastsave", "the server's own clock"),
    ("save", "needs a store"),
    ("bgsave", "needs a store"),
    ("bgrewriteaof", "needs a store"),
    ("hello", "names the server and its version"),
    ("auth", "neither side has a password; the session files show it"),
    ("quit", "closes the connection; the session files show it"),
    ("shutdown", "ends the server"),
    ("monitor", "mixes what it tells with the replies, at no promised moment"),
    ("lolwut", "a picture of the version"),
    ("config", "settings of the process"),
    ("debug", "off in the server"),
    ("slowlog", "what was slow differs"),
    ("latency", "what was slow differs"),
    ("command", "the table of another version; GETKEYS is compared below"),
    ("command|info", "the table of another version"),
    ("command|docs", "the table of another version"),
    ("command|list", "the table of another version"),
    ("command|count", "the table of another version"),
    ("command|getkeysandflags", "flags of keys changed between the versions"),
    ("memory|doctor", "depends on memory"),
    ("memory|purge", "depends on the allocator"),
    ("memory|stats", "figures of the process"),
    ("memory|malloc-stats", "figures of the process"),
    ("acl|cat", "the table of another version"),
    ("replicaof", "makes the server another's replica"),
    ("slaveof", "makes the server another's replica"),
    ("client|list", "addresses and ages"),
    ("client|info", "addresses and ages"),
    ("client|kill", "closes connections, by addresses and numbers of one side"),
    ("client|pause", "stops the other clients of the test for a time"),
    ("client|reply", "takes the replies away that are compared here"),
    ("xinfo|stream", "facts of another version; the recordings show them"),
    ("xinfo|consumers", "times of each side, in another number"),
    ("client|unblock", "made by the test itself, with the numbers of each side"),
];

/// Weights of rows that are not drawn as often as others.
const WEIGHTS: &[(&str, u64)] = &[
    ("flushall", 1),
    ("flushdb", 1),
    ("swapdb", 2),
    ("select", 4),
    ("move", 6),
    ("reset", 1),
    ("multi", 2),
    ("exec", 2),
    ("discard", 1),
    ("psubscribe", 2),
    ("ssubscribe", 2),
    ("subscribe", 2),
    ("function|flush", 1),
    ("script|flush", 1),
];
const WEIGHT: u64 = 10;
/// Weight of rows that can create a key.
const WEIGHT_OF_MAKERS: u64 = 22;

/// Keywords added after 7.0. Arguments without keywords in its COMMAND DOCS are drawn without these, and session files
/// are replayed without the requests that contain them.
const NEWER: &[(&str, &[&str])] = &[
    ("bitop", &["DIFF", "DIFF1", "ANDOR", "ONE"]),
    ("hscan", &["NOVALUES"]),
    ("set", &["IFEQ", "IFNE", "IFDEQ", "IFDNE"]),
    ("xadd", &["KEEPREF", "DELREF", "ACKED", "IDMP", "IDMPAUTO"]),
    ("xread", &["+"]),
    ("xreadgroup", &["CLAIM"]),
    ("xtrim", &["KEEPREF", "DELREF", "ACKED"]),
    ("zrank", &["WITHSCORE"]),
    ("zrevrank", &["WITHSCORE"]),
];

/// A row that both sides have, with the arguments that both sides support.
pub struct Choice {
    pub row: &'static Row,
    pub arguments: Vec<Argument>,
    pub weight: u64,
}

pub struct Scope {
    /// Commands of the server, including subcommands.
    names: BTreeSet<String>,
    pub choices: Vec<Choice>,
    /// The groups of the choices that have keys.
    pub groups: Vec<&'static str>,
    total_weight: u64,
}

impl Scope {
    /// Queries the commands and options of the server.
    pub fn ask(server: &mut Server) -> Scope {
        let names = names(&server.run(&["COMMAND"]));
        let tokens = tokens(&server.run(&["COMMAND", "DOCS"]));
        let shared = all_rows().filter(|row| names.contains(row.name)).map(|row| {
            let mut choice = Choice::new(row);
            choice.leave_to(tokens.get(row.name));
            // This build has no Lua; random scripts have a test of their own, scripting_differential.
            if row.group.name() == "scripting" {
                choice.weight = 0;
            }
            choice
        });
        let choices = shared.collect();
        Scope::of(names, choices)
    }

    /// All rows of the engine.
    pub fn all() -> Scope {
        let names = all_rows().map(|row| row.name.to_owned()).collect();
        Scope::of(names, all_rows().map(Choice::new).collect())
    }

    fn of(names: BTreeSet<String>, mut choices: Vec<Choice>) -> Scope {
        choices.retain(|choice| choice.row.subcommands.is_empty() && is_compared(choice.row));
        let mut groups: Vec<&str> =
            choices.iter().filter(|choice| !choice.row.keys.is_empty()).map(|choice| choice.row.group.name()).collect();
        groups.sort_unstable();
        groups.dedup();
        let total_weight = choices.iter().map(|choice| choice.weight).sum();
        Scope { names, choices, groups, total_weight }
    }

    /// True when the server supports a request, or neither side does.
    pub fn knows(&self, argv: &[Vec<u8>]) -> bool {
        let Some(row) = row_of(argv) else { return true };
        let is_newer = |word: &Vec<u8>| newer(row.name).iter().any(|token| word.eq_ignore_ascii_case(token.as_bytes()));
        let about = if row.name == "command|getkeys" { row_of(&argv[2..]) } else { None };
        [Some(row), about].into_iter().flatten().all(|row| self.names.contains(row.name))
            && !argv.iter().skip(1).any(is_newer)
    }

    /// The choice at a number below [`Scope::total_weight`].
    pub fn at_weight(&self, mut number: u64) -> &Choice {
        for choice in &self.choices {
            match number.checked_sub(choice.weight) {
                Some(rest) => number = rest,
                None => return choice,
            }
        }
        unreachable!("the number is below the sum of the weights")
    }

    pub fn total_weight(&self) -> u64 {
        self.total_weight
    }
}

impl Choice {
    fn new(row: &'static Row) -> Choice {
        let arguments = parse_grammar(row.arguments);
        let makes_keys = row.has(flags::WRITE) && row.has(flags::DENYOOM);
        let usual = if makes_keys { WEIGHT_OF_MAKERS } else { WEIGHT };
        // Both sides have one reply only to these; the session files test it.
        let usual = if row.group.name() == "cluster" { 0 } else { usual };
        let weight = WEIGHTS.iter().find(|(name, _)| *name == row.name).map_or(usual, |(_, weight)| *weight);
        Choice { row, arguments, weight }
    }

    /// Removes arguments that a server does not support, by the keywords in its documentation.
    fn leave_to(&mut self, tokens: Option<&BTreeSet<String>>) {
        let row = self.row;
        keep(&mut self.arguments, &|token| !newer(row.name).contains(&token));
        // Without any keyword in the server's documentation, these arguments are documented there as plain text.
        if let Some(tokens) = tokens.filter(|tokens| !tokens.is_empty()) {
            keep(&mut self.arguments, &|token| tokens.contains(token));
        }
    }
}

/// The row of a request, or of a container's subcommand.
pub fn row_of(argv: &[Vec<u8>]) -> Option<&'static Row> {
    let word = |index: usize| argv.get(index).and_then(|word| std::str::from_utf8(word).ok()).unwrap_or_default();
    let row = rows().find(|row| row.name.eq_ignore_ascii_case(word(0)))?;
    let sub = row.subcommands.iter().find(|sub| sub.own_name().eq_ignore_ascii_case(word(1)));
    Some(sub.unwrap_or(row))
}

fn newer(name: &str) -> &'static [&'static str] {
    NEWER.iter().find(|(command, _)| *command == name).map_or(&[], |(_, tokens)| tokens)
}

/// True when replies to a row are comparable.
pub fn is_compared(row: &Row) -> bool {
    let container = row.name.split('|').next().unwrap_or_default();
    let is_excluded = EXCLUDED.iter().any(|(name, _)| *name == row.name || *name == container && *name != "command");
    row.own_name() != "help" && !is_excluded
}

/// Removes arguments with other keywords.
fn keep(arguments: &mut Vec<Argument>, is_known: &dyn Fn(&str) -> bool) {
    arguments.retain(|argument| argument.token.is_none_or(is_known));
    for argument in arguments.iter_mut().filter(|argument| !argument.arguments.is_empty()) {
        keep(&mut argument.arguments, is_known);
    }
    let is_empty = |argument: &Argument| {
        matches!(argument.kind, ArgumentKind::OneOf | ArgumentKind::Block) && argument.arguments.is_empty()
    };
    arguments.retain(|argument| !is_empty(argument));
}

fn text(value: &Value<'_>) -> String {
    match value {
        Value::Bulk(text) | Value::Simple(text) => String::from_utf8_lossy(text).into_owned(),
        _ => String::new(),
    }
}

/// Names in a reply of COMMAND: commands and, in the tenth field, subcommands.
fn names(reply: &[u8]) -> BTreeSet<String> {
    let Ok(Some((Value::Array(commands), _))) = read(reply) else { panic!("COMMAND answers an array") };
    let mut names = BTreeSet::new();
    for command in &commands {
        let Value::Array(fields) = command else { continue };
        names.insert(text(&fields[0]));
        if let Some(Value::Array(subcommands)) = fields.get(9) {
            names.extend(subcommands.iter().filter_map(|sub| match sub {
                Value::Array(fields) => Some(text(&fields[0])),
                _ => None,
            }));
        }
    }
    names
}

/// The keywords of each command and subcommand in a reply of COMMAND DOCS.
fn tokens(reply: &[u8]) -> BTreeMap<String, BTreeSet<String>> {
    let Ok(Some((Value::Array(documents), _))) = read(reply) else { panic!("COMMAND DOCS answers an array") };
    let mut tokens = BTreeMap::new();
    collect_documents(&documents, &mut tokens);
    tokens
}

fn collect_documents(documents: &[Value<'_>], tokens: &mut BTreeMap<String, BTreeSet<String>>) {
    for [name, document] in documents.as_chunks().0 {
        let Value::Array(fields) = document else { continue };
        let mut own = BTreeSet::new();
        for [field, value] in fields.as_chunks().0 {
            match (text(field).as_str(), value) {
                ("arguments", value) => collect_tokens(value, &mut own),
                ("subcommands", Value::Array(subcommands)) => collect_documents(subcommands, tokens),
                _ => {}
            }
        }
        tokens.insert(text(name), own);
    }
}

fn collect_tokens(arguments: &Value<'_>, tokens: &mut BTreeSet<String>) {
    let Value::Array(arguments) = arguments else { return };
    for argument in arguments {
        let Value::Array(fields) = argument else { continue };
        for [field, value] in fields.as_chunks().0 {
            match text(field).as_str() {
                "token" => drop(tokens.insert(text(value))),
                "arguments" => collect_tokens(value, tokens),
                _ => {}
            }
        }
    }
}
