//! Replies as bytes: their number, their printed form, and their comparison.

use keylatch::internals::resp::cli_text::print;
use keylatch::internals::resp::read::{Value, read};

use super::allowed::{Case, Tally};
use super::compare::{Mode, matches, mode_of};
use super::scope::row_of;

/// Number of messages in these bytes.
pub fn count(mut bytes: &[u8]) -> usize {
    let mut count = 0;
    while let Ok(Some((_, used))) = read(bytes) {
        bytes = &bytes[used..];
        count += 1;
    }
    assert!(bytes.is_empty(), "the engine writes whole messages");
    count
}

/// Length of this many messages, once they are complete; None when these are no messages.
pub fn length_of(bytes: &[u8], messages: usize) -> Option<Option<usize>> {
    let mut length = 0;
    for _ in 0..messages {
        match read(&bytes[length..]) {
            Ok(Some((_, used))) => length += used,
            Ok(None) => return Some(None),
            Err(_) => return None,
        }
    }
    Some(Some(length))
}

pub fn same(argv: &[Vec<u8>], queued: &[Vec<Vec<u8>>], ours: &[u8], theirs: &[u8], allowed: &Tally) -> bool {
    let (Ok(Some((our_value, our_length))), Ok(Some((their_value, their_length)))) = (read(ours), read(theirs)) else {
        return false;
    };
    if (our_length, their_length) != (ours.len(), theirs.len()) {
        let is_farewell = row_of(argv).is_some_and(|row| row.name.ends_with("unsubscribe"));
        if is_farewell {
            return same_farewells(ours, theirs);
        }
        // Messages caused by the client's own request follow its reply.
        let (our_reply, their_reply) = if row_of(argv).is_some() { (our_length, their_length) } else { (0, 0) };
        return same_messages(&ours[our_reply..], &theirs[their_reply..])
            && (our_reply == 0 || same(argv, queued, &ours[..our_reply], &theirs[..their_reply], allowed));
    }
    match (&our_value, &their_value) {
        (Value::Array(ours), Value::Array(theirs)) if !queued.is_empty() => {
            let all = || queued.iter().zip(ours.iter().zip(theirs));
            ours.len() == theirs.len() && all().all(|(argv, (ours, theirs))| same_value(argv, ours, theirs, allowed))
        }
        (ours, theirs) => same_value(argv, ours, theirs, allowed),
    }
}

/// Compares several messages: the messages of one PUBLISH to several patterns of a client come in any order.
fn same_messages(ours: &[u8], theirs: &[u8]) -> bool {
    messages(ours) == messages(theirs)
}

/// Each message without its pattern; the patterns of consecutive, otherwise equal messages are sorted.
fn messages(mut bytes: &[u8]) -> Vec<(String, Vec<String>)> {
    let mut messages: Vec<(String, Vec<String>)> = Vec::new();
    while let Ok(Some((value, used))) = read(bytes) {
        let (message, pattern) = match &value {
            Value::Array(parts) | Value::Push(parts) if parts.first() == Some(&Value::Bulk(b"pmessage")) => {
                (format!("{:?}", &parts[2..]), format!("{:?}", &parts[..2]))
            }
            other => (format!("{other:?}"), String::new()),
        };
        match messages
            .last_mut()
            .filter(|(last, patterns)| *last == message && !pattern.is_empty() && !patterns[0].is_empty())
        {
            Some((_, patterns)) => patterns.push(pattern),
            None => messages.push((message, vec![pattern])),
        }
        bytes = &bytes[used..];
    }
    messages.iter_mut().for_each(|(_, patterns)| patterns.sort_unstable());
    messages
}

/// Compares several unsubscribe messages, each with a channel and the number of remaining ones: the channels come in
/// any order.
fn same_farewells(ours: &[u8], theirs: &[u8]) -> bool {
    let (mut ours, mut theirs) = (farewells(ours), farewells(theirs));
    let counts = |farewells: &[(String, String)]| farewells.iter().map(|(_, count)| count.clone()).collect::<Vec<_>>();
    let same_counts = counts(&ours) == counts(&theirs);
    ours.iter_mut().chain(&mut theirs).for_each(|(_, count)| count.clear());
    ours.sort_unstable();
    theirs.sort_unstable();
    same_counts && ours == theirs
}

