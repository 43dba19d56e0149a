//! The engine while the host's allocator has begun its reserve: commands that would grow memory are refused, all others
//! run. The reserve belongs to the process, so these tests have a process of their own, and run one after another.

use std::sync::{Mutex, MutexGuard};

use keylatch::internals::{Reserve, set_reserve};
use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Clock, Connection, Keylatch, Limits, ManualClock, Options};

static TURN: Mutex<()> = Mutex::new(());
const OOM: &str = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";

struct Fixture {
    engine: Keylatch<ManualClock>,
    client: ClientId,
    _turn: MutexGuard<'static, ()>,
}

impl Drop for Fixture {
    fn drop(&mut self) {
        set_reserve(Reserve::Whole);
    }
}

impl Fixture {
    fn new() -> Fixture {
        let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
        let client = engine.connect();
        let mut fixture = Fixture { engine, client, _turn: turn };
        fixture.run("MSET k v other w");
        fixture
    }

    fn run(&mut self, line: &str) -> String {
        self.run_as(self.client, line)
    }

    fn run_as(&mut self, client: ClientId, line: &str) -> String {
        let mut reply = Vec::new();
        self.engine.execute(client, Argv::from_slices(&line.split(' ').collect::<Vec<_>>()).as_ref(), &mut reply);
        String::from_utf8(reply).unwrap()
    }
}

#[test]
fn what_grows_memory_is_refused_until_the_reserve_is_whole_again() {
    let mut fixture = Fixture::new();
    for left in [Reserve::Begun, Reserve::Spent] {
        set_reserve(left);
        for line in ["SET k x", "SET new x", "MSET a b", "LPUSH l x", "WATCH k", "SUBSCRIBE c", "CLIENT TRACKING ON"] {
            assert_eq!(fixture.run(line), OOM, "{line}");
        }
        assert!(!fixture.engine.has_room_for_client());
        assert_eq!(fixture.run("GET k"), "$1\r\nv\r\n");
        assert_eq!(fixture.run("TTL k"), ":-1\r\n");
        assert!(fixture.run("INFO").contains("used_memory"));
    }
    assert_eq!(fixture.run("DEL other"), ":1\r\n");
    set_reserve(Reserve::Whole);
    assert_eq!(fixture.run("SET k x"), "+OK\r\n");
    assert!(fixture.engine.has_room_for_client());
}

