//! Latches with many clients: random schedules, lines that vanish, and tokens that survive every loss of keys. Uses the
//! public interface only.

#[path = "support/dice.rs"]
mod dice;

use std::collections::{BTreeMap, BTreeSet};

use dice::Dice;
use keylatch::session::SESSION_START;
use keylatch::{Argv, ClientId, Keylatch, ManualClock, Options};

/// Microseconds of the first instant, and so the first token.
const FIRST_TOKEN: u64 = 1_767_225_600_000_000;
/// A line as long as those that are measured.
const LONG_LINE: usize = 20_000;
const SEEDS: u64 = 60;
const STEPS: usize = 400;
const KEYS: [&str; 3] = ["a", "b", "c"];
const OWNERS: usize = 6;
/// Largest share of clients among which a schedule draws.
const LIMIT: u64 = 3;

struct World {
    engine: Keylatch<ManualClock>,
    clients: Vec<ClientId>,
}

impl World {
    fn new(clients: usize) -> World {
        let mut engine = Keylatch::new(Options { seed: 3 }, ManualClock::new(SESSION_START));
        engine.record(true);
        let clients = (0..clients).map(|_| engine.connect()).collect();
        World { engine, clients }
    }

    fn run(&mut self, client: usize, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        let mut out = Vec::new();
        self.engine.execute(self.clients[client], Argv::from_slices(&words).as_ref(), &mut out);
        String::from_utf8(out).expect("text")
    }

    fn late(&mut self, client: usize) -> String {
        String::from_utf8(self.engine.take_outbox(self.clients[client])).expect("text")
    }

    fn advance(&mut self, ms: i64) {
        self.engine.clock_mut().advance(ms);
        self.engine.tick();
    }
}

/// Number in an integer reply.
fn integer(reply: &str) -> Option<u64> {
    reply.strip_prefix(':')?.strip_suffix("\r\n")?.parse().ok()
}

#[test]
fn a_client_that_disconnects_lets_the_next_one_in() {
    let mut world = World::new(4);
    world.run(0, "LATCH.ACQUIRE a 0 TTL 1000 SHARED");
    assert_eq!(world.run(1, "LATCH.ACQUIRE a 1 TTL 1000 WAIT 9000"), "");
    assert_eq!(world.run(2, "LATCH.ACQUIRE a 2 TTL 1000 SHARED WAIT 9000"), "");
    world.engine.disconnect(world.clients[1]);
    // The host is asked to call at once.
    assert_eq!(world.engine.next_deadline(), Some(world.engine.now()));
    world.engine.tick();
    assert_eq!(integer(&world.late(2)), Some(FIRST_TOKEN + 1));
    // A holder that disconnects keeps its lease.
    world.engine.disconnect(world.clients[2]);
    assert_eq!(world.run(3, "LATCH.ACQUIRE a 3 TTL 1000"), "$-1\r\n");
}

#[test]
fn a_client_that_is_to_be_disconnected_is_granted_nothing() {
    let mut world = World::new(4);
    world.run(0, "LATCH.ACQUIRE a 0 TTL 1000");
    world.run(1, "LATCH.ACQUIRE a 1 TTL 1000 WAIT 9000");
    world.run(2, "LATCH.ACQUIRE a 2 TTL 1000 WAIT 9000");
    let killed = format!("CLIENT KILL ID {}", world.clients[1].0);
    assert_eq!(world.run(3, &killed), ":1\r\n");
    assert_eq!(world.run(0, "LATCH.RELEASE a 0"), ":1\r\n");
    assert_eq!((world.late(1), integer(&world.late(2))), (String::new(), Some(FIRST_TOKEN + 1)));
}

