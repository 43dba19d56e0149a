//! Closes every gate by the means a client or a host has, and shows what a GET and a SET answer then and which route they
//! take, and that the gate opens when its state ends.

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

/// What became of a request: the handler ran; the command was called and failed; an error was answered in place of a call;
/// kept for EXEC; blocked its client; kept behind the command that blocks its client; nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Route {
    Ran,
    Failed,
    Refused,
    Queued,
    Blocked,
    Behind,
    Ignored,
}
use Route::{Behind, Blocked, Failed, Ignored, Queued, Ran, Refused};

struct Scene {
    engine: Engine,
    client: ClientId,
    other: ClientId,
}

impl Scene {
    /// A key `k`, and two clients to which every gate is open.
    fn new() -> Scene {
        let mut engine = Engine::new(1);
        engine.set_now(Timestamp::from_ms(1_000));
        let (client, other) = (engine.connect(), engine.connect());
        let mut scene = Scene { engine, client, other };
        assert_eq!(scene.say("SET k v"), "+OK\r\n");
        assert_eq!(scene.gates(), Gates::default());
        scene
    }

    fn gates(&mut self) -> Gates {
        self.engine.gates_for(self.client)
    }

    fn say(&mut self, line: &str) -> String {
        self.say_as(self.client, line)
    }

