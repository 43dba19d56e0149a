//! Streams of one client: cut anywhere, broken, endless.

use super::*;
use crate::base::clock::{ManualClock, Timestamp};
use crate::engine::keylatch::Options;
use alloc::string::String;
use alloc::vec;

/// Counts how often it is asked.
#[derive(Clone, Debug, Default)]
struct Counting {
    asked: usize,
}

impl Clock for Counting {
    fn now(&mut self) -> Timestamp {
        self.asked += 1;
        Timestamp::from_ms(1_000 + self.asked as i64)
    }
}

fn engine() -> Keylatch<ManualClock> {
    Keylatch::new(Options::default(), ManualClock::new(Timestamp::from_ms(1_000)))
}

fn connected<C: Clock>(keylatch: &mut Keylatch<C>) -> Connection {
    Connection::new(keylatch.connect(), Limits::default())
}

/// Replies to a whole stream, and whether it ends closed.
fn answered(stream: &[u8]) -> (String, bool) {
    let mut keylatch = engine();
    let mut out = Vec::new();
    let fed = connected(&mut keylatch).feed(&mut keylatch, stream, &mut out);
    assert!(!fed.more);
    (String::from_utf8(out).unwrap(), fed.closed)
}

#[test]
fn a_stream_is_answered_the_same_however_it_is_cut() {
    let stream: &[u8] = b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n\r\n\r\nGET k\r\n\r\n*0\r\n*1\r\n$5\r\nMULTI\r\nINCR n\r\nincr k\r\nFOO\r\n\
        *1\r\n$4\r\nEXEC\r\n*2\r\n$4\r\nEXEC\r\n$0\r\n\r\n  PING 'a b' \r\n*2\r\n$6\r\nSTRLEN\r\n$1\r\nk\r\nSET a \"b\r\nPING\r\n";
    let (whole, closed) = answered(stream);
    assert!(closed && whole.ends_with("unbalanced quotes in request\r\n"), "{whole}");
    for cut in 0..=stream.len() {
        let mut keylatch = engine();
        let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
        let first = connection.feed(&mut keylatch, &stream[..cut], &mut out);
        let second = connection.feed(&mut keylatch, &stream[cut..], &mut out);
        assert_eq!(String::from_utf8_lossy(&out), whole, "cut at {cut}");
        assert!(second.closed && !first.more && !second.more);
    }
    let mut keylatch = engine();
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    for byte in stream {
        connection.feed(&mut keylatch, &[*byte], &mut out);
    }
    assert_eq!(String::from_utf8_lossy(&out), whole);
}

#[test]
fn broken_streams_are_answered_as_redis_does() {
    let protocol_errors: [(&[u8], &str); 9] = [
        (b"SET a \"b\r\n", "unbalanced quotes in request"),
        (b"*abc\r\n", "invalid multibulk length"),
        (b"*2147483648\r\n", "invalid multibulk length"),
        (b"*1\r\nabc\r\n", "expected '$', got 'a'"),
        (b"*1\r\n$-1\r\n", "invalid bulk length"),
        (b"*1\r\n$abc\r\n", "invalid bulk length"),
        (b"*1\r\n$536870913\r\n", "invalid bulk length"),
        (&[b'x'; 70_000], "too big inline request"),
        (&[&b"*"[..], &[b'1'; 70_000]].concat(), "too big mbulk count string"),
    ];
    for (stream, text) in protocol_errors {
        let stream = [b"PING\r\n", stream, b"\r\nPING\r\n"].concat();
        assert_eq!(answered(&stream), (alloc::format!("+PONG\r\n-ERR Protocol error: {text}\r\n"), true));
    }
}

#[test]
fn odd_streams_are_answered_as_redis_does() {
    let cases: [(&[u8], &str, bool); 10] = [
        (b"PING\n", "+PONG\r\n", false),
        (b"  PING  \r\n", "+PONG\r\n", false),
        (b"*-5\r\n*0\r\n\r\nPING\r\n", "+PONG\r\n", false),
        (b"ECHO \"\\x41\\n\" \r\n", "$2\r\nA\n\r\n", false),
        (b"ECHO 'it\\'s'\r\n", "$4\r\nit's\r\n", false),
        (b"*1\r\n$3\r\nPING\r\n", "-ERR unknown command 'PIN'\r\n", false),
        (b"*1\r\n$4\r\nA\r\nB\r\n", "-ERR unknown command 'A  B'\r\n", false),
        (b"PING\r\nQUIT\r\nPING\r\n", "+PONG\r\n+OK\r\n", true),
        (b"POST / HTTP/1.1\r\nHost: x\r\nFLUSHALL\r\n", "", true),
        (b"PING\r\nhost: localhost\r\nPING\r\n", "+PONG\r\n", true),
    ];
    for (stream, reply, closed) in cases {
        assert_eq!(answered(stream), (reply.into(), closed), "{:?}", String::from_utf8_lossy(stream));
    }
}

