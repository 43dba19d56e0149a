//! Closes every gate by the means of a client or host. Checks replies and routes of GET and SET while it is closed, and
//! that it opens when its state ends.

extern crate std;

use crate::keyspace::lists;
use alloc::string::String;
use alloc::vec::Vec;
use std::process::Command;

use super::{Engine, Gates};
use crate::base::argv::Argv;
use crate::base::clock::Timestamp;
use crate::base::headroom::{Reserve, set_reserve};
use crate::commands::resolve;
use crate::server::clients::ClientId;
use crate::values::End;

/// Route of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Route {
    /// The handler ran.
    Ran,
    /// The command was called and failed.
    Failed,
    /// The request was refused without a call.
    Refused,
    /// The command was queued for EXEC.
    Queued,
    /// The client was blocked with the command.
    Blocked,
    /// The request was queued after the blocked command of its client.
    QueuedAfterBlocked,
    /// The request was ignored.
    Ignored,
}
use Route::{Blocked, Failed, Ignored, Queued, QueuedAfterBlocked, Ran, Refused};

struct Harness {
    engine: Engine,
    client: ClientId,
    other: ClientId,
}

impl Harness {
    /// Creates an engine with a key `k` and two clients, with all gates open.
    fn new() -> Harness {
        let mut engine = Engine::new(1);
        engine.set_now(Timestamp::from_ms(1_000));
        let (client, other) = (engine.connect(), engine.connect());
        let mut harness = Harness { engine, client, other };
        assert_eq!(harness.run_line("SET k v"), "+OK\r\n");
        assert_eq!(harness.gates(), Gates::default());
        harness
    }

    fn gates(&mut self) -> Gates {
        self.engine.gates_for(self.client)
    }

    fn run_line(&mut self, line: &str) -> String {
        self.run_line_as(self.client, line)
    }

    fn run_line_as(&mut self, client: ClientId, line: &str) -> String {
        let mut out = Vec::new();
        let argv = Argv::from_slices(&line.split(' ').collect::<Vec<_>>());
        self.engine.execute_now(client, argv.as_ref(), &mut out);
        String::from_utf8(out).unwrap()
    }

    fn outbox(&mut self, client: ClientId) -> String {
        String::from_utf8(core::mem::take(&mut self.engine.clients.get_mut(client).unwrap().outbox)).unwrap()
    }

    fn wait_ms(&mut self, ms: i64) {
        self.engine.set_now(self.engine.now().saturating_add_ms(ms));
    }

