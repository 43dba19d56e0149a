//! Snapshots: loaded again, over existing data, damaged, foreign.

use super::harness::{Db, Dice, piece};
use super::mutation::mutated;
use super::workload::Workload;
use keylatch::LoadError;
use keylatch::internals::Skipped;

const START_MS: i64 = 1_000_000;
/// Behind magic and version.
const HEADER: usize = 9;
const CHECKSUM: usize = 8;

/// A keyspace with all types, and with keys past their deadline.
fn busy(seed: u64) -> Db {
    let mut db = Db::new(seed, START_MS);
    let mut workload = Workload::new(seed, START_MS);
    (0..300).for_each(|_| workload.step(&mut db));
    workload.finish(&mut db);
    db.run_line("SELECT 0");
    (0..50).for_each(|index| drop(db.run_line(&format!("SET key:{index} {index}"))));
    db.run_line("PEXPIRE key:0 10");
    db.advance(50);
    db
}

/// All keys of SCAN, in its order.
fn scanned(db: &mut Db) -> Vec<String> {
    let mut pages = vec![db.run_line("SCAN 0 COUNT 7")];
    loop {
        let cursor = pages.last().unwrap().lines().nth(2).unwrap().to_owned();
        if cursor == "0" {
            return pages;
        }
        pages.push(db.run_line(&format!("SCAN {cursor} COUNT 7")));
    }
}

#[test]
fn a_loaded_snapshot_is_the_same_keyspace_in_the_same_order() {
    for seed in 0..40 {
        let mut live = busy(seed);
        let snapshot = live.snapshot();
        let mut loaded = Db::new(seed + 1000, live.engine.now().as_ms());
        loaded.run_line("SET old 1");
        loaded.engine.load(&snapshot).unwrap();
        assert_eq!(loaded.engine.digest(), live.engine.digest(), "seed {seed}");
        assert_eq!(loaded.engine.now(), live.engine.now());
        assert_eq!(loaded.snapshot(), snapshot, "seed {seed}");
        *loaded.engine.clock_mut() = *live.engine.clock_mut();
        assert_eq!(scanned(&mut loaded), scanned(&mut live));
    }
}

#[test]
fn a_new_engine_has_a_snapshot_too() {
    let empty = Db::new(5, START_MS).snapshot();
    let mut db = Db::new(6, START_MS);
    db.run_line("SET k v");
    db.engine.load(&empty).unwrap();
    assert_eq!(db.run_line("DBSIZE"), ":0\r\n");
    assert_eq!(db.engine.digest(), Db::new(5, START_MS).engine.digest());
}

#[test]
fn clients_outlive_a_load_and_learn_what_changed() {
    let (mut before, mut after) = (Db::new(1, START_MS), Db::new(2, START_MS));
    before.run_line("SET gone 1");
    after.run_line("SET new 1");
    for (key, disturbed) in [("gone", true), ("new", true), ("neither", false)] {
        let mut db = before.clone();
        db.engine.listen(true);
        db.run_line(&format!("WATCH {key}"));
        db.run_line("SELECT 3");
        db.run_line("MULTI");
        db.run_line("SET there 1");
        db.engine.load(&after.snapshot()).unwrap();
        let expected = if disturbed { "*-1\r\n" } else { "*1\r\n+OK\r\n" };
        assert_eq!(db.run_line("EXEC"), expected, "{key}");
        assert_eq!(db.engine.client(db.client).map(|client| client.database), Some(3));
        assert_eq!(db.engine.take_events().len(), usize::from(!disturbed), "a load is no event");
    }
}

#[test]
fn a_recorded_load_is_in_the_log() {
    let mut source = busy(3);
    let many: Vec<String> = (0..1000).map(|index| index.to_string()).collect();
    source.run(&[vec!["RPUSH".to_owned(), "many".into()], many.clone()].concat());
    source.run(&[vec!["HSET".to_owned(), "fields".into()], many].concat());
    let mut live = Db::recording(4, START_MS);
    live.run_line("SET before 1");
    live.engine.load(&source.snapshot()).unwrap();
    live.run_line("SELECT 5");
    live.run_line("SET behind 1");
    let log = live.engine.take_effects();
    assert!(longest_command(&log) <= 2 + 64, "long values come in parts");
    let mut restored = Db::new(5, START_MS);
    assert_eq!(restored.engine.replay(&log).unwrap().units, 3);
    assert_eq!(restored.engine.digest(), live.engine.digest());
}