#[test]
fn commands_of_one_chunk_are_asked_one_by_one() {
    let mut fixture = Fixture::new();
    let mut connection = Connection::new(fixture.client, Limits::default());
    let mut feed = |fixture: &mut Fixture, text: &str| {
        let mut out = Vec::new();
        connection.feed(&mut fixture.engine, text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(feed(&mut fixture, "SET k x\r\nGET k\r\n"), "+OK\r\n$1\r\nx\r\n");
    set_reserve(Reserve::Begun);
    assert_eq!(feed(&mut fixture, "SET k y\r\nGET k\r\nDEL k\r\n"), format!("{OOM}$1\r\nx\r\n:1\r\n"));
}

#[test]
fn nothing_is_queued_and_no_client_is_blocked() {
    let mut fixture = Fixture::new();
    let mut transaction = |left, lines: &[&str]| {
        set_reserve(Reserve::Whole);
        let (early, late) = lines.split_at(2);
        early.iter().for_each(|line| drop(fixture.run(line)));
        set_reserve(left);
        late.iter().map(|line| fixture.run(line)).collect::<Vec<_>>()
    };
    assert_eq!(
        transaction(Reserve::Begun, &["MULTI", "SET k x", "GET k", "EXEC"]),
        [OOM, "-EXECABORT Transaction discarded because of previous errors.\r\n"]
    );
    let mixed = transaction(Reserve::Begun, &["MULTI", "SET k x", "EXEC", "GET k"]);
    assert_eq!(mixed, [format!("*1\r\n{OOM}"), "$1\r\nv\r\n".into()]);
    assert_eq!(fixture.run("BLPOP nothing 0"), OOM);
    assert_eq!(fixture.run("PING"), "+PONG\r\n");
}

#[test]
fn a_subscriber_whose_message_finds_no_memory_is_closed() {
    let mut fixture = Fixture::new();
    let subscriber = fixture.engine.connect();
    fixture.run_as(subscriber, "SUBSCRIBE c");
    set_reserve(Reserve::Begun);
    assert_eq!(fixture.run("PUBLISH c x"), ":1\r\n");
    assert!(!fixture.engine.take_outbox(subscriber).is_empty());
    assert!(!fixture.engine.client(subscriber).unwrap().closing);
    set_reserve(Reserve::Spent);
    fixture.run("PUBLISH c x");
    assert!(fixture.engine.take_outbox(subscriber).is_empty());
    assert!(fixture.engine.client(subscriber).unwrap().closing);
    assert_eq!(fixture.engine.take_affected(), [subscriber]);
}

#[test]
fn expiry_without_memory_for_events_does_not_make_a_host_spin() {
    const MINUTE_MS: i64 = 60_000;
    let mut fixture = Fixture::new();
    fixture.engine.listen(true);
    (0..1000).for_each(|number| drop(fixture.run(&format!("SET key:{number} v PX 5"))));
    fixture.engine.take_events();
    fixture.engine.clock_mut().advance(10);
    set_reserve(Reserve::Spent);
    // A host that sleeps until something is due, for a minute.
    let (mut wakings, end_ms) = (0, SESSION_START.as_ms() + MINUTE_MS);
    while let Some(due) = fixture.engine.next_deadline().filter(|due| due.as_ms() < end_ms) {
        let slept_ms = (due.as_ms() - fixture.engine.clock_mut().now().as_ms()).max(0);
        fixture.engine.clock_mut().advance(slept_ms);
        fixture.engine.tick();
        wakings += 1;
        assert!(wakings <= 1_000, "it is woken over and over");
    }
    assert!(wakings >= 500, "it tries again: {wakings}");
    assert!(fixture.engine.take_events().is_empty());
    assert_ne!(fixture.run("GET key:1"), "$1\r\nv\r\n", "dead is dead");

    set_reserve(Reserve::Whole);
    let due = fixture.engine.next_deadline().expect("there is much to do");
    assert!(due.as_ms() - fixture.engine.now().as_ms() <= 100);
    fixture.engine.clock_mut().advance(100);
    let mut ticks = 0;
    while fixture.engine.next_deadline().is_some() {
        fixture.engine.tick();
        ticks += 1;
    }
    assert_eq!((ticks, fixture.engine.take_events().len()), (4, 1000), "as if nothing had been");
}

#[test]
fn without_the_active_expire_cycle_due_keys_wake_no_host_and_are_expired_on_access() {
    let mut fixture = Fixture::new();
    fixture.run("DEBUG SET-ACTIVE-EXPIRE 0");
    fixture.run("SET k v PX 5");
    fixture.engine.clock_mut().advance(10);
    fixture.engine.tick();
    assert_eq!(fixture.engine.next_deadline(), None);
    assert_eq!(fixture.run("GET k"), "$-1\r\n");
    fixture.run("SET k v PX 5");
    fixture.engine.clock_mut().advance(10);
    assert_eq!(fixture.run("GET k"), "$-1\r\n", "the clock is asked");
}

#[test]
fn a_change_without_memory_for_its_event_does_not_happen() {
    let mut fixture = Fixture::new();
    fixture.engine.listen(true);
    set_reserve(Reserve::Begun);
    assert_eq!(fixture.run("DEL other"), ":1\r\n");
    assert_eq!(fixture.engine.take_events().len(), 1);
    set_reserve(Reserve::Spent);
    assert_eq!(fixture.run("DEL k"), OOM);
    assert!(fixture.engine.take_events().is_empty());
    fixture.engine.listen(false);
    assert_eq!(fixture.run("DEL k"), ":1\r\n");
}
