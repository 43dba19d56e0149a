//! The native core compared with hashbrown's table of vectors: `cargo xtask bench native`, or `cargo bench`.
//!
//! Time is the thread's processor time. Keys are contiguous in memory, in an order that is random in the table, so that
//! waiting is for the table and not for the list of keys.

#[path = "../tests/support/dice.rs"]
mod dice;
#[path = "core/latches.rs"]
mod latches;

use keylatch::internals::keyspace::strings;
use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use criterion::{Bencher, Criterion, criterion_group, criterion_main};
use dice::Dice;
use foldhash::fast::RandomState;
use hashbrown::HashMap;
use keylatch::internals::keyspace::{Keyspace, SetOptions};
use keylatch::{Argv, ClientId, Connection, Keylatch, ManualClock, Options, Timestamp};

/// A table as a Rust program would use it: `get`, `insert`, without time, types or limits.
type Table = HashMap<Vec<u8>, Vec<u8>, RandomState>;

const NOW: Timestamp = Timestamp::from_ms(1_767_225_600_000);
const SEED: u64 = 7;
const SIZES: [(&str, usize); 2] = [("1e3", 1_000), ("1e5", 100_000)];
const VALUE: &[u8; 32] = b"value-of-a-key.value-of-a-key.va";
/// Requests in a chunk, half SET, half GET.
const CHUNK: usize = 100;

/// Processor time of this thread.
struct ProcessorTime;

impl Measurement for ProcessorTime {
    type Intermediate = ThreadTime;
    type Value = Duration;

    fn start(&self) -> ThreadTime {
        ThreadTime::now()
    }

    fn end(&self, start: ThreadTime) -> Duration {
        start.elapsed()
    }

    fn add(&self, first: &Duration, second: &Duration) -> Duration {
        *first + *second
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        WallTime.formatter()
    }
}

/// Operations of both stores.
trait Store {
    /// Reads a value; returns its first byte.
    fn get(&mut self, key: &[u8]) -> Option<u8>;
    fn set(&mut self, key: &[u8], value: &[u8]);
    fn increment(&mut self, key: &[u8]);
}

impl Store for Table {
    fn get(&mut self, key: &[u8]) -> Option<u8> {
        Table::get(self, key)?.first().copied()
    }

    fn set(&mut self, key: &[u8], value: &[u8]) {
        match self.get_mut(key) {
            Some(held) => {
                held.clear();
                held.extend_from_slice(value);
            }
            None => {
                self.insert(key.to_vec(), value.to_vec());
            }
        }
    }

    fn increment(&mut self, key: &[u8]) {
        let number = |held: &Vec<u8>| std::str::from_utf8(held).ok()?.parse::<i64>().ok();
        let sum = Table::get(self, key).and_then(number).unwrap_or(0) + 1;
        self.set(key, sum.to_string().as_bytes());
    }
}

impl Store for Keyspace {
    fn get(&mut self, key: &[u8]) -> Option<u8> {
        strings::get(&mut self.at(0, NOW), key).ok()??.first().copied()
    }

    fn set(&mut self, key: &[u8], value: &[u8]) {
        let outcome = strings::set(&mut self.at(0, NOW), key, value, &SetOptions::default());
        debug_assert!(outcome.is_ok());
    }

    fn increment(&mut self, key: &[u8]) {
        let sum = strings::increment(&mut self.at(0, NOW), key, 1);
        debug_assert!(sum.is_ok());
    }
}

fn key(prefix: &str, number: u64) -> Vec<u8> {
    format!("{prefix}{number:011}").into_bytes()
}

/// Keys of a store in the order of their use, repeated endlessly.
struct Requests {
    keys: Vec<Vec<u8>>,
    at: usize,
}

impl Requests {
    fn new(prefix: &str, size: usize) -> Requests {
        let mut dice = Dice::new(SEED);
        let all: Vec<Vec<u8>> = (0..size as u64).map(|number| key(prefix, number)).collect();
        Requests { keys: (0..size.max(1 << 14)).map(|_| dice.pick(&all).clone()).collect(), at: 0 }
    }