#[test]
fn tokens_increase_whatever_becomes_of_the_keys() {
    let mut world = World::new(1);
    let grant =
        |world: &mut World| integer(&world.run(0, "LATCH.ACQUIRE a o TTL 1000 STEAL DEPTH 1")).expect("a token");
    let first = grant(&mut world);
    assert_eq!(first, FIRST_TOKEN);
    for line in ["FLUSHALL", "DEL a", "DEBUG RELOAD"] {
        world.run(0, line);
        world.run(0, "DEL a");
        let before = world.engine.keyspace().last_token();
        assert_eq!(grant(&mut world), before + 1, "{line}");
    }
    let (last, log) = (world.engine.keyspace().last_token(), world.engine.take_effects());
    assert!(log.starts_with(format!("#KL:1767225600000 v2 {last}\r\n").as_bytes()), "{}", log.escape_ascii());
    let snapshot = world.engine.snapshot().expect("memory");
    // The clock of the restored engines is behind that of the first one.
    for restore in [0, 1] {
        let mut other = World::new(1);
        other.engine.clock_mut().advance(-3_600_000);
        match restore {
            0 => other.engine.replay(&log).map(drop).expect("a log"),
            _ => other.engine.load(&snapshot).expect("a snapshot"),
        }
        assert_eq!(other.engine.digest(), world.engine.digest());
        assert_eq!(integer(&other.run(0, "LATCH.ACQUIRE b o TTL 1000")), Some(last + 1));
    }
    assert!(World::new(1).engine.snapshot().expect("memory").windows(14).all(|part| part != b"keylatch-token"));
}

#[test]
fn without_tokens_there_is_nothing_to_grant() {
    let mut world = World::new(2);
    world.engine.replay(b"#KL:1 v2 9223372036854775806\r\n").expect("a log");
    world.run(0, "SET text value");
    assert_eq!(world.run(0, "LATCH.ACQUIRE a 0 TTL 1000"), "-ERR every token of this engine has been used\r\n");
    assert_eq!(world.run(0, "EXISTS a"), ":0\r\n");
}

#[test]
fn a_long_line_vanishes_by_timeout_and_by_disconnection() {
    for by_timeout in [true, false] {
        let mut world = World::new(LONG_LINE + 1);
        world.run(0, "LATCH.ACQUIRE a 0 TTL 60000");
        for client in 1..=LONG_LINE {
            assert_eq!(world.run(client, &format!("LATCH.ACQUIRE a {client} TTL 1000 WAIT 500")), "");
        }
        match by_timeout {
            true => world.advance(501),
            false => (1..=LONG_LINE).for_each(|client| world.engine.disconnect(world.clients[client])),
        }
        assert_eq!(world.late(1), if by_timeout { "$-1\r\n" } else { "" });
        assert!(world.run(0, "LATCH.INSPECT a").ends_with("waiters\r\n*0\r\n"));
        assert_eq!(world.run(0, "LATCH.RELEASE a 0"), ":1\r\n");
        assert_eq!(world.engine.next_deadline(), None);
    }
}

/// A random request of one owner. Most clients stand for one owner each.
fn request(dice: &mut Dice, owner: usize) -> String {
    let key = dice.pick(&KEYS);
    let ttl = 1 + dice.roll(40);
    let also = if dice.roll(5) == 0 { format!(" ALSO 1 {}", dice.pick(&KEYS)) } else { String::new() };
    let wait = if dice.roll(3) > 0 { format!(" WAIT {}", 1 + dice.roll(60)) } else { String::new() };
    let mode = match dice.roll(6) {
        0 | 1 => String::new(),
        2 | 3 => " SHARED".to_owned(),
        4 => format!(" PERMITS {} LIMIT {LIMIT}", 1 + dice.roll(LIMIT)),
        _ => format!(" INTENT 1 {}", dice.pick(&KEYS)),
    };
    match dice.roll(12) {
        0 => format!("LATCH.RENEW {key} {owner} TTL {ttl}{also}"),
        1 => format!("LATCH.RENEW {key} {owner} TTL {ttl} SHARED"),
        2..=5 => format!("LATCH.RELEASE {key} {owner}{also}"),
        6 => format!("LATCH.ACQUIRE {key} {owner} TTL {ttl}{mode}{wait} DELAY 5"),
        7 if dice.roll(4) == 0 => format!("LATCH.ACQUIRE {key} {owner} TTL {ttl}{mode} STEAL"),
        7 if dice.roll(4) == 0 => format!("DEL {key}"),
        7 if dice.roll(4) == 0 => format!("RENAME {key} {}", dice.pick(&KEYS)),
        _ => format!("LATCH.ACQUIRE {key} {owner} TTL {ttl}{mode}{wait}{also}"),
    }
}

