//! Streams of one client: cut anywhere, broken, endless.

use super::*;
use crate::clock::{ManualClock, Timestamp};
use crate::keylatch::Options;
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

/// What a stream is answered as a whole, and whether it ends closed.
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

/// A pipeline whose replies are far longer than its requests: the output of a call stays near its limit, and nothing
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
fn output_that_waits_already_does_not_stop_progress() {
    let mut keylatch = engine();
    let mut connection = connected(&mut keylatch);
    let mut out = vec![b'x'; OUTPUT_MAX * 2];
    let fed = connection.feed(&mut keylatch, b"PING\r\nPING\r\n", &mut out);
    assert_eq!(fed, Fed::default());
    assert!(out.ends_with(b"x+PONG\r\n+PONG\r\n"));
}