#[test]
fn nothing_is_read_behind_the_end_of_a_stream() {
    let mut keylatch = engine();
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    assert!(connection.feed(&mut keylatch, b"*x\r\n", &mut out).closed);
    out.clear();
    assert!(connection.feed(&mut keylatch, b"PING\r\n", &mut out).closed);
    assert_eq!(out, b"");
    let mut other = connected(&mut keylatch);
    keylatch.disconnect(other.client());
    assert!(other.feed(&mut keylatch, b"PING\r\nPING\r\n", &mut out).closed);
    assert_eq!(out, b"");
}

#[test]
fn the_clock_is_asked_at_most_once_a_chunk_and_only_when_it_can_matter() {
    let mut keylatch = Keylatch::new(Options::default(), Counting::default());
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    connection.feed(&mut keylatch, b"GET k\r\nINCR n\r\nPING\r\n", &mut out);
    assert_eq!(keylatch.clock_mut().asked, 0);
    connection.feed(&mut keylatch, b"SET k v PX 5\r\nPTTL k\r\nGET k\r\nTIME\r\n", &mut out);
    assert_eq!(keylatch.clock_mut().asked, 1);
    connection.feed(&mut keylatch, b"GET k\r\nGET k\r\n", &mut out);
    assert_eq!(keylatch.clock_mut().asked, 2);
    connection.feed(&mut keylatch, b"GET k", &mut out);
    assert_eq!(keylatch.clock_mut().asked, 2);
}

#[test]
fn what_reached_the_client_meanwhile_comes_before_its_next_replies() {
    let mut keylatch = engine();
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    connection.feed(&mut keylatch, b"HELLO 3\r\nSUBSCRIBE news\r\n", &mut out);
    out.clear();
    let (mut other, mut ignored) = (connected(&mut keylatch), Vec::new());
    other.feed(&mut keylatch, b"PUBLISH news hi\r\n", &mut ignored);
    connection.feed(&mut keylatch, b"PING\r\n", &mut out);
    assert_eq!(String::from_utf8_lossy(&out), ">3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$2\r\nhi\r\n+PONG\r\n");
}

#[test]
fn a_client_that_another_one_ends_is_closed_without_running_anything() {
    let mut keylatch = engine();
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    let mut other = connected(&mut keylatch);
    other.feed(&mut keylatch, b"CLIENT KILL ID 1\r\n", &mut out);
    assert_eq!(out, b":1\r\n");
    assert!(connection.feed(&mut keylatch, b"SET k v\r\n", &mut out).closed);
    other.feed(&mut keylatch, b"EXISTS k\r\n", &mut out);
    assert_eq!(out, b":1\r\n:0\r\n");
}

/// A pipeline with replies far longer than its requests: the output of a call stays near its limit, and nothing
/// of the pipeline is lost or answered twice.
#[test]
fn a_long_pipeline_stops_for_its_output_and_goes_on() {
    const COMMANDS: usize = 100_000;
    const REPLY_BYTES: usize = 1_000;
    let mut keylatch = engine();
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    let value = vec![b'v'; REPLY_BYTES];
    let set = [&b"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000\r\n"[..], &value, b"\r\n"].concat();
    connection.feed(&mut keylatch, &set, &mut out);
    let reply_bytes = REPLY_BYTES + b"$1000\r\n\r\n".len();

    let pipeline = b"*2\r\n$3\r\nGET\r\n$1\r\nk\r\n".repeat(COMMANDS);
    let (mut answered_bytes, mut calls, mut chunk) = (0, 0, pipeline.as_slice());
    loop {
        out.clear();
        let fed = connection.feed(&mut keylatch, chunk, &mut out);
        assert!(out.len() < OUTPUT_MAX + reply_bytes && !fed.closed);
        assert!(out.chunks(reply_bytes).all(|reply| reply.starts_with(b"$1000\r\nv") && reply.ends_with(b"v\r\n")));
        (answered_bytes, calls, chunk) = (answered_bytes + out.len(), calls + 1, b"");
        if !fed.more {
            break;
        }
        assert!(out.len() >= OUTPUT_MAX);
    }
    assert_eq!(answered_bytes, COMMANDS * reply_bytes);
    assert_eq!(calls, (COMMANDS * reply_bytes).div_ceil(OUTPUT_MAX.next_multiple_of(reply_bytes)));
    assert_eq!(connection.decoder.waiting_bytes(), 0);
}