/// Each message without its count, and the count.
fn farewells(mut bytes: &[u8]) -> Vec<(String, String)> {
    let mut farewells = Vec::new();
    while let Ok(Some((value, used))) = read(bytes) {
        let (Value::Array(parts) | Value::Push(parts)) = &value else { break };
        let Some((count, name)) = parts.split_last() else { break };
        farewells.push((format!("{name:?}"), format!("{count:?}")));
        bytes = &bytes[used..];
    }
    farewells
}

fn same_value(argv: &[Vec<u8>], ours: &Value<'_>, theirs: &Value<'_>, allowed: &Tally) -> bool {
    matches(mode_of(argv), ours, theirs) || allowed.covers(&Case { argv, ours, theirs })
}

/// Canonical form of a double.
pub type Digits = fn(f64) -> String;

/// The shortest digits that say which double it is.
pub fn shortest(number: f64) -> String {
    format!("{number:?}")
}

/// Number of decimals that 7.0 prints of a coordinate.
pub fn seventeen_decimals(number: f64) -> String {
    format!("{number:.17}")
}

/// True when the replies are equal once all doubles have their canonical form.
pub fn same_but_for_digits(mode: Mode, digits: Digits, ours: &Value<'_>, theirs: &Value<'_>) -> bool {
    let (mut our_bytes, mut their_bytes) = (Vec::new(), Vec::new());
    write_rounded(ours, digits, &mut our_bytes);
    write_rounded(theirs, digits, &mut their_bytes);
    let (Ok(Some((ours, _))), Ok(Some((theirs, _)))) = (read(&our_bytes), read(&their_bytes)) else { return false };
    matches(mode, &ours, &theirs)
}

/// The reply with every double in another form.
fn write_rounded(value: &Value<'_>, digits: Digits, out: &mut Vec<u8>) {
    let all = |kind: &str, values: &[Value<'_>], out: &mut Vec<u8>| {
        out.extend(format!("{kind}{}\r\n", values.len()).into_bytes());
        values.iter().for_each(|value| write_rounded(value, digits, out));
    };
    match value {
        Value::Bulk(text) | Value::Double(text) => {
            let text = rounded(text, digits).unwrap_or_else(|| text.to_vec());
            out.extend(format!("${}\r\n", text.len()).into_bytes());
            out.extend(text);
            out.extend(b"\r\n");
        }
        Value::Array(values) | Value::Push(values) => all("*", values, out),
        Value::Set(values) => all("~", values, out),
        Value::Map(pairs) => {
            out.extend(format!("*{}\r\n", pairs.len() * 2).into_bytes());
            pairs
                .iter()
                .for_each(|(key, value)| [key, value].into_iter().for_each(|value| write_rounded(value, digits, out)));
        }
        Value::Integer(value) => out.extend(format!(":{value}\r\n").into_bytes()),
        Value::Null => out.extend(b"$-1\r\n"),
        Value::NullArray => out.extend(b"*-1\r\n"),
        other => out.extend(format!("+{other:?}\r\n").into_bytes()),
    }
}

fn rounded(text: &[u8], digits: Digits) -> Option<Vec<u8>> {
    let number: f64 = std::str::from_utf8(text).ok()?.parse().ok()?;
    // 7.0 prints the sign of a negative zero; the engine prints zero.
    let number = if number == 0.0 { 0.0 } else { number };
    Some(digits(number).into_bytes())
}

/// Messages as redis-cli prints them, cut where they are long.
pub fn printed(mut bytes: &[u8]) -> String {
    const LINES_MAX: usize = 40;
    let mut lines = Vec::new();
    while let Ok(Some((value, used))) = read(bytes) {
        print(&value, &mut lines);
        bytes = &bytes[used..];
    }
    if !bytes.is_empty() {
        lines.push(format!("(no reply) {}", bytes.escape_ascii()));
    }
    if lines.is_empty() {
        lines.push("(nothing came)".to_owned());
    }
    lines.truncate(LINES_MAX);
    lines.join("\n")
}