    fn next(&mut self) -> &[u8] {
        self.at = (self.at + 1) % self.keys.len();
        &self.keys[self.at]
    }
}

fn filled<S: Store>(mut store: S, size: usize) -> S {
    for number in 0..size as u64 {
        store.set(&key("user:", number), VALUE);
        store.set(&key("hits:", number), b"1");
    }
    store
}

type Benches = Criterion<ProcessorTime>;

fn measure(criterion: &mut Benches, row: &str, side: &str, run: impl FnMut(&mut Bencher<'_, ProcessorTime>)) {
    criterion.benchmark_group(row).bench_function(side, run);
}

fn single_commands(criterion: &mut Benches) {
    for (name, size) in SIZES {
        // One after the other, so that neither is measured with caches full of the other.
        for side in ["keylatch", "HashMap"] {
            match side {
                "keylatch" => commands_of(criterion, side, name, size, filled(Keyspace::new(SEED), size)),
                _ => commands_of(criterion, side, name, size, filled(Table::default(), size)),
            }
        }
    }
}

fn commands_of<S: Store>(criterion: &mut Benches, side: &str, name: &str, size: usize, mut store: S) {
    let mut users = Requests::new("user:", size);
    let mut counters = Requests::new("hits:", size);
    assert!(users.keys.iter().all(|key| store.get(key) == VALUE.first().copied()), "a key is missing");
    measure(criterion, &format!("get {name}"), side, |bencher| {
        bencher.iter(|| black_box(store.get(users.next())));
    });
    measure(criterion, &format!("set {name}"), side, |bencher| {
        bencher.iter(|| store.set(users.next(), black_box(VALUE)));
    });
    measure(criterion, &format!("incr {name}"), side, |bencher| {
        bencher.iter(|| store.increment(counters.next()));
    });
}

/// Members of a collection: the compact encoding of a sorted set and of a set ends at 128.
const COLLECTION_SIZES: [usize; 3] = [10, 100, 200];
/// Number of different commands of a row.
const TURNS: usize = 1 << 10;
/// A member of no collection.
const NEW: &[u8] = b"member:00000000NEW";

/// An engine with one client, and the commands it runs in turn.
struct Commands {
    engine: Keylatch<ManualClock>,
    client: ClientId,
    output: Vec<u8>,
}

impl Commands {
    fn new() -> Commands {
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(NOW));
        let client = engine.connect();
        Commands { engine, client, output: Vec::new() }
    }

    fn run(&mut self, command: &Argv) {
        self.output.clear();
        self.engine.execute(self.client, command.as_ref(), &mut self.output);
    }

    fn measure(&mut self, criterion: &mut Benches, row: &str, commands: &[Argv]) {
        let mut turns = commands.iter().cycle();
        measure(criterion, row, "keylatch", |bencher| {
            bencher.iter(|| turns.next().map(|command| self.run(black_box(command))));
        });
        assert!(!self.output.starts_with(b"-"), "{row}: {}", self.output.escape_ascii());
    }
}

fn one<'w>(dice: &mut Dice, words: &'w [Vec<u8>]) -> &'w [u8] {
    dice.pick::<Vec<u8>>(words)
}

fn command(words: &[&[u8]]) -> Argv {
    Argv::from_slices(words)
}

