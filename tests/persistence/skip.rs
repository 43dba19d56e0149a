//! Snapshots and logs of a real Redis with types that the engine lacks: refused by name, or loaded without them.

use super::harness::{Db, piece, resp};
use keylatch::LoadError;
use keylatch::internals::{Skipped, SkippedPart};

const START_MS: i64 = 1_000_000;
/// Behind magic and version.
const HEADER: usize = 9;

/// Written by Redis 7.0.15: the streams `moved` with a group in database 0 and `other` in database 3, among other keys.
pub const STREAMS: &[u8] = include_bytes!("files/streams-7.0.15.rdb");
/// Commands of that server as a log without a snapshot. The stream `moved` was renamed, and copied over a string.
const STREAMS_LOG: &[u8] = include_bytes!("files/streams-7.0.15.aof");

/// A file made by hand, without a checksum.
fn file(contents: &[&[u8]]) -> Vec<u8> {
    [b"REDIS0013", contents.concat().as_slice(), b"\xff", &[0; 8]].concat()
}

fn part(key: Option<&str>, database: u8, label: &str, offset: usize) -> SkippedPart {
    SkippedPart { key: key.map(|key| key.as_bytes().to_vec()), database, label: label.as_bytes().to_vec(), offset }
}

fn load(bytes: &[u8]) -> Result<(Db, Skipped), LoadError> {
    let (mut db, mut skipped) = (Db::new(1, START_MS), Skipped::default());
    db.engine.load_skipping(bytes, Some(&mut skipped))?;
    Ok((db, skipped))
}

/// The keys besides the streams.
fn check_others(db: &mut Db) {
    assert_eq!(db.run_line("SELECT 0") + &db.run_line("MGET text late"), "+OK\r\n*2\r\n$5\r\nagain\r\n$1\r\nx\r\n");
    assert_eq!(db.run_line("PEXPIRETIME late"), ":1895678058757\r\n");
    assert_eq!(db.run_line("LRANGE list 0 -1"), "*3\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n");
    assert_eq!(db.run_line("HGET hash f") + &db.run_line("DBSIZE"), "$1\r\nv\r\n:5\r\n");
    assert_eq!(db.run_line("SELECT 3") + &db.run_line("DBSIZE"), "+OK\r\n:2\r\n");
}

/// The stream that was renamed, with its group.
fn check_streams(db: &mut Db) {
    let moved = "SELECT 0\nXRANGE moved - +\nXPENDING moved readers\nSELECT 3\nXLEN other";
    let replies: Vec<String> = moved.lines().map(|line| db.run_line(line)).collect();
    let entry = "*1\r\n*2\r\n$3\r\n2-1\r\n*4\r\n$4\r\nkind\r\n$6\r\nrefund\r\n$6\r\namount\r\n$1\r\n3\r\n";
    assert_eq!((replies[1].as_str(), replies[4].as_str()), (entry, ":1\r\n"));
    assert!(replies[2].starts_with("*4\r\n:1\r\n$3\r\n1-1\r\n$3\r\n1-1\r\n"), "{}", replies[2]);
}

#[test]
fn streams_of_a_real_redis_are_loaded() {
    let mut db = Db::new(1, START_MS);
    db.engine.load(STREAMS).unwrap();
    check_others(&mut db);
    check_streams(&mut db);
    let mut db = Db::new(1, START_MS);
    db.engine.replay(STREAMS_LOG).unwrap();
    check_streams(&mut db);
    check_others(&mut db);
}

#[test]
fn a_snapshot_cut_within_a_stream_is_damaged() {
    for end in 110..250 {
        let cut = [&STREAMS[..end], b"\xff", &[0; 8]].concat();
        assert!(matches!(load(&cut), Err(LoadError::Malformed { offset }) if offset > 102), "cut at {end}");
    }
}

