//! Loads the keyspace of random commands into a real server, as a log and as a snapshot: the snapshot that the server
//! saves must have the same keyspace. Deadlines of hash fields are newer than the server, which does not have their
//! commands.

use keylatch::{Keylatch, ManualClock, Options, Timestamp};

use super::engine_harness::EngineHarness;
use super::generator::Generator;
use super::pair::now;
use super::redis::Folder;
use super::scope::Scope;
use super::start_in;

pub const SEEDS: u64 = 16;
const UNITS: usize = 1_000;
/// Lead of the engine's clock in milliseconds: no key expires in the server meanwhile.
const AHEAD_MS: i64 = 3_600_000;

pub fn compare(scope: &Scope, seed: u64) {
    let mut harness = EngineHarness::new(seed, Timestamp::from_ms(now().as_ms() + AHEAD_MS));
    let mut generator = Generator::new(scope, seed);
    for _ in 0..UNITS {
        for request in generator.unit(&harness) {
            harness.perform(&request);
        }
    }
    let engine = &mut harness.engine;
    assert!(engine.digest() != 0, "seed {seed} leaves nothing");
    let (log, snapshot) = (engine.take_effects(), engine.snapshot().unwrap());
    let logged = saved_by_server(&format!("log-{seed}"), true, |folder| folder.write_log(&log));
    assert_eq!(logged, engine.digest(), "the log of seed {seed}");
    let loaded = saved_by_server(&format!("snapshot-{seed}"), false, |folder| folder.write_snapshot(&snapshot));
    assert_eq!(loaded, engine.digest(), "the snapshot of seed {seed}");
}

/// Digest of the snapshot that a server saves after loading the files in its folder.
fn saved_by_server(name: &str, append_only: bool, write: impl FnOnce(&Folder)) -> u64 {
    let folder = Folder::new(name);
    write(&folder);
    let saved = start_in(folder, append_only).saved();
    // Must precede everything with a deadline: loaded keys are not removed by expiry.
    let mut copy = Keylatch::new(Options { seed: 99 }, ManualClock::new(Timestamp::from_ms(0)));
    copy.load(&saved).unwrap();
    copy.digest()
}
