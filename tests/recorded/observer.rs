//! The requests at the end of a block, for counters and for the state of clients.

use keylatch::internals::resp::read::{Value, read};

/// Sections of INFO with their lines in any order: the order is that of the table, which may change.
pub const SECTIONS: [&str; 6] =
    ["INFO stats", "INFO commandstats", "INFO keyspace", "INFO errorstats", "INFO latencystats", "INFO clients"];
pub const LOOKS: [&str; 11] = [
    "SLOWLOG GET 3",
    "CLIENT LIST",
    "CLIENT INFO",
    "SELECT 1",
    "DBSIZE",
    "RANDOMKEY",
    "SELECT 9",
    "DBSIZE",
    "SELECT 0",
    "DBSIZE",
    "RANDOMKEY",
];

/// The lines of a reply of INFO, sorted. Only recorded commands were called, so rows added later have no line here.
pub fn sorted_lines(reply: &[u8]) -> Vec<u8> {
    let text = match read(reply) {
        Ok(Some((Value::Bulk(text), _))) => text.to_vec(),
        _ => reply.to_vec(),
    };
    let text = String::from_utf8_lossy(&text).into_owned();
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    lines.join("\r\n").into_bytes()
}
