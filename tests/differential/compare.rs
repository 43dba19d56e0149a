//! Compares two replies as exactly as their command allows.

use keylatch::internals::resp::read::Value;

use super::scope::{is_compared, row_of};

/// Comparison mode of a command's replies.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    Exact,
    /// Elements in any order, in groups of this many.
    Bag(usize),
    /// A cursor and a page of groups of this many: only a page with all elements is equal on both sides.
    Page(usize),
    /// A cursor and a page that started at a cursor.
    LaterPage,
    /// Equal types and equal numbers of elements.
    Shape,
    /// Any two replies.
    Any,
    /// Integers that differ by at most this much: each side has its own clock.
    Near(i64),
}

/// Maximum difference in milliseconds between the two clock readings.
const NEAR_MS: i64 = 20_000;
const NEAR_S: i64 = 20;
/// Number of words of XPENDING for a whole group.
const XPENDING_OF_GROUP: usize = 3;

/// Commands with replies that are not compared byte by byte, in addition to the rows that declare no order.
const MODES: &[(&str, Mode)] = &[
    ("randomkey", Mode::Shape),
    ("spop", Mode::Shape),
    ("srandmember", Mode::Shape),
    ("hrandfield", Mode::Shape),
    ("zrandmember", Mode::Shape),
    ("object|idletime", Mode::Shape),
    ("object|encoding", Mode::Shape),
    ("memory|usage", Mode::Shape),
    ("client|id", Mode::Shape),
    ("client|getredir", Mode::Shape),
    ("dump", Mode::Shape),
    ("scan", Mode::Page(1)),
    ("sscan", Mode::Page(1)),
    ("hscan", Mode::Page(2)),
    ("zscan", Mode::Page(2)),
    ("hgetall", Mode::Bag(2)),
    ("ttl", Mode::Near(NEAR_S)),
    ("expiretime", Mode::Near(NEAR_S)),
    ("pttl", Mode::Near(NEAR_MS)),
    ("pexpiretime", Mode::Near(NEAR_MS)),
];

pub fn mode_of(argv: &[Vec<u8>]) -> Mode {
    let Some(row) = row_of(argv) else { return Mode::Exact };
    let usual = if row.is_unordered() { Mode::Bag(1) } else { Mode::Exact };
    if !is_compared(row) {
        return Mode::Any;
    }
    if matches!(row.name, "sort" | "sort_ro") {
        return sort_mode(argv);
    }
    if matches!(row.name, "geosearch" | "georadius" | "georadius_ro" | "georadiusbymember" | "georadiusbymember_ro") {
        // Members at equal distances come in any order, so with COUNT any of them may be among the first.
        return if has_option(argv, "COUNT") { Mode::Shape } else { Mode::Bag(1) };
    }
    // Each pending entry has the time since its delivery, by the clock of each side.
    if row.name == "xpending" && argv.len() > XPENDING_OF_GROUP {
        return Mode::Shape;
    }
    // The id is the time of each side.
    if row.name == "xadd" && argv.iter().any(|word| word == b"*") {
        return Mode::Shape;
    }
    match MODES.iter().find(|(name, _)| *name == row.name) {
        Some((name, Mode::Page(_))) if !begins_at_start(name, argv) => Mode::LaterPage,
        Some((_, mode)) => *mode,
        None => usual,
    }
}

/// Elements with equal weights come in any order when the weights are texts, and elements of a set when nothing is
/// sorted and nothing stored.
fn sort_mode(argv: &[Vec<u8>]) -> Mode {
    match sort_weights(argv) {
        Some(_) if has_option(argv, "STORE") => Mode::Exact,
        Some(pattern) if has_option(argv, "ALPHA") || !pattern.contains(&b'*') => {
            if has_option(argv, "LIMIT") {
                Mode::Shape
            } else {
                Mode::Bag(1)
            }
        }
        _ => Mode::Exact,
    }
}

/// True when SORT stores elements in an unspecified order.
pub fn stores_any_order(argv: &[Vec<u8>]) -> bool {
    let has_weights = sort_weights(argv).is_some_and(|pattern| pattern.contains(&b'*'));
    has_option(argv, "STORE") && has_option(argv, "ALPHA") && has_weights
}

fn sort_weights(argv: &[Vec<u8>]) -> Option<&[u8]> {
    let option = argv.windows(2).skip(2).find(|option| option[0].eq_ignore_ascii_case(b"BY"))?;
    Some(&option[1])
}

pub fn has_option(argv: &[Vec<u8>], word: &str) -> bool {
    argv.iter().skip(2).any(|option| option.eq_ignore_ascii_case(word.as_bytes()))
}

