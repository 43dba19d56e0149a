//! Loads the keyspace of random commands into a real server, as a log and as a snapshot: the snapshot that the server
//! saves must have the same keyspace. Deadlines of hash fields are newer than the server, which does not have their
//! commands.

use keylatch::internals::keyspace::ValueRef;
use keylatch::{Argv, Keylatch, ManualClock, Options, Timestamp};

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
    set_deliveries_back(engine);
    assert!(engine.digest() != 0, "seed {seed} leaves nothing");
    let (log, snapshot) = (engine.take_effects(), engine.snapshot().unwrap());
    let logged = saved_by_server(&format!("log-{seed}"), true, |folder| folder.write_log(&log));
    assert_eq!(logged, engine.digest(), "the log of seed {seed}");
    let loaded = saved_by_server(&format!("snapshot-{seed}"), false, |folder| folder.write_snapshot(&snapshot));
    assert_eq!(loaded, engine.digest(), "the snapshot of seed {seed}");
}

/// Sets the times of pending entries back: a server takes none that is in its future.
fn set_deliveries_back(engine: &mut Keylatch<ManualClock>) {
    let mut requests = Vec::new();
    for (database, db) in engine.keyspace_ref().databases() {
        for entry in db.entries() {
            let ValueRef::Stream(stream) = entry.value else { continue };
            for group in stream.groups() {
                for (id, pending) in group.pending_from(Default::default(), None) {
                    let Some(consumer) = group.consumer(pending.consumer) else { continue };
                    let names = [entry.key, &*group.name, &*consumer.name, b"0", &*id.text()].map(<[u8]>::to_vec);
                    let back = [&b"TIME"[..], b"1", b"JUSTID"].map(<[u8]>::to_vec);
                    requests.push((database, [vec![b"XCLAIM".to_vec()], names.to_vec(), back.to_vec()].concat()));
                }
            }
        }
    }
    let client = engine.connect();
    for (database, request) in requests {
        let select = [b"SELECT".to_vec(), database.to_string().into_bytes()];
        engine.execute(client, Argv::from_slices(&select).as_ref(), &mut Vec::new());
        engine.execute(client, Argv::from_slices(&request).as_ref(), &mut Vec::new());
    }
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