    fn say_as(&mut self, client: ClientId, line: &str) -> String {
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

    /// How much of a stream with one GET runs with the gates asked once.
    fn run_bytes(&mut self) -> usize {
        self.engine.run_strings(self.client, b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n", 1, 100, &mut Vec::new()).bytes
    }

    /// The reply to a request, and its route, as counts and the client show it.
    fn ask(&mut self, line: &str) -> (String, Route) {
        let (before, reply, after) = (self.counts(line), self.say(line), self.counts(line));
        let grown: Vec<usize> = (0..after.len()).filter(|&index| after[index] > before[index]).collect();
        let route = match *grown {
            [0] => Ran,
            [0, 1] => Failed,
            [2] => Refused,
            [3] => Queued,
            [4] => Blocked,
            [5] => Behind,
            [] => Ignored,
            _ => panic!("{line}: {before:?}, then {after:?}"),
        };
        assert_eq!(self.engine.ran().is_some(), matches!(route, Ran | Failed), "{line}");
        (reply, route)
    }

    /// How often the command was called, failed and was refused, and what is kept for the client.
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

type Step = fn(&mut Scene);
type Answer = (&'static str, Route);

const VALUE: Answer = ("$1\r\nv\r\n", Ran);
const OK: Answer = ("+OK\r\n", Ran);
const OOM: &str = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";
/// The reply to BLPOP.
const POPPED: &str = "*2\r\n$4\r\nlist\r\n$1\r\nx\r\n";

/// Checks the gates that `close` closes, what `GET k` and `SET k w` answer then and their routes, and that the gates are open
/// after `open`, which also checks what else the two did.
fn check(gates: Gates, close: Step, get: Answer, set: Answer, open: Step) {
    for (line, expected) in [("GET k", get), ("SET k w", set)] {
        let mut scene = Scene::new();
        close(&mut scene);
        assert_eq!(scene.gates(), gates, "{line}");
        assert_eq!(scene.run_bytes(), 0, "a stream runs past {gates:?}");
        let (reply, route) = scene.ask(line);
        let reply = reply.replace(" in this context\r\n", "");
        assert_eq!((&*reply, route), expected, "{line} past {gates:?}");
        open(&mut scene);
        assert_eq!(scene.gates(), Gates::default(), "{gates:?} stays closed after {line}");
        assert!(scene.run_bytes() > 0);
        let (reply, route) = scene.ask("GET k");
        assert!(reply.starts_with("$1\r\n") && route == Ran, "{gates:?} after {line}: {reply}");
    }
}

#[test]
fn due_keys_are_removed_before_a_command() {
    let close: Step = |scene| {
        scene.say("SET due x PX 5");
        scene.wait_ms(5);
        assert_eq!(scene.gates(), Gates::default());
        scene.wait_ms(1);
    };
    check(Gates::DUE, close, VALUE, OK, |scene| assert_eq!(scene.engine.keyspace.database(0).len(), 1));
}

#[test]
fn memory_of_deleted_values_is_given_back_before_a_command() {
    let close: Step = |scene| {
        scene.say("SETRANGE large 100000 x");
        scene.say("DEL large");
    };
    check(Gates::GARBAGE, close, VALUE, OK, |scene| assert!(!scene.engine.keyspace.has_garbage()));
}

#[test]
fn blocked_clients_are_served_before_a_command() {
    let close: Step = |scene| {
        scene.say_as(scene.other, "BLPOP list 0");
        // What `Keylatch::keyspace` does.
        scene.engine.mark_stale();
        let mut txn = scene.engine.keyspace.at(0, Timestamp::from_ms(1_000));
        lists::push(&mut txn, b"list", End::Tail, core::iter::once(&b"x"[..])).unwrap();
    };
    check(Gates::PENDING, close, VALUE, OK, |scene| assert_eq!(scene.outbox(scene.other), POPPED));
}

#[test]
fn a_pause_blocks_what_writes_until_it_ends() {
    let close: Step = |scene| drop(scene.say_as(scene.other, "CLIENT PAUSE 10 WRITE"));
    let open: Step = |scene| {
        let was_blocked = scene.engine.clients.get(scene.client).unwrap().is_blocked();
        scene.say_as(scene.other, "CLIENT UNPAUSE");
        assert_eq!(scene.outbox(scene.client), if was_blocked { "+OK\r\n" } else { "" });
    };
    check(Gates::PAUSED, close, VALUE, ("", Blocked), open);
    let close: Step = |scene| {
        scene.say_as(scene.other, "CLIENT PAUSE 10 WRITE");
        scene.wait_ms(10);
    };
    check(Gates::PAUSED | Gates::PENDING, close, VALUE, OK, |_| {});
}

#[test]
fn monitors_are_shown_a_command() {
    let close: Step = |scene| drop(scene.say_as(scene.other, "MONITOR"));
    let reset: Step = |scene| {
        assert!(scene.outbox(scene.other).contains("\"k\""));
        scene.say_as(scene.other, "RESET");
    };
    check(Gates::MONITORED, close, VALUE, OK, reset);
    check(Gates::MONITORED, close, VALUE, OK, |scene| scene.engine.disconnect(scene.other));
}

#[test]
fn what_grows_memory_is_refused_past_its_limit() {
    let close: Step = |scene| scene.engine.configure("maxmemory", "1").unwrap();
    let open: Step = |scene| scene.engine.configure("maxmemory", "0").unwrap();
    check(Gates::OVER_LIMIT, close, VALUE, (OOM, Refused), open);
}

/// The reserve belongs to the process, so this needs one of its own.
#[test]
fn what_keeps_memory_is_refused_while_the_reserve_is_not_whole() {
    const CHILD: &str = "KEYLATCH_TEST_OF_RESERVE";
    if std::env::var_os(CHILD).is_none() {
        let this = "engine::gates::tests::what_keeps_memory_is_refused_while_the_reserve_is_not_whole";
        let mut child = Command::new(std::env::current_exe().unwrap());
        let output = child.args([this, "--exact", "--nocapture"]).env(CHILD, "1").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        return assert!(output.status.success() && said.contains("1 passed"), "{said}");
    }
    let open: Step = |_| set_reserve(Reserve::Whole);
    check(Gates::RESERVE, |_| set_reserve(Reserve::Begun), VALUE, (OOM, Failed), open);
    check(Gates::RESERVE, |_| set_reserve(Reserve::Spent), VALUE, (OOM, Failed), open);
}

#[test]
fn a_client_to_be_closed_or_gone_is_ignored() {
    let open: Step = |scene| {
        scene.engine.disconnect(scene.client);
        assert_eq!(scene.gates(), Gates::CLOSING);
        assert_eq!(scene.say("GET k"), "");
        scene.client = scene.engine.connect();
    };
    check(Gates::CLOSING, |scene| drop(scene.say("QUIT")), ("", Ignored), ("", Ignored), open);
}

#[test]
fn what_a_blocked_client_sends_waits() {
    let open: Step = |scene| {
        scene.say_as(scene.other, "RPUSH list x");
        let replies = scene.outbox(scene.client);
        assert!([VALUE.0, OK.0].contains(&replies.strip_prefix(POPPED).unwrap()), "{replies}");
    };
    check(Gates::BLOCKED, |scene| drop(scene.say("BLPOP list 0")), ("", Behind), ("", Behind), open);
}

#[test]
fn a_transaction_queues() {
    let queued = ("+QUEUED\r\n", Queued);
    let open: Step = |scene| {
        let reply = scene.say("EXEC");
        assert!(["*1\r\n$1\r\nv\r\n", "*1\r\n+OK\r\n"].contains(&&*reply), "{reply}");
    };
    check(Gates::MULTI, |scene| drop(scene.say("MULTI")), queued, queued, open);
}

#[test]
fn the_password_comes_first() {
    let refused = ("-NOAUTH Authentication required.\r\n", Refused);
    let close: Step = |scene| {
        scene.engine.configure("requirepass", "secret").unwrap();
        scene.client = scene.engine.connect();
    };
    check(Gates::UNAUTHENTICATED, close, refused, refused, |scene| drop(scene.say("AUTH secret")));
}

#[test]
fn a_subscriber_over_resp2_may_send_little_else() {
    const GET: &str =
        "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed";
    const SET: &str =
        "-ERR Can't execute 'set': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed";
    let (close, open): (Step, Step) = (|scene| drop(scene.say("SUBSCRIBE c")), |scene| drop(scene.say("UNSUBSCRIBE")));
    check(Gates::SUBSCRIBED, close, (GET, Refused), (SET, Refused), open);
}

#[test]
fn replies_are_left_out() {
    let (off, on): (Step, Step) =
        (|scene| drop(scene.say("CLIENT REPLY OFF")), |scene| drop(scene.say("CLIENT REPLY ON")));
    check(Gates::REPLY_MODE, off, ("", Ran), ("", Ran), on);
    check(Gates::REPLY_MODE, |scene| drop(scene.say("CLIENT REPLY SKIP")), ("", Ran), ("", Ran), |_| {});
}

#[test]
fn changes_by_other_means_than_commands_have_the_gates_found_anew() {
    let changes: [(Step, Gates); 4] = [
        (|scene| scene.engine.configure("maxmemory", "1").unwrap(), Gates::OVER_LIMIT),
        (|scene| scene.engine.set_now(Timestamp::from_ms(1)), Gates::default()),
        (|scene| scene.engine.disconnect(scene.other), Gates::default()),
        (|scene| scene.engine.mark_stale(), Gates::default()),
    ];
    for (change, found) in changes {
        let mut scene = Scene::new();
        change(&mut scene);
        assert_eq!(scene.engine.gates, Gates::STALE);
        assert_eq!(scene.gates(), found);
        assert_eq!(scene.engine.gates, found);
        assert_eq!(scene.ask("GET k"), (VALUE.0.into(), Ran));
    }
}