fn longest_command(log: &[u8]) -> usize {
    let text = String::from_utf8_lossy(log);
    let counts = text.split("\r\n").filter_map(|line| line.strip_prefix('*')?.parse().ok());
    counts.filter(|&count: &usize| count < 10_000).max().unwrap()
}

#[test]
fn a_log_on_top_of_a_snapshot_may_still_rescue_a_key() {
    let mut live = Db::new(1, START_MS);
    live.run_line("SET k v PX 10");
    live.run_line("SET dead v PX 10");
    let snapshot = live.snapshot();
    let mut later = Db::recording(2, START_MS + 1_000);
    later.engine.load(&snapshot).unwrap();
    later.engine.replay(&piece(START_MS + 5, &["SELECT 0", "PERSIST k"])).unwrap();
    assert_eq!(later.run_line("EXISTS k dead"), ":1\r\n");
}

#[test]
fn a_snapshot_that_ends_early_or_is_damaged_changes_nothing() {
    let snapshot = small().snapshot();
    let mut db = Db::new(1, START_MS);
    db.run_line("SET here 1");
    let digest = db.engine.digest();
    for cut in 0..snapshot.len() {
        assert!(db.engine.load(&snapshot[..cut]).is_err(), "cut at {cut}");
    }
    for at in 0..snapshot.len() {
        let mut damaged = snapshot.clone();
        damaged[at] ^= 0x10;
        assert!(db.engine.load(&damaged).is_err(), "damaged at {at}");
    }
    assert_eq!(db.engine.digest(), digest);
    assert_eq!(db.engine.load(&[snapshot, b"x".to_vec()].concat()), Err(LoadError::Checksum));
}

/// A file made by hand, without a checksum.
fn file(magic: &[u8; HEADER], contents: &[&[u8]]) -> Vec<u8> {
    [magic, contents.concat().as_slice(), b"\xff", &[0; CHECKSUM]].concat()
}

fn load(bytes: &[u8]) -> Result<Db, LoadError> {
    let mut db = Db::new(1, START_MS);
    db.engine.load(bytes)?;
    Ok(db)
}

#[test]
fn sections_that_only_redis_has_are_skipped() {
    let contents: &[&[u8]] = &[
        b"\xfa\x09redis-ver\x057.0.0",
        b"\xfa\x0ckeylatch-new\x01x",
        b"\xfe\x02\xfb\x04\x01",
        b"\xf4\x01\x02\x03",
        b"\xf8\x40\x80\xfc\x00\xe4\x0b\x54\x02\x00\x00\x00\x00\x01s\xc0\x05",
        b"\xfd\x80\x96\x98\x00\xf9\x07\x00\x02s2\x01x",
        b"\x01\x01l\x02\x01a\x01b",
        b"\x04\x01h\x01\x01f\x01v",
        // Empty collections, as old servers could leave them.
        b"\x01\x02le\x00\x04\x02he\x00",
    ];
    for magic in [b"REDIS0010", b"REDIS0013", b"REDIS0080", b"VALKEY080", b"REDIS0005"] {
        let mut db = load(&file(magic, contents)).unwrap();
        db.run_line("SELECT 2");
        assert_eq!(db.run_line("MGET s s2"), "*2\r\n$1\r\n5\r\n$1\r\nx\r\n");
        assert_eq!(db.run_line("PEXPIRETIME s"), ":10000000000\r\n");
        assert_eq!(db.run_line("PEXPIRETIME s2"), ":10000000000\r\n");
        assert_eq!(db.run_line("DBSIZE"), ":4\r\n");
        assert_eq!(db.run_line("RPUSH l c") + &db.run_line("HSET h f w g x"), ":3\r\n:1\r\n");
    }
    // The oldest files have no checksum.
    assert!(load(b"REDIS0003\xfe\x00\x00\x01k\x01v\xff").is_ok());
}

