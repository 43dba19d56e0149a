//! A real server reads files written by the engine, and the engine reads the server's. The server is that of
//! REDIS_SERVER or of PATH; without one these tests print SKIPPED and pass.

use std::io::Write;
use std::time::{SystemTime, UNIX_EPOCH};

use super::harness::Db;
use super::redis::{self, Folder, Server};
use super::workload::Workload;
use keylatch::internals::resp::read::{Value, read};

/// Lead of the engine's clock in milliseconds: no key expires in a server meanwhile.
const AHEAD_MS: i64 = 3_600_000;

/// Longer than a node of a quicklist or an entry of a listpack may be.
const LONG: usize = 20_000;

/// Starts a server in a folder; prints SKIPPED and returns None when there is no server.
fn start(folder: Folder, options: &[&str]) -> Option<Server> {
    let Some(program) = redis::program() else {
        // Written to the stream directly, because the test harness captures printed output.
        let _ = writeln!(std::io::stderr(), "SKIPPED  no redis-server on the path nor in REDIS_SERVER");
        return None;
    };
    Some(Server::start(&program, folder, options))
}

fn saved_digest(server: &mut Server) -> u64 {
    let mut db = Db::new(99, 0);
    db.engine.load(&server.saved()).unwrap();
    db.engine.digest()
}

fn texts(reply: &[u8]) -> Vec<String> {
    let Some((Value::Array(elements), _)) = read(reply).unwrap() else { panic!("no array") };
    let text = |element| match element {
        Value::Bulk(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        other => panic!("{other:?}"),
    };
    elements.into_iter().map(text).collect()
}

fn ahead_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_millis() as i64 + AHEAD_MS
}

/// Values in all encodings, by commands that both sides have. Deadlines are in the year 2100 and later.
fn varied() -> Vec<Vec<String>> {
    let line = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let numbered =
        |head: &str, count: usize| [line(head), (0..count).map(|index| (index * 7919).to_string()).collect()].concat();
    let mut commands: Vec<Vec<String>> = [
        "SET int8 -7",
        "SET int16 -30000",
        "SET int32 2147483647",
        "SET int64 9223372036854775807",
        "SET float 3.25",
        "SET padded 007",
        "SET timed v PXAT 4102444800123",
        "RPUSH short a 1 -300 70000 -9000000 9223372036854775807 x",
        "PEXPIREAT short 4102444800456",
        "HSET small field value 1 2 -5000 -70000",
        "ZADD ranked 1.5 a -inf b inf c 1e300 7 0.1 -300",
        "XADD events 1-1 kind order amount 20",
        "XADD events 1-2 kind order amount -300",
        "XADD events 2-1 note text",
        "XADD events 3-1 note 9223372036854775807",
        "XDEL events 1-2",
        "XGROUP CREATE events readers 0",
        "XGROUP CREATE events others 2-1 ENTRIESREAD 3",
        "XGROUP CREATECONSUMER events readers ann",
        "XGROUP CREATECONSUMER events readers bob",
        "XCLAIM events readers ann 0 1-1 2-1 TIME 0 RETRYCOUNT 3 FORCE JUSTID LASTID 2-1",
        "XADD emptied 5-1 f v",
        "XTRIM emptied MAXLEN 0",
        "SELECT 15",
        "SET other database",
        "SELECT 0",
    ]
    .map(line)
    .to_vec();
    commands.push(vec!["SET".into(), "empty".into(), String::new()]);
    commands.push(vec!["SET".into(), "packed".into(), "abcabcabd".repeat(LONG / 9)]);
    commands.push(vec!["SET".into(), "one-letter".into(), "x".repeat(LONG)]);
    commands.push(vec!["SET".into(), "k".repeat(300), "long key".into()]);
    commands.push(vec!["RPUSH".into(), "plain-nodes".into(), "y".repeat(LONG), "z".into(), "w".repeat(LONG)]);
    commands.push(vec!["HSET".into(), "long-field".into(), "f".repeat(200), "g".repeat(5_000)]);
    commands.push(numbered("RPUSH many", 5_000));
    commands.extend((1..400).map(|id| line(&format!("XADD long {id} number {id} text {}", "t".repeat(id % 90)))));
    commands.push(numbered("HSET wide", 4_000));
    commands.push(numbered("ZADD deep", 4_000));
    commands
}