#[test]
fn a_stream_that_stopped_for_its_output_still_gets_messages_and_its_end() {
    let mut keylatch = engine();
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    let (mut other, mut ignored) = (connected(&mut keylatch), Vec::new());
    other.feed(&mut keylatch, b"SETRANGE k 1000000 x\r\n", &mut ignored);
    let stream = b"HELLO 3\r\nSUBSCRIBE c\r\nGET k\r\nGET k\r\nGET k\r\n";
    assert!(connection.feed(&mut keylatch, stream, &mut out).more);
    other.feed(&mut keylatch, b"PUBLISH c m\r\n", &mut ignored);
    out.clear();
    assert_eq!(connection.wake(&mut keylatch, &mut out), Fed { more: true, ..Fed::default() });
    assert_eq!(String::from_utf8_lossy(&out), ">3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n");
    other.feed(&mut keylatch, b"CLIENT KILL ID 1\r\n", &mut ignored);
    assert!(connection.wake(&mut keylatch, &mut out).closed);
}

#[test]
fn output_that_waits_already_does_not_stop_progress() {
    let mut keylatch = engine();
    let mut connection = connected(&mut keylatch);
    let mut out = vec![b'x'; OUTPUT_MAX * 2];
    let fed = connection.feed(&mut keylatch, b"PING\r\nPING\r\n", &mut out);
    assert_eq!(fed, Fed::default());
    assert!(out.ends_with(b"x+PONG\r\n+PONG\r\n"));
}

#[test]
fn a_client_that_waits_is_read_on_only_when_it_is_woken() {
    let mut keylatch = engine();
    let (mut waiting, mut other) = (connected(&mut keylatch), connected(&mut keylatch));
    let (mut out, mut ignored) = (Vec::new(), Vec::new());
    let fed = waiting.feed(&mut keylatch, b"PING\r\nBLPOP q 0\r\nSET k v\r\nGET k\r\n", &mut out);
    assert_eq!(
        (fed, waiting.waiting_bytes()),
        (Fed { blocked: true, ..Fed::default() }, b"SET k v\r\nGET k\r\n".len())
    );
    assert!(waiting.feed(&mut keylatch, b"ECHO x\r\n", &mut out).blocked);
    assert_eq!(out, b"+PONG\r\n");
    other.feed(&mut keylatch, b"EXISTS k\r\nRPUSH q e\r\n", &mut ignored);
    assert_eq!((ignored.as_slice(), keylatch.take_affected()), (&b":0\r\n:1\r\n"[..], vec![waiting.client()]));
    out.clear();
    assert_eq!(waiting.feed(&mut keylatch, b"", &mut out), Fed::default());
    assert_eq!(String::from_utf8_lossy(&out), "*2\r\n$1\r\nq\r\n$1\r\ne\r\n+OK\r\n$1\r\nv\r\n$1\r\nx\r\n");
}

#[test]
fn a_message_to_oneself_comes_behind_the_reply_of_its_command() {
    let mut keylatch = engine();
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    connection.feed(&mut keylatch, b"HELLO 3\r\nSUBSCRIBE c\r\n", &mut out);
    out.clear();
    connection.feed(&mut keylatch, b"PUBLISH c m\r\nPING\r\n", &mut out);
    assert_eq!(String::from_utf8_lossy(&out), ":1\r\n>3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$1\r\nm\r\n+PONG\r\n");
}

#[test]
fn whoever_gave_no_password_may_send_only_what_giving_it_takes() {
    let many = [&b"*11\r\n"[..], &b"$1\r\nx\r\n".repeat(11)].concat();
    let long = [&b"*2\r\n$4\r\nAUTH\r\n$16385\r\n"[..], &[b'x'; 16385], b"\r\n"].concat();
    for (stream, text) in [(&many, "unauthenticated multibulk length"), (&long, "unauthenticated bulk length")] {
        let mut keylatch = engine();
        keylatch.configure("requirepass", "secret").unwrap();
        let (mut stranger, mut friend, mut out) = (connected(&mut keylatch), connected(&mut keylatch), Vec::new());
        assert!(stranger.feed(&mut keylatch, stream, &mut out).closed);
        assert_eq!(String::from_utf8_lossy(&out), alloc::format!("-ERR Protocol error: {text}\r\n"));
        out.clear();
        let fed = friend.feed(&mut keylatch, &[b"AUTH secret\r\n", stream.as_slice()].concat(), &mut out);
        let answer = String::from_utf8_lossy(&out);
        assert!(!fed.closed && answer.starts_with("+OK\r\n-") && !answer.contains("Protocol error"), "{answer}");
    }
}

