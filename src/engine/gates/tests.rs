//! Closes every gate by the means a client or a host has, and shows what a GET and a SET answer then and which route they
//! take, and that the gate opens when its state ends.

extern crate std;

use alloc::string::String;
use alloc::vec::Vec;
use std::process::Command;

use super::{Engine, Gates};
use crate::argv::Argv;
use crate::client::ClientId;
use crate::clock::Timestamp;
use crate::command::resolve;
use crate::memory::{Reserve, tell_reserve};
use crate::value::End;

/// What became of a request.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Route {
    /// The handler ran.
    Ran,
    /// The command was called, and failed in front of its handler or in it.
    Failed,
    /// An error was answered in place of a call.
    Refused,
    /// Kept for EXEC.
    Queued,
    /// The client is blocked with it.
    Blocked,
    /// Kept until the client is blocked no more.
    Behind,
    /// Nothing was done.
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
        let words: Vec<&str> = line.split(' ').collect();
        self.engine.execute_now(client, Argv::from_slices(&words).as_ref(), &mut out);
        String::from_utf8(out).unwrap()
    }

    fn outbox(&mut self, client: ClientId) -> String {
        String::from_utf8(core::mem::take(&mut self.engine.clients.get_mut(client).unwrap().outbox)).unwrap()
    }

    fn wait_ms(&mut self, ms: i64) {
        self.engine.set_now(self.engine.now().saturating_add_ms(ms));
    }

    fn configure(&mut self, name: &str, value: &str) {
        self.engine.configure(name, value).unwrap();
    }

    fn keys(&self) -> usize {
        self.engine.keyspace.database(0).len()
    }

    /// The reply to a request, and its route, as counts and the client show it.
    fn ask(&mut self, line: &str) -> (String, Route) {
        let before = self.counts(line);
        let reply = self.say(line);
        let after = self.counts(line);
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
        let kept = [queued, usize::from(client.is_parked()), client.waiting.len()].map(|count| count as u64);
        [stats.calls, stats.failed, stats.rejected, kept[0], kept[1], kept[2]]
    }
}