/// Commands of one member each, on collections of both encodings.
fn collections(criterion: &mut Benches) {
    for size in COLLECTION_SIZES {
        let (mut dice, mut commands) = (Dice::new(SEED), Commands::new());
        let members: Vec<Vec<u8>> = (0..size as u64).map(|number| key("member:", number)).collect();
        let scores: Vec<Vec<u8>> = (0..size).map(|number| (number * 10).to_string().into_bytes()).collect();
        for (member, score) in members.iter().zip(&scores) {
            commands.run(&command(&[b"ZADD", b"scores", score, member]));
            commands.run(&command(&[b"HSET", b"fields", member, VALUE]));
            commands.run(&command(&[b"SADD", b"members", member]));
            commands.run(&command(&[b"RPUSH", b"jobs", member]));
        }
        let mut row = |name: &str, draw: &mut dyn FnMut(&mut Dice) -> Vec<Argv>| {
            let turns: Vec<Argv> = (0..TURNS).flat_map(|_| draw(&mut dice)).collect();
            commands.measure(criterion, &format!("{name}, {size}"), &turns);
        };
        row("zadd", &mut |dice| vec![command(&[b"ZADD", b"scores", one(dice, &scores), one(dice, &members)])]);
        row("zadd of a new member, zrem", &mut |dice| {
            vec![command(&[b"ZADD", b"scores", one(dice, &scores), NEW]), command(&[b"ZREM", b"scores", NEW])]
        });
        row("hset", &mut |dice| vec![command(&[b"HSET", b"fields", one(dice, &members), VALUE])]);
        row("hset of another length", &mut |dice| {
            let value = &VALUE[dice.roll(VALUE.len() as u64) as usize..];
            vec![command(&[b"HSET", b"fields", one(dice, &members), value])]
        });
        row("hget", &mut |dice| vec![command(&[b"HGET", b"fields", one(dice, &members)])]);
        row("sadd", &mut |dice| vec![command(&[b"SADD", b"members", one(dice, &members)])]);
        row("sadd of a new member, srem", &mut |_| {
            vec![command(&[b"SADD", b"members", NEW]), command(&[b"SREM", b"members", NEW])]
        });
        row("lpush, rpop", &mut |dice| {
            vec![command(&[b"LPUSH", b"jobs", one(dice, &members)]), command(&[b"RPOP", b"jobs"])]
        });
    }
}

/// A request as RESP.
fn request(words: &[&[u8]], chunk: &mut Vec<u8>) {
    chunk.extend_from_slice(format!("*{}\r\n", words.len()).as_bytes());
    for word in words {
        chunk.extend_from_slice(format!("${}\r\n", word.len()).as_bytes());
        chunk.extend_from_slice(word);
        chunk.extend_from_slice(b"\r\n");
    }
}

/// Bytes in, bytes out: the work of a server between two system calls.
fn chunks(criterion: &mut Benches) {
    for (name, size) in SIZES {
        let mut engine = Keylatch::new(Options::default(), ManualClock::new(NOW));
        let client = engine.connect();
        let mut connection = Connection::new(client, engine.limits());
        let mut keys = Requests::new("user:", size);
        let (mut chunk, mut output) = (Vec::new(), Vec::new());
        for turn in 0..CHUNK {
            match turn % 2 {
                0 => request(&[b"SET", keys.next(), VALUE], &mut chunk),
                _ => request(&[b"GET", keys.next()], &mut chunk),
            }
        }
        for number in 0..size as u64 {
            let mut filling = Vec::new();
            request(&[b"SET", &key("user:", number), VALUE], &mut filling);
            connection.feed(&mut engine, &filling, &mut output);
        }
        measure(criterion, &format!("RESP chunk of {CHUNK}, {name}"), "keylatch", |bencher| {
            bencher.iter(|| {
                output.clear();
                connection.feed(&mut engine, black_box(&chunk), &mut output)
            });
        });
        // A second time, because a filter may have skipped the first one.
        output.clear();
        connection.feed(&mut engine, &chunk, &mut output);
        assert_eq!(
            output.len(),
            CHUNK / 2 * (b"+OK\r\n$32\r\n\r\n".len() + VALUE.len()),
            "not every request was answered"
        );
    }
}

criterion_group! {
    name = core;
    config = Criterion::default().with_measurement(ProcessorTime);
    targets = single_commands, collections, chunks, latches::latches, latches::lines
}
criterion_main!(core);
