//! What the engine does while the host's allocator has begun its reserve: nothing that would grow memory, everything else.
//! The reserve belongs to the process, so these have a process of their own, and run one after another.

use std::sync::{Mutex, MutexGuard};

use keylatch::internals::{Reserve, set_reserve};
use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Clock, Connection, Keylatch, Limits, ManualClock, Options};

static TURN: Mutex<()> = Mutex::new(());
const OOM: &str = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";

struct Scene {
    engine: Keylatch<ManualClock>,
    client: ClientId,
    _turn: MutexGuard<'static, ()>,
}

impl Drop for Scene {
    fn drop(&mut self) {
        set_reserve(Reserve::Whole);
    }
}

impl Scene {
    fn new() -> Scene {
        let turn = TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(SESSION_START));
        let client = engine.connect();
        let mut scene = Scene { engine, client, _turn: turn };
        scene.say("MSET k v other w");
        scene
    }

    fn say(&mut self, line: &str) -> String {
        self.say_as(self.client, line)
    }

    fn say_as(&mut self, client: ClientId, line: &str) -> String {
        let mut reply = Vec::new();
        self.engine.execute(client, Argv::from_slices(&line.split(' ').collect::<Vec<_>>()).as_ref(), &mut reply);
        String::from_utf8(reply).unwrap()
    }
}

#[test]
fn what_grows_memory_is_refused_until_the_reserve_is_whole_again() {
    let mut scene = Scene::new();
    for left in [Reserve::Begun, Reserve::Spent] {
        set_reserve(left);
        for line in ["SET k x", "SET new x", "MSET a b", "LPUSH l x", "WATCH k", "SUBSCRIBE c", "CLIENT TRACKING ON"] {
            assert_eq!(scene.say(line), OOM, "{line}");
        }
        assert!(!scene.engine.has_room_for_client());
        assert_eq!(scene.say("GET k"), "$1\r\nv\r\n");
        assert_eq!(scene.say("TTL k"), ":-1\r\n");
        assert!(scene.say("INFO").contains("used_memory"));
    }
    assert_eq!(scene.say("DEL other"), ":1\r\n");
    set_reserve(Reserve::Whole);
    assert_eq!(scene.say("SET k x"), "+OK\r\n");
    assert!(scene.engine.has_room_for_client());
}

#[test]
fn commands_of_one_chunk_are_asked_one_by_one() {
    let mut scene = Scene::new();
    let mut connection = Connection::new(scene.client, Limits::default());
    let mut feed = |scene: &mut Scene, text: &str| {
        let mut out = Vec::new();
        connection.feed(&mut scene.engine, text.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    };
    assert_eq!(feed(&mut scene, "SET k x\r\nGET k\r\n"), "+OK\r\n$1\r\nx\r\n");
    set_reserve(Reserve::Begun);
    assert_eq!(feed(&mut scene, "SET k y\r\nGET k\r\nDEL k\r\n"), format!("{OOM}$1\r\nx\r\n:1\r\n"));
}

#[test]
fn nothing_is_queued_and_nobody_is_blocked() {
    let mut scene = Scene::new();
    let mut transaction = |left, lines: &[&str]| {
        set_reserve(Reserve::Whole);
        let (early, late) = lines.split_at(2);
        early.iter().for_each(|line| drop(scene.say(line)));
        set_reserve(left);
        late.iter().map(|line| scene.say(line)).collect::<Vec<_>>()
    };
    assert_eq!(
        transaction(Reserve::Begun, &["MULTI", "SET k x", "GET k", "EXEC"]),
        [OOM, "-EXECABORT Transaction discarded because of previous errors.\r\n"]
    );
    let mixed = transaction(Reserve::Begun, &["MULTI", "SET k x", "EXEC", "GET k"]);
    assert_eq!(mixed, [format!("*1\r\n{OOM}"), "$1\r\nv\r\n".into()]);
    assert_eq!(scene.say("BLPOP nothing 0"), OOM);
    assert_eq!(scene.say("PING"), "+PONG\r\n");
}

#[test]
fn whoever_could_not_be_told_is_closed() {
    let mut scene = Scene::new();
    let subscriber = scene.engine.connect();
    scene.say_as(subscriber, "SUBSCRIBE c");
    set_reserve(Reserve::Begun);
    assert_eq!(scene.say("PUBLISH c x"), ":1\r\n");
    assert!(!scene.engine.take_outbox(subscriber).is_empty());
    assert!(!scene.engine.client(subscriber).unwrap().closing);
    set_reserve(Reserve::Spent);
    scene.say("PUBLISH c x");
    assert!(scene.engine.take_outbox(subscriber).is_empty());
    assert!(scene.engine.client(subscriber).unwrap().closing);
    assert_eq!(scene.engine.take_affected(), [subscriber]);
}

#[test]
fn what_is_due_and_cannot_be_told_makes_no_host_spin() {
    const MINUTE_MS: i64 = 60_000;
    let mut scene = Scene::new();
    scene.engine.listen(true);
    (0..1000).for_each(|number| drop(scene.say(&format!("SET key:{number} v PX 5"))));
    scene.engine.take_events();
    scene.engine.clock_mut().advance(10);
    set_reserve(Reserve::Spent);
    // A host that sleeps until something is due, for a minute.
    let (mut wakings, end_ms) = (0, SESSION_START.as_ms() + MINUTE_MS);
    while let Some(due) = scene.engine.next_deadline().filter(|due| due.as_ms() < end_ms) {
        let slept_ms = (due.as_ms() - scene.engine.clock_mut().now().as_ms()).max(0);
        scene.engine.clock_mut().advance(slept_ms);
        scene.engine.tick();
        wakings += 1;
        assert!(wakings <= 1_000, "it is woken over and over");
    }
    assert!(wakings >= 500, "it tries again: {wakings}");
    assert!(scene.engine.take_events().is_empty());
    assert_ne!(scene.say("GET key:1"), "$1\r\nv\r\n", "dead is dead");

    set_reserve(Reserve::Whole);
    let due = scene.engine.next_deadline().expect("there is much to do");
    assert!(due.as_ms() - scene.engine.now().as_ms() <= 100);
    scene.engine.clock_mut().advance(100);
    let mut ticks = 0;
    while scene.engine.next_deadline().is_some() {
        scene.engine.tick();
        ticks += 1;
    }
    assert_eq!((ticks, scene.engine.take_events().len()), (4, 1000), "as if nothing had been");
}

#[test]
fn keys_that_nobody_sweeps_wake_no_host_and_are_dead_all_the_same() {
    let mut scene = Scene::new();
    scene.say("DEBUG SET-ACTIVE-EXPIRE 0");
    scene.say("SET k v PX 5");
    scene.engine.clock_mut().advance(10);
    scene.engine.tick();
    assert_eq!(scene.engine.next_deadline(), None);
    assert_eq!(scene.say("GET k"), "$-1\r\n");
    scene.say("SET k v PX 5");
    scene.engine.clock_mut().advance(10);
    assert_eq!(scene.say("GET k"), "$-1\r\n", "the clock is asked");
}

#[test]
fn what_nobody_can_be_told_of_does_not_happen() {
    let mut scene = Scene::new();
    scene.engine.listen(true);
    set_reserve(Reserve::Begun);
    assert_eq!(scene.say("DEL other"), ":1\r\n");
    assert_eq!(scene.engine.take_events().len(), 1);
    set_reserve(Reserve::Spent);
    assert_eq!(scene.say("DEL k"), OOM);
    assert!(scene.engine.take_events().is_empty());
    scene.engine.listen(false);
    assert_eq!(scene.say("DEL k"), ":1\r\n");
}