/// A state in which gates are closed.
struct Case {
    gates: Gates,
    /// Brings a scene into the state.
    close: fn(&mut Scene),
    /// What `GET k` and `SET k w` answer, and their route.
    get: (&'static str, Route),
    set: (&'static str, Route),
    /// Checks what else they did, and ends the state.
    open: fn(&mut Scene),
}

const VALUE: (&str, Route) = ("$1\r\nv\r\n", Ran);
const OK: (&str, Route) = ("+OK\r\n", Ran);
const NOTHING: fn(&mut Scene) = |_| {};

impl Case {
    fn check(&self) {
        for (line, expected) in [("GET k", self.get), ("SET k w", self.set)] {
            let mut scene = Scene::new();
            (self.close)(&mut scene);
            assert_eq!(scene.gates(), self.gates, "{line}");
            let (reply, route) = scene.ask(line);
            assert_eq!((&*reply, route), expected, "{line} past {:?}", self.gates);
            (self.open)(&mut scene);
            assert_eq!(scene.gates(), Gates::default(), "{:?} stays closed after {line}", self.gates);
            let (reply, route) = scene.ask("GET k");
            assert!(reply.starts_with("$1\r\n") && route == Ran, "{:?} after {line}: {reply}", self.gates);
        }
    }
}

#[test]
fn due_keys_are_removed_before_a_command() {
    let close = |scene: &mut Scene| {
        scene.say("SET due x PX 5");
        scene.wait_ms(5);
        assert_eq!(scene.gates(), Gates::default());
        scene.wait_ms(1);
    };
    let open = |scene: &mut Scene| assert_eq!(scene.keys(), 1);
    Case { gates: Gates::DUE, close, get: VALUE, set: OK, open }.check();
}

#[test]
fn memory_of_deleted_values_is_given_back_before_a_command() {
    let close = |scene: &mut Scene| {
        scene.say("SETRANGE large 100000 x");
        scene.say("DEL large");
    };
    let open = |scene: &mut Scene| assert!(!scene.engine.keyspace.has_remains());
    Case { gates: Gates::GARBAGE, close, get: VALUE, set: OK, open }.check();
}

#[test]
fn blocked_clients_are_served_before_a_command() {
    let close = |scene: &mut Scene| {
        scene.say_as(scene.other, "BLPOP list 0");
        // What `Keylatch::keyspace` does.
        scene.engine.mark_stale();
        let now = scene.engine.now();
        let element: &[u8] = b"x";
        scene.engine.keyspace.at(0, now).list_push(b"list", End::Tail, core::iter::once(element)).unwrap();
    };
    let open = |scene: &mut Scene| assert_eq!(scene.outbox(scene.other), "*2\r\n$4\r\nlist\r\n$1\r\nx\r\n");
    Case { gates: Gates::PENDING, close, get: VALUE, set: OK, open }.check();
}

#[test]
fn a_pause_blocks_what_writes_until_it_ends() {
    let close = |scene: &mut Scene| drop(scene.say_as(scene.other, "CLIENT PAUSE 10 WRITE"));
    let set = ("", Blocked);
    let end = |scene: &mut Scene| {
        let was_blocked = scene.engine.clients.get(scene.client).unwrap().is_parked();
        scene.say_as(scene.other, "CLIENT UNPAUSE");
        assert_eq!(scene.outbox(scene.client), if was_blocked { "+OK\r\n" } else { "" });
    };
    Case { gates: Gates::PAUSED, close, get: VALUE, set, open: end }.check();
    let over = |scene: &mut Scene| {
        scene.say_as(scene.other, "CLIENT PAUSE 10 WRITE");
        scene.wait_ms(10);
    };
    Case { gates: Gates::PAUSED | Gates::PENDING, close: over, get: VALUE, set: OK, open: NOTHING }.check();
}

#[test]
fn monitors_are_shown_a_command() {
    let close = |scene: &mut Scene| drop(scene.say_as(scene.other, "MONITOR"));
    let open = |scene: &mut Scene| {
        assert!(scene.outbox(scene.other).contains("\"k\""));
        scene.say_as(scene.other, "RESET");
    };
    Case { gates: Gates::MONITORED, close, get: VALUE, set: OK, open }.check();
    Case { gates: Gates::MONITORED, close, get: VALUE, set: OK, open: |scene| scene.engine.disconnect(scene.other) }
        .check();
}

#[test]
fn what_grows_memory_is_refused_past_its_limit() {
    let set = ("-OOM command not allowed when used memory > 'maxmemory'.\r\n", Refused);
    let close = |scene: &mut Scene| scene.configure("maxmemory", "1");
    let open = |scene: &mut Scene| scene.configure("maxmemory", "0");
    Case { gates: Gates::OVER_LIMIT, close, get: VALUE, set, open }.check();
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
    let set = ("-OOM command not allowed when used memory > 'maxmemory'.\r\n", Failed);
    let open = |_: &mut Scene| tell_reserve(Reserve::Whole);
    Case { gates: Gates::RESERVE, close: |_| tell_reserve(Reserve::Begun), get: VALUE, set, open }.check();
    Case { gates: Gates::RESERVE, close: |_| tell_reserve(Reserve::Spent), get: VALUE, set, open }.check();
}

#[test]
fn a_client_to_be_closed_or_gone_is_ignored() {
    let close = |scene: &mut Scene| drop(scene.say("QUIT"));
    let open = |scene: &mut Scene| {
        scene.engine.disconnect(scene.client);
        assert_eq!(scene.gates(), Gates::CLOSING);
        assert_eq!(scene.say("GET k"), "");
        scene.client = scene.engine.connect();
    };
    Case { gates: Gates::CLOSING, close, get: ("", Ignored), set: ("", Ignored), open }.check();
}

#[test]
fn what_a_blocked_client_sends_waits() {
    let open = |scene: &mut Scene| {
        scene.say_as(scene.other, "RPUSH list x");
        let (popped, behind) = ("*2\r\n$4\r\nlist\r\n$1\r\nx\r\n", scene.outbox(scene.client));
        let behind = behind.strip_prefix(popped).unwrap();
        assert!([VALUE.0, OK.0].contains(&behind), "{behind}");
    };
    let close = |scene: &mut Scene| drop(scene.say("BLPOP list 0"));
    Case { gates: Gates::BLOCKED, close, get: ("", Behind), set: ("", Behind), open }.check();
}

#[test]
fn a_transaction_queues() {
    let queued = ("+QUEUED\r\n", Queued);
    let open = |scene: &mut Scene| {
        let reply = scene.say("EXEC");
        assert!(["*1\r\n$1\r\nv\r\n", "*1\r\n+OK\r\n"].contains(&&*reply), "{reply}");
    };
    let close = |scene: &mut Scene| drop(scene.say("MULTI"));
    Case { gates: Gates::MULTI, close, get: queued, set: queued, open }.check();
}

#[test]
fn the_password_comes_first() {
    let refused = ("-NOAUTH Authentication required.\r\n", Refused);
    let close = |scene: &mut Scene| {
        scene.configure("requirepass", "secret");
        scene.client = scene.engine.connect();
    };
    let open = |scene: &mut Scene| assert_eq!(scene.say("AUTH secret"), "+OK\r\n");
    Case { gates: Gates::UNAUTHENTICATED, close, get: refused, set: refused, open }.check();
}

#[test]
fn a_subscriber_over_resp2_may_send_little_else() {
    const GET: &str = "-ERR Can't execute 'get': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed \
                       in this context\r\n";
    const SET: &str = "-ERR Can't execute 'set': only (P|S)SUBSCRIBE / (P|S)UNSUBSCRIBE / PING / QUIT / RESET are allowed \
                       in this context\r\n";
    let close = |scene: &mut Scene| drop(scene.say("SUBSCRIBE c"));
    let open = |scene: &mut Scene| drop(scene.say("UNSUBSCRIBE"));
    Case { gates: Gates::SUBSCRIBED, close, get: (GET, Refused), set: (SET, Refused), open }.check();
}

#[test]
fn replies_are_left_out() {
    let left_out = ("", Ran);
    let close = |scene: &mut Scene| drop(scene.say("CLIENT REPLY OFF"));
    let open = |scene: &mut Scene| drop(scene.say("CLIENT REPLY ON"));
    Case { gates: Gates::REPLY_MODE, close, get: left_out, set: left_out, open }.check();
    let close = |scene: &mut Scene| drop(scene.say("CLIENT REPLY SKIP"));
    Case { gates: Gates::REPLY_MODE, close, get: left_out, set: left_out, open: NOTHING }.check();
}

#[test]
fn what_is_no_command_has_the_gates_found_anew() {
    let changes: [(fn(&mut Scene), Gates); 4] = [
        (|scene| scene.configure("maxmemory", "1"), Gates::OVER_LIMIT),
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
        assert_eq!(scene.ask("GET k"), (String::from("$1\r\nv\r\n"), Ran));
    }
}