#[test]
fn a_read_of_what_has_expired_does_not_write() {
    let mut db = engine();
    db.record(true);
    db.configure("enable-debug-command", "yes").unwrap();
    let mut connection = connected(&mut db);
    let mut wrote =
        |db: &mut Keylatch<ManualClock>, request: &[u8]| connection.feed(db, request, &mut Vec::new()).wrote;
    wrote(&mut db, b"DEBUG SET-ACTIVE-EXPIRE 0\r\n");
    assert!(wrote(&mut db, b"SET k v PX 10\r\nHSET h f v\r\nHPEXPIRE h 10 FIELDS 1 f\r\n"));
    db.take_effects();
    db.clock_mut().advance(11);
    for read in [&b"GET k\r\n"[..], b"HGET h f\r\n", b"HLEN h\r\n"] {
        assert!(!wrote(&mut db, read));
    }
    let removals = String::from_utf8(db.take_effects()).unwrap();
    assert!(removals.contains("DEL") && removals.contains("HDEL"), "{removals}");
    assert!(wrote(&mut db, b"SET k v\r\n"));
}

#[test]
fn limits_of_requests_are_configured() {
    let mut keylatch = engine();
    let (mut connection, mut out) = (connected(&mut keylatch), Vec::new());
    connection.feed(&mut keylatch, b"CONFIG SET proto-max-bulk-len 1mb\r\n", &mut out);
    assert!(keylatch.take_configured() && !keylatch.take_configured());
    connection.set_limits(keylatch.limits());
    assert!(connection.feed(&mut keylatch, b"*1\r\n$1048577\r\n", &mut out).closed);
    assert!(out.ends_with(b"invalid bulk length\r\n"));
}

/// Each reading of this watch is 100 microseconds after the one before.
fn watch() -> u64 {
    use core::sync::atomic::{AtomicU64, Ordering};
    static READ_US: AtomicU64 = AtomicU64::new(0);
    READ_US.fetch_add(100, Ordering::Relaxed)
}

/// All tests share the watch, so it is read in one of them only.
#[test]
fn quick_commands_share_their_time_and_others_are_measured_alone() {
    let mut keylatch = engine();
    let (mut connection, mut out, mut meter) = (connected(&mut keylatch), Vec::new(), Meter::new(watch));
    let mut feed = |stream: &[u8]| {
        out.clear();
        connection.feed_measured(&mut keylatch, stream, &mut meter, &mut out);
        String::from_utf8_lossy(&out).into_owned()
    };
    feed(b"SET a 1\r\nGET a\r\nGET a\r\nGET a\r\nKEYS *\r\nGET a\r\nNOSUCH\r\n");
    let stats = feed(b"INFO commandstats\r\n");
    for line in [
        "cmdstat_set:calls=1,usec=25,usec_per_call=25.00,",
        "cmdstat_get:calls=4,usec=175,usec_per_call=43.75,",
        "cmdstat_keys:calls=1,usec=100,usec_per_call=100.00,",
    ] {
        assert!(stats.contains(line), "{line} not in {stats}");
    }
    feed(b"SETRANGE big 20000 x\r\nCONFIG RESETSTAT\r\nKEYS *\r\nGET a\r\nGET big\r\n");
    let stats = feed(b"INFO commandstats\r\n");
    assert!(
        stats.contains("cmdstat_get:calls=2,usec=100,") && stats.contains("cmdstat_keys:calls=1,usec=100,"),
        "{stats}"
    );
    feed(b"CONFIG SET slowlog-log-slower-than 100\r\nSLOWLOG RESET\r\n");
    feed(b"GET a\r\nGET b\r\n");
    let slow = feed(b"SLOWLOG GET\r\n");
    assert!(slow.contains("$1\r\nb\r\n") && slow.contains("$1\r\na\r\n") && slow.contains(":100\r\n"), "{slow}");
}