#[test]
fn a_key_that_was_replaced_by_a_skipped_one_is_gone() {
    let log = piece(1, &["SELECT 0", "SET old 1", "SET kept 1", "JSON.SET s $ 1", "RENAME s old"]);
    let (mut db, mut skipped) = (Db::new(1, START_MS), Skipped::default());
    db.engine.replay_skipping(&log, Some(&mut skipped)).unwrap();
    assert_eq!(db.run_line("EXISTS old") + &db.run_line("EXISTS kept"), ":0\r\n:1\r\n");
    // Where such a copy ends up is not known here.
    let copy = piece(1, &["SELECT 0", "JSON.SET s $ 1", "COPY s t DB 2"]);
    let offset = copy.len() - resp("COPY s t DB 2").len();
    assert_eq!(db.engine.replay_skipping(&copy, Some(&mut skipped)), Err(LoadError::Unsupported { offset }));
    let script = piece(1, &["SELECT 0", "EVAL return 0"]);
    assert!(matches!(db.engine.replay_skipping(&script, Some(&mut skipped)), Err(LoadError::Unsupported { .. })));
}

#[test]
fn restored_values_and_commands_of_modules_are_skipped_too() {
    let payload = b"\x0e\x00\x00";
    let mut log = piece(1, &["SELECT 0", "MULTI", "JSON.SET doc $ 1", "SET k v", "EXEC", "VADD v VALUES 1 1 e"]);
    let at = log.len();
    log.extend(b"*4\r\n$7\r\nRESTORE\r\n$1\r\ns\r\n$1\r\n0\r\n$3\r\n");
    log.extend(payload);
    log.extend(b"\r\n");
    let (mut db, mut skipped) = (Db::new(1, START_MS), Skipped::default());
    db.engine.replay_skipping(&log, Some(&mut skipped)).unwrap();
    assert_eq!(db.run_line("EXISTS k s"), ":1\r\n");
    let labels: Vec<&[u8]> = skipped.parts.iter().map(|part| &*part.label).collect();
    assert_eq!((labels, skipped.parts[2].offset), (vec![&b"JSON.SET"[..], b"VADD", b"14"], at));
}

#[test]
fn data_of_modules_is_skipped_where_its_length_is_known() {
    // The type number of ReJSON-RL, version 3.
    let json = b"\x81\x45\xe2\x52\x38\xdf\x91\x2c\x03";
    let name = "ReJSON-RL";
    let contents: &[&[u8]] = &[
        b"\xf7",
        json,
        b"\x02\x02\x05\x03abc\x00",
        b"\xfc\x00\xe4\x0b\x54\x02\x00\x00\x00\xf9\x07\x07\x03doc",
        json,
        b"\x05\x02{}\x00",
        b"\xf3\x01meta\x05\x01m\x00",
        b"\x00\x01k\x01v",
        b"\x0a\x03old\x04list",
    ];
    let bytes = file(contents);
    let (mut db, skipped) = load(&bytes).unwrap();
    assert_eq!(db.run_line("GET k") + &db.run_line("PTTL k") + &db.run_line("DBSIZE"), "$1\r\nv\r\n:-1\r\n:1\r\n");
    let at = |count: usize| HEADER + contents[..count].concat().len();
    assert_eq!(
        skipped.parts,
        [
            part(None, 0, name, at(0)),
            part(Some("doc"), 0, name, at(3) + 11),
            part(None, 0, "metadata", at(6)),
            part(Some("old"), 0, "10", at(8)),
        ]
    );
    let mut db = Db::new(1, START_MS);
    assert_eq!(db.engine.load(&bytes), Err(LoadError::Unsupported { offset: HEADER }));
    // Values of modules before Redis 4.0 have no known length.
    let old = file(&[b"\x06\x01m", json, b"\x00"]);
    let refused = LoadError::UnsupportedValue { key: b"m".to_vec(), type_code: 6, offset: HEADER };
    assert_eq!(load(&old).err(), Some(refused));
}