#[test]
fn what_cannot_be_held_is_refused_by_name() {
    let at = |len: usize| HEADER + len;
    let unsupported =
        |key: &[u8], type_code, offset| LoadError::UnsupportedValue { key: key.to_vec(), type_code, offset };
    let cases: [(&[u8; HEADER], &[u8], LoadError); 17] = [
        (b"REDIS0014", b"", LoadError::NewerVersion),
        (b"VALKEY081", b"", LoadError::NewerVersion),
        (b"REDIS0000", b"", LoadError::Malformed { offset: 0 }),
        (b"REDIS+010", b"", LoadError::Malformed { offset: 0 }),
        (b"KEYLATCH1", b"", LoadError::Malformed { offset: 0 }),
        (b"REDIS0010", b"\xfa\x10keylatch-version\xc0\x02", LoadError::NewerVersion),
        (b"REDIS0010", b"\xfa\x10keylatch-version\x01x", LoadError::Malformed { offset: at(20) }),
        (b"REDIS0010", b"\x00\x01k\x01v\xfa\x0dkeylatch-seed\xc0\x07", LoadError::Malformed { offset: at(22) }),
        (b"REDIS0010", b"\xfe\x10", LoadError::Unsupported { offset: at(0) }),
        (b"REDIS0010", b"\x00\x01k\x01v\x07\x01m\x00", unsupported(b"m", 7, at(5))),
        (b"REDIS0010", b"\xf5\x05x", LoadError::Malformed { offset: at(2) }),
        (b"REDIS0010", b"\xf6\x01x", LoadError::Unsupported { offset: at(0) }),
        (b"REDIS0010", b"\xf7\x01", LoadError::Unsupported { offset: at(0) }),
        (b"REDIS0010", b"\x12\x01q\x01\x03\x00", unsupported(b"q", 18, at(0))),
        (b"REDIS0010", b"\x00\x01k\x01v\x00\x01k\x01w", LoadError::Malformed { offset: at(10) }),
        (b"REDIS0010", b"\x04\x01h\x02\x01f\x01a\x01f\x01b", LoadError::Malformed { offset: at(12) }),
        (b"REDIS0010", b"\xff", LoadError::Malformed { offset: at(1) }),
    ];
    for (magic, contents, error) in cases {
        assert_eq!(load(&file(magic, &[contents])).err(), Some(error), "{contents:?}");
    }
    let mut wrong = file(b"REDIS0010", &[b"\x00\x01k\x01v"]);
    *wrong.last_mut().unwrap() = 1;
    assert_eq!(load(&wrong).err(), Some(LoadError::Checksum));
}

#[test]
fn mutated_snapshots_are_refused_or_loaded_but_never_panic() {
    let (mut dice, mut loaded) = (Dice::new(12), 0);
    let (mut db, mut again) = (Db::new(1, START_MS), Db::new(2, START_MS));
    let sources = [busy(1).snapshot(), small().snapshot(), packed(), super::skip::STREAMS.to_vec()];
    for round in 0..20_000 {
        let source = &sources[round % sources.len()];
        let contents = &source[..source.len() - CHECKSUM];
        // Past the checksum, which would catch all of it.
        let mutant = [mutated(contents, &mut dice), vec![0; CHECKSUM]].concat();
        let _ = again.engine.load_skipping(&mutant, Some(&mut Skipped::default()));
        if db.engine.load(&mutant).is_ok() {
            // An accepted snapshot gives a valid keyspace.
            again.engine.load(&db.snapshot()).unwrap();
            assert_eq!(again.engine.digest(), db.engine.digest());
            loaded += 1;
        }
    }
    assert!((1_000..15_000).contains(&loaded), "{loaded} mutants were loaded: too many or too few to tell anything");
}

fn small() -> Db {
    let mut db = Db::new(2, START_MS);
    for line in ["SET s 70000", "SET t abc PX 500", "RPUSH l a 1 -200", "HSET h f v g 12", "SELECT 9", "SET z 1"] {
        db.run_line(line);
    }
    db
}

/// Encodings that are read but never written: LZF, listpacks, quicklists.
fn packed() -> Vec<u8> {
    let listpack: &[u8] =
        b"\x20\x00\x00\x00\x06\x00\x81a\x02\x05\x01\x83abc\x04\xc1\x2c\x02\xf1\x39\x30\x03\x83xyz\x04\xff";
    let mut listpack = listpack.to_vec();
    listpack[0] = listpack.len() as u8;
    let mut hash = b"\x10\x01h".to_vec();
    hash.push(listpack.len() as u8);
    hash.extend(&listpack);
    let mut list = b"\x12\x01l\x02\x01\x05plain\x02".to_vec();
    list.push(listpack.len() as u8);
    list.extend(&listpack);
    let bytes = file(b"REDIS0010", &[b"\x00\x01z\xc3\x06\x0b\x01ab\xe0\x00\x01", &hash, &list]);
    let mut db = load(&bytes).unwrap();
    assert_eq!(db.run_line("GET z"), "$11\r\nabababababa\r\n");
    assert_eq!(db.run_line("RPUSH l x"), ":8\r\n");
    assert_eq!(db.run_line("HSET h a 1 abc 1 12345 1 5 1"), ":1\r\n");
    bytes
}