#[test]
fn what_a_server_saves_is_read() {
    let Some(mut server) = start(Folder::new("saves"), &[]) else { return };
    let mut db = Db::new(1, 0);
    for command in varied() {
        assert_eq!(server.run(&command), db.run(&command), "{:?}", &command[..2]);
    }
    assert_eq!(saved_digest(&mut server), db.engine.digest());
    // Without compression and checksum, too.
    server.run_line("CONFIG SET rdbcompression no");
    assert_eq!(saved_digest(&mut server), db.engine.digest());
}

#[test]
fn a_snapshot_loads_in_a_server() {
    let folder = Folder::new("snapshot");
    let mut db = Db::new(2, ahead_ms());
    varied().iter().for_each(|command| drop(db.run(command)));
    folder.write_snapshot(&db.snapshot());
    let Some(mut server) = start(folder, &[]) else { return };
    assert_eq!(server.run_line("DBSIZE"), db.run_line("DBSIZE"));
    for key in ["int8", "int16", "int32", "int64", "float", "padded", "packed"] {
        assert_eq!(server.run_line(&format!("GET {key}")), db.run_line(&format!("GET {key}")), "{key}");
    }
    assert_eq!(server.run_line("PEXPIRETIME timed"), ":4102444800123\r\n");
    let elements = ["a", "1", "-300", "70000", "-9000000", "9223372036854775807", "x"];
    assert_eq!(texts(&server.run(&["LRANGE", "short", "0", "-1"])), elements);
    assert_eq!(texts(&server.run(&["ZRANGE", "ranked", "0", "-1"])), ["b", "-300", "a", "7", "c"]);
    for read in ["XRANGE events - +", "XPENDING events readers", "XINFO GROUPS events", "XREVRANGE long + - COUNT 9"] {
        assert_eq!(server.run_line(read), db.run_line(read), "{read}");
    }
    assert_eq!(server.run_line("ZRANK deep 7919"), db.run_line("ZRANK deep 7919"));
    assert_eq!(server.run_line("HGET small -5000"), "$6\r\n-70000\r\n");
    assert_eq!(saved_digest(&mut server), db.engine.digest());
}

#[test]
fn random_snapshots_load_in_a_server() {
    for seed in 0..3 {
        let folder = Folder::new(&format!("random-{seed}"));
        let start_ms = ahead_ms();
        let (mut db, mut workload) = (Db::new(seed, start_ms), Workload::without_field_deadlines(seed, start_ms));
        (0..400).for_each(|_| workload.step(&mut db));
        workload.finish(&mut db);
        folder.write_snapshot(&db.snapshot());
        let Some(mut server) = start(folder, &[]) else { return };
        assert_eq!(saved_digest(&mut server), db.engine.digest(), "seed {seed}");
    }
}

#[test]
fn a_log_loads_as_an_append_only_file() {
    for seed in 0..5 {
        let folder = Folder::new(&format!("log-{seed}"));
        let start_ms = ahead_ms();
        let (mut db, mut workload) = (Db::recording(seed, start_ms), Workload::without_field_deadlines(seed, start_ms));
        let mut log = Vec::new();
        for _ in 0..600 {
            workload.step(&mut db);
            if workload.dice.roll(9) == 0 {
                log.extend(db.engine.take_effects());
            }
        }
        workload.finish(&mut db);
        log.extend(db.engine.take_effects());
        folder.write_log(&log);
        let Some(mut server) = start(folder, &["--appendonly", "yes"]) else { return };
        assert_eq!(saved_digest(&mut server), db.engine.digest(), "seed {seed}");
    }
}

#[test]
fn a_recorded_load_is_a_log_for_a_server_too() {
    let folder = Folder::new("recorded");
    let mut source = Db::new(3, ahead_ms());
    varied().iter().for_each(|command| drop(source.run(command)));
    let mut db = Db::recording(4, ahead_ms());
    db.engine.load(&source.snapshot()).unwrap();
    folder.write_log(&db.engine.take_effects());
    let Some(mut server) = start(folder, &["--appendonly", "yes"]) else { return };
    assert_eq!(saved_digest(&mut server), db.engine.digest());
}