/// Modes that two holders may have at once.
fn go_together(one: &str, other: &str) -> bool {
    matches!((one, other), ("s", "s" | "is") | ("is", "s" | "is" | "ix") | ("ix", "is" | "ix") | ("p", "p"))
}

/// Checks the holders and the line of each key.
fn check(world: &mut World, history: &[String]) {
    for key in KEYS {
        let fields = world.run(0, &format!("HVALS {key}"));
        let held: Vec<Vec<&str>> =
            fields.lines().filter(|line| line.contains(' ')).map(|line| line.split(' ').collect()).collect();
        for (index, one) in held.iter().enumerate() {
            let others = held.iter().enumerate().filter(|(other, _)| *other != index);
            assert!(others.clone().all(|(_, other)| go_together(one[0], other[0])), "{held:?}\n{}", history.join("\n"));
        }
        let permits: u64 = held.iter().filter(|one| one[0] == "p").map(|one| one[1].parse::<u64>().unwrap()).sum();
        assert!(permits <= LIMIT, "{held:?}\n{}", history.join("\n"));
    }
}

#[test]
fn random_schedules_keep_holders_apart_and_lose_no_client() {
    let mut granted = 0;
    for seed in 0..SEEDS {
        let (mut world, mut dice, mut history) = (World::new(OWNERS + 1), Dice::new(seed), Vec::new());
        let mut waiting: BTreeMap<usize, i64> = BTreeMap::new();
        let (mut tokens, mut log) = (BTreeSet::new(), Vec::new());
        for _ in 0..STEPS {
            let client = 1 + dice.roll(OWNERS as u64) as usize;
            let is_waiting = waiting.contains_key(&client);
            if dice.roll(3) == 0 {
                let ms = 1 + dice.roll(20) as i64;
                history.push(format!("@ +{ms}"));
                world.advance(ms);
            } else if !is_waiting {
                let line = request(&mut dice, client);
                history.push(format!("{client}> {line}"));
                let reply = world.run(client, &line);
                if reply.is_empty() {
                    let wait: i64 = line.split("WAIT ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap();
                    waiting.insert(client, world.engine.now().as_ms() + wait);
                }
                tokens.extend(integer(&reply).filter(|_| line.contains("ACQUIRE")));
            }
            for client in 1..=OWNERS {
                let reply = world.late(client);
                if !reply.is_empty() {
                    assert!(waiting.remove(&client).is_some(), "{reply}");
                    granted += u64::from(integer(&reply).is_some());
                    tokens.extend(integer(&reply));
                }
            }
            // No wait outlasts its time.
            assert!(waiting.values().all(|until| *until > world.engine.now().as_ms()), "{}", history.join("\n"));
            check(&mut world, &history);
            log.extend(world.engine.take_effects());
        }
        // When every holder is gone, the lines end without another request.
        while let Some(due) = world.engine.next_deadline() {
            world.advance(due.ms_since(world.engine.now()));
            (1..=OWNERS).for_each(|client| tokens.extend(integer(&world.late(client))));
        }
        assert_eq!((world.engine.keyspace().database(0).len(), world.engine.next_deadline()), (0, None), "seed {seed}");
        log.extend(world.engine.take_effects());
        let mut again = World::new(1);
        again.engine.replay(&log).expect("a log");
        assert_eq!(again.engine.digest(), world.engine.digest());
        assert_eq!(again.engine.keyspace().last_token(), tokens.last().copied().unwrap_or(0));
    }
    assert!(granted > SEEDS, "clients in line are granted");
}
