//! An engine with many keys or members: deadlines that pass together, mass deletion, SCAN while tables grow and shrink.
//! Work is counted, not time.

use std::collections::BTreeSet;

use keylatch::internals::resp::read::{Value, read};
use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, EventKind, Keylatch, ManualClock, Options};

/// Maximum number of keys that one tick removes.
const SWEEP_MAX: usize = 256;

struct World {
    engine: Keylatch<ManualClock>,
    client: ClientId,
}

impl World {
    fn new() -> World {
        let mut engine = Keylatch::new(Options { seed: 5 }, ManualClock::new(SESSION_START));
        let client = engine.connect();
        World { engine, client }
    }

    fn run(&mut self, words: &[&str]) -> Vec<u8> {
        let mut out = Vec::new();
        self.engine.execute(self.client, Argv::from_slices(words).as_ref(), &mut out);
        out
    }

    fn len(&mut self) -> usize {
        self.engine.keyspace().database(0).len()
    }

    fn used_bytes(&mut self) -> u64 {
        self.engine.keyspace().counted_bytes()
    }

    /// Reads one page of a SCAN and returns the next cursor. Elements are single or followed by values.
    fn page(&mut self, command: &str, cursor: &str, seen: &mut BTreeSet<String>) -> String {
        let words = if command == "SCAN" { vec!["SCAN", cursor] } else { vec![command, "k", cursor] };
        let reply = self.run(&words);
        let Ok(Some((Value::Array(parts), _))) = read(&reply) else { panic!("{command} answers an array") };
        let [Value::Bulk(next), Value::Array(elements)] = &parts[..] else { panic!("a cursor and elements") };
        for element in elements {
            let Value::Bulk(element) = element else { panic!("an element is a bulk string") };
            seen.insert(String::from_utf8_lossy(element).into_owned());
        }
        String::from_utf8_lossy(next).into_owned()
    }
}

#[test]
fn keys_due_together_go_in_slices_in_the_order_of_their_deadlines() {
    const KEYS: usize = 60_000;
    let mut world = World::new();
    let start_ms = SESSION_START.as_ms();
    // All within one second, in a seemingly random order.
    let deadline_ms = |number: usize| start_ms + 5_000 + (number * 7_919 % 1_000) as i64;
    for number in 0..KEYS {
        world.run(&["SET", &number.to_string(), "v", "PXAT", &deadline_ms(number).to_string()]);
    }
    // An idle engine needs one timer, whatever it contains.
    let first = world.engine.next_deadline().expect("there are deadlines");
    assert_eq!(first.as_ms(), start_ms + 5_001);
    world.engine.listen(true);
    world.engine.clock_mut().advance(10_000);
    let (mut ticks, mut last_ms, mut expired) = (0, 0, BTreeSet::new());
    loop {
        let before = world.len();
        world.engine.tick();
        ticks += 1;
        let removed = before - world.len();
        let events = world.engine.take_events();
        assert!(removed <= SWEEP_MAX && events.len() == removed, "{removed} keys, {} events", events.len());
        for event in events {
            assert_eq!(event.kind, EventKind::Expired);
            let number: usize = String::from_utf8_lossy(&event.key).parse().expect("keys are numbers");
            assert!(deadline_ms(number) >= last_ms, "{number} was due before the one before it");
            last_ms = deadline_ms(number);
            assert!(expired.insert(number), "{number} expired twice");
        }
        match world.engine.next_deadline() {
            None => break,
            // While more is due, the next deadline is immediate.
            due => assert_eq!(due, Some(world.engine.now())),
        }
    }
    assert_eq!((expired.len(), world.len(), world.used_bytes()), (KEYS, 0, 0));
    assert_eq!(ticks, KEYS.div_ceil(SWEEP_MAX));
}

#[test]
fn memory_falls_with_mass_deletion_and_is_used_again() {
    const KEYS: usize = 60_000;
    let mut world = World::new();
    let fill = |world: &mut World| {
        for number in 0..KEYS {
            world.run(&["SET", &format!("user:{number:011}"), "0123456789abcdef0123456789abcdef"]);
        }
        world.used_bytes()
    };
    let full = fill(&mut world);
    for number in (0..KEYS).filter(|number| number % 100 != 0) {
        world.run(&["DEL", &format!("user:{number:011}")]);
    }
    assert_eq!(world.len(), KEYS / 100);
    let left = world.used_bytes();
    assert!(left * 90 < full, "{left} of {full} bytes");
    assert_eq!(fill(&mut world), full);
}

#[test]
fn a_walk_sees_what_stays_while_the_rest_comes_and_goes() {
    const STAYING: usize = 700;
    const PASSING: usize = 3_000;
    for (scan, add, remove) in
        [("SCAN", "SET", "DEL"), ("SSCAN", "SADD", "SREM"), ("HSCAN", "HSET", "HDEL"), ("ZSCAN", "ZADD", "ZREM")]
    {
        let put = |world: &mut World, name: &str| match add {
            "SET" => world.run(&[add, name, "v"]),
            "SADD" => world.run(&[add, "k", name]),
            "HSET" => world.run(&[add, "k", name, "v"]),
            _ => world.run(&[add, "k", "1", name]),
        };
        let take = |world: &mut World, name: &str| match add {
            "SET" => world.run(&[remove, name]),
            _ => world.run(&[remove, "k", name]),
        };
        for growing in [true, false] {
            let mut world = World::new();
            let staying: Vec<String> = (0..STAYING).map(|number| format!("staying:{number}")).collect();
            staying.iter().for_each(|name| drop(put(&mut world, name)));
            let passing: Vec<String> = (0..PASSING).map(|number| format!("passing:{number}")).collect();
            if !growing {
                passing.iter().for_each(|name| drop(put(&mut world, name)));
            }
            let (mut seen, mut cursor, mut pending) = (BTreeSet::new(), "0".to_owned(), passing.iter());
            loop {
                cursor = world.page(scan, &cursor, &mut seen);
                if cursor == "0" {
                    break;
                }
                for name in pending.by_ref().take(70) {
                    if growing {
                        put(&mut world, name)
                    } else {
                        take(&mut world, name)
                    };
                }
            }
            assert!(pending.len() < PASSING, "{scan}: nothing happened between the pages");
            assert!(staying.iter().all(|name| seen.contains(name)), "{scan}, growing: {growing}");
        }
    }
}

/// A buffer that grows by doubling is copied, and takes up to three times the reply meanwhile.
#[test]
fn large_replies_take_little_more_than_their_bytes() {
    let mut world = World::new();
    world.run(&["SETRANGE", "k", "5000000", "x"]);
    let reply = world.run(&["GET", "k"]);
    assert!(reply.capacity() < reply.len() + 1024, "{} for {}", reply.capacity(), reply.len());
    for number in 0..1000 {
        world.run(&["HSET", "h", &format!("field:{number}"), "value"]);
    }
    for words in [&["HRANDFIELD", "h", "-10000"][..], &["HRANDFIELD", "h", "-10000", "WITHVALUES"]] {
        let reply = world.run(words);
        assert!(reply.capacity() < reply.len() * 11 / 10, "{} for {}", reply.capacity(), reply.len());
    }
}
