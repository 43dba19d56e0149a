//! CONFIG SET of every parameter that both sides have, with unusual, extreme and invalid values: compares the replies
//! and the values of CONFIG GET.

use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options};

use super::redis::Server;

/// Parameters without a meaning here, or with values that depend on the machine.
const LEFT_OUT: &[&str] = &["activedefrag", "appendonly", "bind", "maxclients", "port"];
/// Parameters with accepted values that changed in a newer version: words, letters, samples.
const NEWER: &[&str] = &["loglevel", "maxmemory-policy", "maxmemory-samples", "notify-keyspace-events"];

const VALUES: &[&str] = &[
    "",
    " ",
    "0",
    "1",
    "-1",
    "-0",
    "2",
    "-2",
    "-6",
    "+5",
    "05",
    " 5",
    "5 ",
    "5x",
    "0x10",
    "1e1",
    "1.5",
    "x",
    "yes",
    "NO",
    "on",
    "true",
    "64",
    "65",
    "100",
    "101",
    "500",
    "501",
    "1000000",
    "1k",
    "1kb",
    "1KB",
    "1 kb",
    "kb",
    "2Mb",
    "1g",
    "1gb",
    "1t",
    "1b",
    "-1k",
    "10%",
    "0%",
    "100%",
    "101%",
    "-1%",
    "+1%",
    "%",
    "1.5%",
    "10 %",
    "2147483647",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "9223372036854775808",
    "18446744073709551615",
    "99999999999999999999",
    "-9223372036854775808",
    "-9223372036854775809",
    "17179869184gb",
    "99999999999gb",
    "everysec",
    "ALWAYS",
    "3600 1",
    "3600 1 +300 100",
    "0 0",
    "-1 1",
    "3600 -1",
    "3600  1",
    "1 4294967297",
    "normal 0 0 0",
    "slave 1mb 1mb 60",
    "REPLICA 2mb 1k 5",
    "master 0 0 0",
    "normal 0 0",
    "normal -1 0 0",
    "normal 1x 2 3",
    "pubsub 0 0 +5 normal 1 2 3",
    "normal 1 2 3 pubsub x 0 0",
    "pubsub 0 0 -1",
    "50 99 99.90",
    "100.1",
    "-0.5 5",
    "50 x",
    "nan",
    "inf",
    "0.0000001",
    "99.9999999",
    "/nowhere",
    "a'b",
    "a\nb",
];

/// Requests about several parameters, or none.
const REQUESTS: &[&[&str]] = &[
    &["CONFIG", "SET"],
    &["CONFIG", "SET", "hz"],
    &["CONFIG", "SET", "hz", "10", "timeout"],
    &["CONFIG", "SET", "HZ", "x"],
    &["CONFIG", "SET", "hz", "10", "HZ", "11"],
    &["CONFIG", "SET", "hz", "7", "hz", "x"],
    &["CONFIG", "SET", "hz", "x", "nope", "1"],
    &["CONFIG", "SET", "hz", "x", "databases", "1"],
    &["CONFIG", "SET", "databases", "1", "nope", "1"],
    &["CONFIG", "SET", "hz", "x", "maxmemory", "x"],
    &["CONFIG", "SET", "hz", "20", "maxmemory", "x"],
    &["CONFIG", "SET", "hash-max-ziplist-entries", "5", "hash-max-listpack-entries", "6"],
    &["CONFIG", "GET", "hash-max-listpack-entries"],
    &["CONFIG", "SET", "", ""],
    &["CONFIG", "SET", "h\nz", "1"],
    &["CONFIG", "GET", "hz"],
    &["CONFIG", "GET", "HZ", "hz", "h*z"],
    &["CONFIG", "GET", "h*z", "HZ"],
    &["CONFIG", "GET", "H?"],
    &["CONFIG", "GET", "\\hz"],
    &["CONFIG", "GET", ""],
];

/// The engine and the server.
struct Both<'s> {
    engine: Keylatch<ManualClock>,
    client: ClientId,
    server: &'s mut Server,
    differences: Vec<String>,
}

impl Both<'_> {
    fn ours(&mut self, request: &[&str]) -> String {
        let mut reply = Vec::new();
        self.engine.execute(self.client, Argv::from_slices(request).as_ref(), &mut reply);
        String::from_utf8_lossy(&reply).into_owned()
    }

    /// True when a request succeeded.
    fn compare(&mut self, request: &[&str]) -> bool {
        let theirs = String::from_utf8_lossy(&self.server.run(request)).into_owned();
        let ours = self.ours(request);
        if ours != theirs {
            self.differences.push(format!("{request:?}\n  ours   {ours:?}\n  theirs {theirs:?}"));
        }
        theirs == "+OK\r\n"
    }

    /// Sets a parameter to every value, starting from its default each time.
    fn try_values(&mut self, name: &str, default: &str) {
        for value in VALUES {
            if self.compare(&["CONFIG", "SET", name, value]) {
                self.compare(&["CONFIG", "GET", name]);
                self.compare(&["CONFIG", "SET", name, default]);
            }
        }
    }
}

/// The differences, and the number of compared parameters.
pub fn compare(server: &mut Server) -> (Vec<String>, usize) {
    let mut engine = Keylatch::new(Options { seed: 1 }, ManualClock::new(SESSION_START));
    let client = engine.connect();
    let mut both = Both { engine, client, server, differences: Vec::new() };
    // `*COUNT`, and for each parameter the length of its name, the name, the length of its value, the value.
    let all = both.ours(&["CONFIG", "GET", "*"]);
    let lines: Vec<&str> = all.split("\r\n").skip(1).collect();
    let parameters: Vec<(&str, &str)> = lines.chunks_exact(4).map(|lines| (lines[1], lines[3])).collect();
    let mut compared = 0;
    for (name, default) in parameters {
        let is_known = both.server.run_line(&format!("CONFIG GET {name}")) != "*0\r\n";
        if is_known && !LEFT_OUT.contains(&name) && !NEWER.contains(&name) {
            both.server.run(&["CONFIG", "SET", name, default]);
            both.try_values(name, default);
            compared += 1;
        }
    }
    for request in REQUESTS {
        both.compare(request);
    }
    (both.differences, compared)
}