/// How much later each reading of the watch below is than the one before.
const LAPS_US: [u64; 13] = [0, 3, 9, 0, 1, 20_000, 1, 0, 30, 15_000, 0, 12_000, 1];

fn scripted_watch() -> u64 {
    use core::sync::atomic::{AtomicUsize, Ordering};
    static READINGS: AtomicUsize = AtomicUsize::new(0);
    let readings = READINGS.fetch_add(1, Ordering::Relaxed) + 1;
    LAPS_US.iter().take(readings).sum()
}

#[test]
fn a_slow_command_among_quick_ones_is_in_the_slowlog_as_itself() {
    let mut keylatch = engine();
    let (mut connection, mut out, mut meter) = (connected(&mut keylatch), Vec::new(), Meter::new(scripted_watch));
    let mut feed = |stream: &[u8], measured: bool| {
        out.clear();
        match measured {
            true => connection.feed_measured(&mut keylatch, stream, &mut meter, &mut out),
            false => connection.feed(&mut keylatch, stream, &mut out),
        };
        String::from_utf8_lossy(&out).into_owned()
    };
    let slow = |text: String, all: &[&str]| {
        let count = format!("*{}\r\n", all.len());
        assert!(text.starts_with(&count) && all.iter().all(|one| text.contains(one)), "{text}");
    };
    // A setting counts from the next request on.
    feed(b"CONFIG SET slowlog-log-slower-than 5\r\nGET b\r\n", true);
    slow(feed(b"SLOWLOG GET\r\nSLOWLOG RESET\r\n", false), &[":9\r\n*2\r\n$3\r\nGET\r\n$1\r\nb\r\n"]);
    feed(b"CONFIG SET slowlog-log-slower-than 10000\r\n", false);
    // Not bound by its request or reply, it is measured alone.
    feed(b"SET a 1\r\nSET b 2\r\nAPPEND a x\r\nGET a\r\n", true);
    slow(feed(b"SLOWLOG GET\r\nSLOWLOG RESET\r\n", false), &[":20000\r\n*3\r\n$6\r\nAPPEND\r\n"]);
    // A quick command that was slow is measured alone the next time.
    feed("GET a\r\n".repeat(200).as_bytes(), true);
    slow(feed(b"SLOWLOG GET\r\n", false), &[]);
    feed(b"GET x\r\nGET y\r\n", true);
    slow(feed(b"SLOWLOG GET\r\nSLOWLOG RESET\r\n", false), &[":12000\r\n*2\r\n$3\r\nGET\r\n$1\r\nx\r\n"]);
}

#[test]
fn information_about_an_unknown_command_is_a_null() {
    assert_eq!(answered(b"COMMAND INFO nosuch\r\n").0, "*1\r\n$-1\r\n");
    assert!(answered(b"HELLO 3\r\nCOMMAND INFO nosuch\r\n").0.ends_with("*1\r\n_\r\n"));
}

#[test]
fn debug_is_for_those_whom_the_configuration_names() {
    const ADDRESSES: [&str; 6] =
        ["", "127.0.0.1:5000", "[::1]:5000", "/run/keylatch.sock:0", "10.0.0.1:5000", "[::ffff:10.0.0.1]:5000"];
    for (value, allowed) in [("no", 1), ("local", 4), ("yes", 6)] {
        let mut keylatch = engine();
        keylatch.configure("enable-debug-command", value).unwrap();
        for (index, address) in ADDRESSES.iter().enumerate() {
            let client = keylatch.accept(address, address);
            let mut ask = |request: &str| {
                let mut out = Vec::new();
                let mut connection = Connection::new(client, Limits::default());
                connection.feed(&mut keylatch, request.as_bytes(), &mut out);
                String::from_utf8(out).unwrap()
            };
            let requests = [
                "DEBUG OBJECT k\r\n",
                "DEBUG SLEEP 0\r\n",
                "debug help\r\n",
                "DEBUG RELOAD\r\n",
                "MULTI\r\nDEBUG SET-ACTIVE-EXPIRE 0\r\nEXEC\r\n",
            ];
            for request in requests {
                let is_refused =
                    ask(request).contains("-ERR DEBUG command not allowed. If the enable-debug-command option");
                assert_eq!(is_refused, index >= allowed, "{value}, {address}, {request}");
            }
            assert_eq!(ask("DEBUG\r\n"), "-ERR wrong number of arguments for 'debug' command\r\n");
        }
    }
    assert!(engine().configure("enable-debug-command", "maybe").is_err());
}
