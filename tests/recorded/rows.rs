//! `rows.txt`: the rows of the streams, with their groups, weights and grammars at the time of their capture. Rows,
//! flags and options added later change no stream.

use std::fs;

use keylatch::internals::commands::{Argument, Row, all_rows, find, flags, parse_grammar};

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/recorded/rows.txt");
const HEADER: &str = "# Written by KEYLATCH_RECORDED_WRITE=rows cargo test --test recorded: name, group, weight and grammar of the rows that are drawn.\n";

/// Rows that are not drawn.
const LEFT_OUT: &[(&str, &str)] = &[
    ("acl|cat", "lists every row there is"),
    ("client|kill", "a guest does it"),
    ("client|no-touch", "a guest does it"),
    ("client|pause", "a guest does it"),
    ("client|reply", "a guest does it"),
    ("command", "lists every row there is"),
    ("command|count", "counts every row there is"),
    ("command|docs", "the words of every row"),
    ("command|info", "the words of every row"),
    ("command|list", "lists every row there is"),
    ("lolwut", "a picture of the version"),
    ("memory|doctor", "depends on the accounting of memory"),
    ("memory|stats", "depends on the accounting of memory"),
    ("memory|usage", "depends on the accounting of memory"),
    ("monitor", "a guest does it"),
    ("quit", "a guest does it"),
];

/// Weight of a row by its flags, and the default.
const WEIGHTS: &[(&str, u64)] = &[
    ("client|tracking", 1),
    ("config|resetstat", 1),
    ("debug|reload", 1),
    ("flushall", 1),
    ("flushdb", 1),
    ("multi", 4),
    ("reset", 1),
    ("select", 4),
    ("subscribe", 2),
    ("psubscribe", 2),
    ("ssubscribe", 2),
    ("swapdb", 2),
];

/// A row that is drawn.
pub struct Choice {
    pub name: &'static str,
    pub group: &'static str,
    pub arguments: Vec<Argument>,
    pub weight: u64,
}

/// The captured rows. Each must still exist.
pub fn choices() -> Vec<Choice> {
    let lines = include_str!("rows.txt").lines().filter(|line| !line.starts_with('#'));
    lines.map(choice).collect()
}

fn choice(line: &'static str) -> Choice {
    let mut words = line.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (name, group, weight, grammar) = (word(), word(), word(), word());
    let weight = weight.parse().expect("the third word of a row is its weight");
    assert!(
        find(name).is_some(),
        "the recording has commands of the row `{name}`, which is gone; KEYLATCH_RECORDED_WRITE=rows captures the rows anew"
    );
    Choice { name, group, arguments: parse_grammar(grammar), weight }
}

fn weight(row: &Row) -> u64 {
    let usual = match row {
        row if row.group.name() == "cluster" => 1,
        row if row.has(flags::BLOCKING) => 4,
        row if row.has(flags::WRITE) => 12,
        row if !row.keys.is_empty() => 8,
        _ => 3,
    };
    WEIGHTS.iter().find(|(name, _)| *name == row.name).map_or(usual, |(_, weight)| *weight)
}

pub fn capture() {
    let is_drawn = |row: &&Row| {
        let is_left_out = LEFT_OUT.iter().any(|(name, _)| *name == row.name);
        row.subcommands.is_empty() && row.own_name() != "help" && !is_left_out
    };
    let all = all_rows();
    let line = |row: &Row| {
        let line = format!("{} {} {} {}", row.name, row.group.name(), weight(row), row.arguments);
        line.trim_end().to_owned() + "\n"
    };
    let mut lines: Vec<String> = all.filter(is_drawn).map(line).collect();
    lines.sort_unstable();
    fs::write(PATH, HEADER.to_owned() + &lines.concat()).expect("tests/recorded/rows.txt can be written");
}
