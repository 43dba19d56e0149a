//! A real server reads what is written here, and what it writes is read here. The server is the one REDIS_SERVER or the
//! path names; without one these tests say SKIPPED and pass.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::harness::Db;
use super::workload::Workload;
use keylatch::Argv;
use keylatch::reply::read::{Value, read};

const STARTUP_MAX: Duration = Duration::from_secs(20);
/// The engine's clock is so far ahead that nothing of it expires in a server meanwhile.
const AHEAD_MS: i64 = 3_600_000;

/// Longer than a node of a quicklist or an entry of a listpack may be.
const LONG: usize = 20_000;

fn program() -> Option<PathBuf> {
    let named = std::env::var_os("REDIS_SERVER").map(PathBuf::from);
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).map(|folder| folder.join("redis-server"));
    named.into_iter().chain(found).find(|path| path.is_file())
}

/// A folder of its own for each test, gone when the test is over.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("server-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn snapshot(&self) -> PathBuf {
        self.0.join("dump.rdb")
    }

    fn write_log(&self, log: &[u8]) {
        let folder = self.0.join("appendonlydir");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("appendonly.aof.1.incr.aof"), log).unwrap();
        fs::write(folder.join("appendonly.aof.manifest"), "file appendonly.aof.1.incr.aof seq 1 type i\n").unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

struct Server {
    process: Child,
    stream: TcpStream,
    folder: Folder,
}

impl Server {
    /// Starts a server in a folder; None, said aloud, when there is none to start.
    fn start(folder: Folder, options: &[&str]) -> Option<Server> {
        let Some(program) = program() else {
            // Straight to the stream: the test harness keeps what is printed to itself.
            let _ = writeln!(std::io::stderr(), "SKIPPED  no redis-server on the path nor in REDIS_SERVER");
            return None;
        };
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut process = Command::new(program)
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendfsync", "no"])
            .args(options)
            .current_dir(&folder.0)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let deadline = Instant::now() + STARTUP_MAX;
        let stream = loop {
            let refusal = match TcpStream::connect(("127.0.0.1", port)) {
                Ok(stream) if is_ready(&stream) => break stream,
                Ok(_) => "still loading".to_owned(),
                Err(error) => error.to_string(),
            };
            if process.try_wait().unwrap().is_some() || Instant::now() > deadline {
                let _ = process.kill();
                let output = process.wait_with_output().unwrap().stdout;
                panic!("the server did not start: {refusal}\n{}", String::from_utf8_lossy(&output));
            }
            std::thread::sleep(Duration::from_millis(20));
        };
        Some(Server { process, stream, folder })
    }

    fn run(&mut self, arguments: &[impl AsRef<[u8]>]) -> Vec<u8> {
        ask(&self.stream, arguments).unwrap()
    }

    fn say(&mut self, line: &str) -> String {
        let words: Vec<&str> = line.split(' ').collect();
        String::from_utf8_lossy(&self.run(&words)).into_owned()
    }

    /// What the server saves.
    fn saved(&mut self) -> Vec<u8> {
        assert_eq!(self.say("SAVE"), "+OK\r\n");
        fs::read(self.folder.snapshot()).unwrap()
    }

    fn saved_digest(&mut self) -> u64 {
        let mut db = Db::new(99, 0);
        db.engine.load(&self.saved()).unwrap();
        db.engine.digest()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn is_ready(stream: &TcpStream) -> bool {
    ask(stream, &["PING"]).is_ok_and(|reply| reply == b"+PONG\r\n")
}

/// Sends one request and reads one reply.
fn ask(mut stream: &TcpStream, arguments: &[impl AsRef<[u8]>]) -> std::io::Result<Vec<u8>> {
    let argv = Argv::from_slices(arguments);
    let mut request = format!("*{}\r\n", argv.len()).into_bytes();
    for argument in argv.as_ref().iter() {
        request.extend(format!("${}\r\n", argument.len()).into_bytes());
        request.extend([argument, b"\r\n"].concat());
    }
    stream.write_all(&request)?;
    let (mut reply, mut buffer) = (Vec::new(), [0; 65536]);
    while read(&reply).unwrap().is_none() {
        let received = stream.read(&mut buffer)?;
        if received == 0 {
            return Err(std::io::ErrorKind::UnexpectedEof.into());
        }
        reply.extend_from_slice(&buffer[..received]);
    }
    Ok(reply)
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

/// Values that are coded in different ways, by commands that both sides know. Deadlines are in the year 2100 and later.
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
    commands.push(numbered("HSET wide", 4_000));
    commands
}

#[test]
fn what_a_server_saves_is_read() {
    let Some(mut server) = Server::start(Folder::new("saves"), &[]) else { return };
    let mut db = Db::new(1, 0);
    for command in varied() {
        assert_eq!(server.run(&command), db.run(&command), "{:?}", &command[..2]);
    }
    assert_eq!(server.saved_digest(), db.engine.digest());
    // Without compression and checksum, too.
    server.say("CONFIG SET rdbcompression no");
    assert_eq!(server.saved_digest(), db.engine.digest());
}

#[test]
fn a_snapshot_loads_in_a_server() {
    let folder = Folder::new("snapshot");
    let mut db = Db::new(2, ahead_ms());
    varied().iter().for_each(|command| drop(db.run(command)));
    fs::write(folder.snapshot(), db.snapshot()).unwrap();
    let Some(mut server) = Server::start(folder, &[]) else { return };
    assert_eq!(server.say("DBSIZE"), db.say("DBSIZE"));
    for key in ["int8", "int16", "int32", "int64", "float", "padded", "packed"] {
        assert_eq!(server.say(&format!("GET {key}")), db.say(&format!("GET {key}")), "{key}");
    }
    assert_eq!(server.say("PEXPIRETIME timed"), ":4102444800123\r\n");
    let elements = ["a", "1", "-300", "70000", "-9000000", "9223372036854775807", "x"];
    assert_eq!(texts(&server.run(&["LRANGE", "short", "0", "-1"])), elements);
    assert_eq!(server.say("HGET small -5000"), "$6\r\n-70000\r\n");
    assert_eq!(server.saved_digest(), db.engine.digest());
}

#[test]
fn random_snapshots_load_in_a_server() {
    for seed in 0..3 {
        let folder = Folder::new(&format!("random-{seed}"));
        let start_ms = ahead_ms();
        let (mut db, mut workload) = (Db::new(seed, start_ms), Workload::new(seed, start_ms));
        (0..400).for_each(|_| workload.step(&mut db));
        workload.finish(&mut db);
        fs::write(folder.snapshot(), db.snapshot()).unwrap();
        let Some(mut server) = Server::start(folder, &[]) else { return };
        assert_eq!(server.saved_digest(), db.engine.digest(), "seed {seed}");
    }
}

#[test]
fn a_log_loads_as_an_append_only_file() {
    for seed in 0..5 {
        let folder = Folder::new(&format!("log-{seed}"));
        let start_ms = ahead_ms();
        let (mut db, mut workload) = (Db::recording(seed, start_ms), Workload::new(seed, start_ms));
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
        let Some(mut server) = Server::start(folder, &["--appendonly", "yes"]) else { return };
        assert_eq!(server.saved_digest(), db.engine.digest(), "seed {seed}");
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
    let Some(mut server) = Server::start(folder, &["--appendonly", "yes"]) else { return };
    assert_eq!(server.saved_digest(), db.engine.digest());
}