    /// Number of bytes of a stream with one GET that the fast path serves.
    fn run_bytes(&mut self) -> usize {
        self.engine.run_strings(self.client, b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", 1, 100, &mut Vec::new()).bytes
    }

    /// Runs a request; returns its reply, and its route as found from statistics and client state.
    fn request(&mut self, line: &str) -> (String, Route) {
        let (before, reply, after) = (self.counts(line), self.run_line(line), self.counts(line));
        let grown: Vec<usize> = (0..after.len()).filter(|&index| after[index] > before[index]).collect();
        let route = match *grown {
            [0] => Ran,
            [0, 1] => Failed,
            [2] => Refused,
            [3] => Queued,
            [4] => Blocked,
            [5] => QueuedAfterBlocked,
            [] => Ignored,
            _ => panic!("{line}: {before:?}, then {after:?}"),
        };
        assert_eq!(self.engine.ran().is_some(), matches!(route, Ran | Failed), "{line}");
        (reply, route)
    }

    /// Numbers of calls, failures and refusals of the command, and of requests kept for the client.
    fn counts(&mut self, line: &str) -> [u64; 6] {
        let name = line.split(' ').next().unwrap();
        let (number, _) = resolve(&self.engine.table, Argv::from_slices(&[name]).as_ref()).unwrap();
        let stats = self.engine.server.stats.command(number).clone();
        let client = self.engine.clients.get(self.client).unwrap();
        let queued = client.transaction.as_ref().map_or(0, |transaction| transaction.queue.len());
        let kept = [queued, usize::from(client.is_blocked()), client.waiting.len()].map(|count| count as u64);
        [stats.calls, stats.failed, stats.rejected, kept[0], kept[1], kept[2]]
    }
}

type Step = fn(&mut Harness);
type Expected = (&'static str, Route);

const VALUE: Expected = ("$1\r\nv\r\n", Ran);
const OK: Expected = ("+OK\r\n", Ran);
const OOM: &str = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
/// Reply of BLPOP.
const POPPED: &str = "*2\r\n$4\r\nlist\r\n$1\r\nx\r\n";

/// Checks the gates closed by `close`, the replies and routes of `GET k` and `SET k w`, and that the gates are open
/// after `open`. `open` also checks other results of the two commands.
fn check(gates: Gates, close: Step, get: Expected, set: Expected, open: Step) {
    for (line, expected) in [("GET k", get), ("SET k w", set)] {
        let mut harness = Harness::new();
        close(&mut harness);
        assert_eq!(harness.gates(), gates, "{line}");
        assert_eq!(harness.run_bytes(), 0, "a stream runs past {gates:?}");
        let (reply, route) = harness.request(line);
        let reply = reply.replace(" in this context\r\n", "");
        assert_eq!((&*reply, route), expected, "{line} past {gates:?}");
        open(&mut harness);
        assert_eq!(harness.gates(), Gates::default(), "{gates:?} stays closed after {line}");
        assert!(harness.run_bytes() > 0);
        let (reply, route) = harness.request("GET k");
        assert!(reply.starts_with("$1\r\n") && route == Ran, "{gates:?} after {line}: {reply}");
    }
}

#[test]
fn due_keys_are_removed_before_a_command() {
    let close: Step = |harness| {
        harness.run_line("SET due x PX 5");
        harness.wait_ms(5);
        assert_eq!(harness.gates(), Gates::default());
        harness.wait_ms(1);
    };
    check(Gates::DUE, close, VALUE, OK, |harness| assert_eq!(harness.engine.keyspace.database(0).len(), 1));
}

#[test]
fn memory_of_deleted_values_is_given_back_before_a_command() {
    let close: Step = |harness| {
        harness.run_line("SETRANGE large 100000 x");
        harness.run_line("DEL large");
    };
    check(Gates::GARBAGE, close, VALUE, OK, |harness| assert!(!harness.engine.keyspace.has_garbage()));
}

#[test]
fn blocked_clients_are_served_before_a_command() {
    let close: Step = |harness| {
        harness.run_line_as(harness.other, "BLPOP list 0");
        // Equivalent to `Keylatch::keyspace`.
        harness.engine.mark_stale();
        let mut txn = harness.engine.keyspace.at(0, Timestamp::from_ms(1_000));
        lists::push(&mut txn, b"list", End::Tail, core::iter::once(&b"x"[..])).unwrap();
    };
    check(Gates::PENDING, close, VALUE, OK, |harness| assert_eq!(harness.outbox(harness.other), POPPED));
}

#[test]
fn a_pause_blocks_what_writes_until_it_ends() {
    let close: Step = |harness| drop(harness.run_line_as(harness.other, "CLIENT PAUSE 10 WRITE"));
    let open: Step = |harness| {
        let was_blocked = harness.engine.clients.get(harness.client).unwrap().is_blocked();
        harness.run_line_as(harness.other, "CLIENT UNPAUSE");
        assert_eq!(harness.outbox(harness.client), if was_blocked { "+OK\r\n" } else { "" });
    };
    check(Gates::PAUSED, close, VALUE, ("", Blocked), open);
    let close: Step = |harness| {
        harness.run_line_as(harness.other, "CLIENT PAUSE 10 WRITE");
        harness.wait_ms(10);
    };
    check(Gates::PAUSED | Gates::PENDING, close, VALUE, OK, |_| {});
}

#[test]
fn monitors_are_shown_a_command() {
    let close: Step = |harness| drop(harness.run_line_as(harness.other, "MONITOR"));
    let reset: Step = |harness| {
        assert!(harness.outbox(harness.other).contains("\"k\""));
        harness.run_line_as(harness.other, "RESET");
    };
    check(Gates::MONITORED, close, VALUE, OK, reset);
    check(Gates::MONITORED, close, VALUE, OK, |harness| harness.engine.disconnect(harness.other));
}

#[test]
fn what_grows_memory_is_refused_past_its_limit() {
    let close: Step = |harness| harness.engine.configure("maxmemory", "1").unwrap();
    let open: Step = |harness| harness.engine.configure("maxmemory", "0").unwrap();
    check(Gates::OVER_LIMIT, close, VALUE, (OOM, Refused), open);
}

/// Runs in a process of its own, because the reserve belongs to the process.
#[test]
fn what_keeps_memory_is_refused_while_the_reserve_is_not_whole() {
    const CHILD: &str = "KEYLATCH_TEST_OF_RESERVE";
    if std::env::var_os(CHILD).is_none() {
        let this = "engine::gates::tests::what_keeps_memory_is_refused_while_the_reserve_is_not_whole";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let output = child.args([this, "--exact", "--nocapture"]).env(CHILD, "1").output().unwrap();
        let printed = String::from_utf8_lossy(&output.stdout);
        return assert!(output.status.success() && printed.contains("1 passed"), "{printed}");
    }
    let open: Step = |_| set_reserve(Reserve::Whole);
    check(Gates::RESERVE, |_| set_reserve(Reserve::Begun), VALUE, (OOM, Failed), open);
    check(Gates::RESERVE, |_| set_reserve(Reserve::Spent), VALUE, (OOM, Failed), open);
}

#[test]
fn a_client_to_be_closed_or_gone_is_ignored() {
    let open: Step = |harness| {
        harness.engine.disconnect(harness.client);
        assert_eq!(harness.gates(), Gates::CLOSING);
        assert_eq!(harness.run_line("GET k"), "");
        harness.client = harness.engine.connect();
    };
    check(Gates::CLOSING, |harness| drop(harness.run_line("QUIT")), ("", Ignored), ("", Ignored), open);
}

#[test]
fn what_a_blocked_client_sends_waits() {
    let open: Step = |harness| {
        harness.run_line_as(harness.other, "RPUSH list x");
        let replies = harness.outbox(harness.client);
        assert!([VALUE.0, OK.0].contains(&replies.strip_prefix(POPPED).unwrap()), "{replies}");
    };
    check(
        Gates::BLOCKED,
        |harness| drop(harness.run_line("BLPOP list 0")),
        ("", QueuedAfterBlocked),
        ("", QueuedAfterBlocked),
        open,
    );
}

#[test]
fn a_transaction_queues() {
    let queued = ("+QUEUED\r\n", Queued);
    let open: Step = |harness| {
        let reply = harness.run_line("EXEC");
        assert!(["*1\r\n$1\r\nv\r\n", "*1\r\n+OK\r\n"].contains(&&*reply), "{reply}");
    };
    check(Gates::MULTI, |harness| drop(harness.run_line("MULTI")), queued, queued, open);
}

#[test]
fn the_password_comes_first() {
    let refused = ("-NOAUTH Authentication required.\r\n", Refused);
    let close: Step = |harness| {
        harness.engine.configure("requirepass", "secret").unwrap();
        harness.client = harness.engine.connect();
    };
    check(Gates::UNAUTHENTICATED, close, refused, refused, |harness| drop(harness.run_line("AUTH secret")));
}

#[test]
fn a_subscriber_over_resp2_may_send_little_else() {
    const GET: &str =
        "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed";
    const SET: &str =
        "-ERR Can't execute 'set': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed";
    let (close, open): (Step, Step) =
        (|harness| drop(harness.run_line("SUBSCRIBE c")), |harness| drop(harness.run_line("UNSUBSCRIBE")));
    check(Gates::SUBSCRIBED, close, (GET, Refused), (SET, Refused), open);
}

#[test]
fn replies_are_left_out() {
    let (off, on): (Step, Step) =
        (|harness| drop(harness.run_line("CLIENT REPLY OFF")), |harness| drop(harness.run_line("CLIENT REPLY ON")));
    check(Gates::REPLY_MODE, off, ("", Ran), ("", Ran), on);
    check(Gates::REPLY_MODE, |harness| drop(harness.run_line("CLIENT REPLY SKIP")), ("", Ran), ("", Ran), |_| {});
}

#[test]
fn changes_by_other_means_than_commands_have_the_gates_found_anew() {
    let changes: [(Step, Gates); 4] = [
        (|harness| harness.engine.configure("maxmemory", "1").unwrap(), Gates::OVER_LIMIT),
        (|harness| harness.engine.set_now(Timestamp::from_ms(1)), Gates::default()),
        (|harness| harness.engine.disconnect(harness.other), Gates::default()),
        (|harness| harness.engine.mark_stale(), Gates::default()),
    ];
    for (change, found) in changes {
        let mut harness = Harness::new();
        change(&mut harness);
        assert_eq!(harness.engine.gates, Gates::STALE);
        assert_eq!(harness.gates(), found);
        assert_eq!(harness.engine.gates, found);
        assert_eq!(harness.request("GET k"), (VALUE.0.into(), Ran));
    }
}