fn begins_at_start(name: &str, argv: &[Vec<u8>]) -> bool {
    let index = if name == "scan" { 1 } else { 2 };
    argv.get(index).is_some_and(|cursor| cursor == b"0")
}

pub fn matches(mode: Mode, ours: &Value<'_>, theirs: &Value<'_>) -> bool {
    match mode {
        _ if ours == theirs => true,
        Mode::Any => true,
        Mode::Exact => false,
        Mode::Bag(group) => bag(ours, group).is_some_and(|ours| bag(theirs, group) == Some(ours)),
        Mode::Page(group) => same_page(ours, theirs, Some(group)),
        Mode::LaterPage => same_page(ours, theirs, None),
        Mode::Shape => same_shape(ours, theirs),
        Mode::Near(distance) => match (ours, theirs) {
            // Negative replies (no key, no deadline) are no times.
            (Value::Integer(ours), Value::Integer(theirs)) => {
                (*ours > 0 && *theirs > 0) && ours.abs_diff(*theirs) <= distance as u64
            }
            _ => false,
        },
    }
}

/// The elements in groups, sorted by their printed form; None for a reply without elements.
fn bag(value: &Value<'_>, group: usize) -> Option<Vec<String>> {
    let mut bag: Vec<String> = match value {
        Value::Array(elements) | Value::Set(elements) => {
            elements.chunks(group).map(|group| format!("{group:?}")).collect()
        }
        Value::Map(pairs) => pairs.iter().map(|pair| format!("{pair:?}")).collect(),
        _ => return None,
    };
    bag.sort_unstable();
    Some(bag)
}

/// True when both pages are the last and have equal elements in groups; for other pages, always.
fn same_page(ours: &Value<'_>, theirs: &Value<'_>, group: Option<usize>) -> bool {
    let (Value::Array(our_page), Value::Array(their_page)) = (ours, theirs) else { return false };
    let ([our_cursor, ours], [their_cursor, theirs]) = (our_page.as_slice(), their_page.as_slice()) else {
        return false;
    };
    let is_last = |cursor: &Value<'_>| *cursor == Value::Bulk(b"0");
    match group.filter(|_| is_last(our_cursor) && is_last(their_cursor)) {
        Some(group) => bag(ours, group).is_some_and(|ours| bag(theirs, group) == Some(ours)),
        None => matches!((ours, theirs), (Value::Array(_), Value::Array(_))),
    }
}

fn same_shape(ours: &Value<'_>, theirs: &Value<'_>) -> bool {
    match (ours, theirs) {
        (Value::Array(ours), Value::Array(theirs)) | (Value::Set(ours), Value::Set(theirs)) => {
            ours.len() == theirs.len() && ours.iter().zip(theirs).all(|(ours, theirs)| same_shape(ours, theirs))
        }
        (Value::Error(ours), Value::Error(theirs)) => ours == theirs,
        _ => std::mem::discriminant(ours) == std::mem::discriminant(theirs),
    }
}

#[test]
fn modes_are_as_loose_as_they_say() {
    let read = |text: &'static str| keylatch::internals::resp::read::read(text.as_bytes()).unwrap().unwrap().0;
    let same = |mode, ours, theirs| matches(mode, &read(ours), &read(theirs));
    assert!(same(Mode::Exact, ":1\r\n", ":1\r\n") && !same(Mode::Exact, ":1\r\n", ":2\r\n"));
    assert!(same(Mode::Bag(1), "*2\r\n:1\r\n:2\r\n", "*2\r\n:2\r\n:1\r\n"));
    assert!(!same(Mode::Bag(2), "*4\r\n:1\r\n:2\r\n:3\r\n:4\r\n", "*4\r\n:1\r\n:4\r\n:3\r\n:2\r\n"));
    assert!(!same(Mode::Bag(1), "*1\r\n:1\r\n", "-ERR\r\n"));
    assert!(same(Mode::Page(1), "*2\r\n$1\r\n7\r\n*1\r\n:1\r\n", "*2\r\n$1\r\n0\r\n*0\r\n"));
    assert!(!same(Mode::Page(1), "*2\r\n$1\r\n0\r\n*1\r\n:1\r\n", "*2\r\n$1\r\n0\r\n*0\r\n"));
    assert!(same(Mode::Shape, "$1\r\na\r\n", "$2\r\nbb\r\n") && !same(Mode::Shape, "$1\r\na\r\n", "$-1\r\n"));
    assert!(!same(Mode::Shape, "-ERR a\r\n", "-ERR b\r\n") && !same(Mode::Shape, "*0\r\n", "*1\r\n:1\r\n"));
    assert!(same(Mode::Near(20), ":100\r\n", ":120\r\n") && !same(Mode::Near(20), ":-1\r\n", ":1\r\n"));
}
