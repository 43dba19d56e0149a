//! Engines with a clock that stands still, and small contents of every type.

use keylatch::session::SESSION_START;
use keylatch::{Argv, Keylatch, ManualClock, Options};

pub type Engine = Keylatch<ManualClock>;

/// Limit of string lengths: the fuzzers look for mistakes, not for exhausted memory.
const STRING_MAX: &str = "1mb";

pub fn engine(seed: u64) -> Engine {
    let mut engine = Keylatch::new(Options { seed }, ManualClock::new(SESSION_START));
    engine.configure("proto-max-bulk-len", STRING_MAX).expect("a size");
    engine
}

/// Runs a command on a new client.
pub fn run(engine: &mut Engine, arguments: &[impl AsRef<[u8]>]) -> Vec<u8> {
    let (client, mut reply) = (engine.connect(), Vec::new());
    engine.execute(client, Argv::from_slices(arguments).as_ref(), &mut reply);
    engine.disconnect(client);
    reply
}

/// Splits a line at blanks.
pub fn say(engine: &mut Engine, line: &str) -> Vec<u8> {
    run(engine, &line.split(' ').collect::<Vec<_>>())
}

/// Checks that a copy made through a snapshot has the same keyspace.
pub fn check_copy(engine: &Engine) {
    let mut copy = self::engine(7);
    copy.load(&engine.snapshot().expect("memory for a snapshot")).expect("what was written can be read");
    assert_eq!(copy.digest(), engine.digest(), "a snapshot is another keyspace");
}

/// Keys of every type, each compact and large, with deadlines and without.
pub fn fill(engine: &mut Engine) {
    let many = |command: &str| (0..200).fold(command.to_owned(), |line, number| format!("{line} {number} x{number}"));
    let lines = [
        "SET text hello PX 60000",
        "SET number -12345",
        "APPEND raw abc",
        "RPUSH list a 1 -300 70000 abcdefghijklmnopqrstuvwxyz",
        "SADD integers 1 2 70000",
        "SADD words a b c 1",
        "HSET hash field value 1 2",
        "HSETEX dated PX 60000 FIELDS 2 a 1 b 2",
        "ZADD ranked 1.5 a -inf b 3 c",
        "PFADD sketch a b c",
        "GEOADD places 13.36 38.11 palermo",
        "PEXPIRE list 90000",
    ];
    lines.iter().for_each(|line| drop(say(engine, line)));
    ["RPUSH long", "SADD large", "HSET wide"].iter().for_each(|command| drop(say(engine, &many(command))));
    drop(say(engine, &(0..200).fold("ZADD deep".to_owned(), |line, score| format!("{line} {score} m{score}"))));
}
