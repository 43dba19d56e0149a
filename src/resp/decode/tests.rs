//! Tests of the request decoder: whole streams, any chunks, and malformed requests.

use super::*;
use crate::base::random::Random;
use alloc::format;
use alloc::string::{String, ToString};

/// Requests of a stream, and how it ended (`None`: more may follow).
type Decoded = (Vec<Vec<Vec<u8>>>, Option<Next>);

fn drain(decoder: &mut Decoder, decoded: &mut Decoded) {
    loop {
        match decoder.next() {
            Next::Command => decoded.0.push(decoder.argv().iter().map(<[u8]>::to_vec).collect()),
            Next::Incomplete => return,
            ended => {
                decoded.1.get_or_insert(ended);
                return;
            }
        }
    }
}

fn read_all(stream: &[u8]) -> Decoded {
    read_in_chunks(stream, |left| left)
}

fn read_in_chunks(stream: &[u8], mut chunk: impl FnMut(usize) -> usize) -> Decoded {
    let mut decoder = Decoder::new(Limits::default());
    let mut decoded = Decoded::default();
    let mut rest = stream;
    while !rest.is_empty() {
        let (now, later) = rest.split_at(chunk(rest.len()).clamp(1, rest.len()));
        decoder.feed(now);
        drain(&mut decoder, &mut decoded);
        rest = later;
    }
    decoded
}

fn words(decoded: &Decoded) -> Vec<String> {
    let line = |argv: &Vec<Vec<u8>>| {
        argv.iter().map(|word| String::from_utf8_lossy(word).into_owned()).collect::<Vec<_>>().join(" ")
    };
    decoded.0.iter().map(line).collect()
}

#[test]
fn reads_both_forms_one_after_another() {
    let decoded = read_all(b"*2\r\n$4\r\nECHO\r\n$5\r\na\r\nb\xff\r\nPING\r\n  set \"a b\" '' \n\r\n*0\r\n*-5\r\n*1\r\n$0\r\n\r\n*1\r\n$4\r\nQUIT\r\n");
    assert_eq!(decoded.1, None);
    let expected: [&[&[u8]]; 5] = [&[b"ECHO", b"a\r\nb\xff"], &[b"PING"], &[b"set", b"a b", b""], &[b""], &[b"QUIT"]];
    assert_eq!(decoded.0, expected);
}

#[test]
fn the_line_end_after_an_argument_is_not_checked() {
    let decoded = read_all(b"*1\r\n$3\r\nPING\r\nPONG\r\n");
    assert_eq!(words(&decoded), ["PIN", "PONG"]);
    assert_eq!(words(&read_all(b"*1\rX$4\rXPING..PONG\n")), ["PING", "PONG"]);
}

#[test]
fn protocol_errors_have_the_texts_of_redis() {
    let long_count = format!("*{}", "1".repeat(LINE_MAX));
    let long_length = format!("*1\r\n${}", "1".repeat(LINE_MAX));
    let long_line = "a".repeat(LINE_MAX + 1);
    let cases: [(&str, &str); 21] = [
        ("SET a \"b\r\n", "unbalanced quotes in request"),
        ("SET a \"b\"c\n", "unbalanced quotes in request"),
        ("*abc\r\n", "invalid multibulk length"),
        ("*\r\n", "invalid multibulk length"),
        ("*+1\r\n", "invalid multibulk length"),
        ("*01\r\n", "invalid multibulk length"),
        ("*2147483648\r\n", "invalid multibulk length"),
        ("*99999999999999999999\r\n", "invalid multibulk length"),
        ("*1\r\nabc\r\n", "expected '$', got 'a'"),
        ("*1\r\n*1\r\n", "expected '$', got '*'"),
        ("*1\r\n\r\n", "expected '$', got ' '"),
        ("*1\r\n\u{e9}\r\n", "expected '$', got '\u{fffd}'"),
        ("*1\r\n$-1\r\n", "invalid bulk length"),
        ("*1\r\n$abc\r\n", "invalid bulk length"),
        ("*1\r\n$\r\n", "invalid bulk length"),
        ("*1\r\n$536870913\r\n", "invalid bulk length"),
        ("*1\r\n$18446744073709551616\r\n", "invalid bulk length"),
        (&long_count, "too big mbulk count string"),
        (&long_length, "too big bulk count string"),
        (&long_line, "too big inline request"),
        ("*2\r\n$1\r\na\r\n:1\r\n", "expected '$', got ':'"),
    ];
    for (stream, expected) in cases {
        let stream = format!("PING\r\n{stream}");
        let (commands, ended) = read_all(stream.as_bytes());
        assert_eq!(commands.len(), 1);
        let Some(Next::Error(error)) = ended else { panic!("{stream:?} ended with {ended:?}") };
        assert_eq!(error.to_string(), format!("Protocol error: {expected}"));
    }
}

#[test]
fn lengths_at_their_limits_are_waited_for() {
    let long_line = format!("{}\n", "a".repeat(LINE_MAX));
    assert_eq!(read_all(long_line.as_bytes()).0.len(), 1);
    for stream in ["*2147483647\r\n$1\r\n", "*1\r\n$536870912\r\nabc", "*1\r\n$1\r\na\r", "*1\r", "*", "PING\r"] {
        assert_eq!(read_all(stream.as_bytes()), Decoded::default(), "{stream:?}");
    }
}

#[test]
fn nothing_follows_an_error_or_a_close() {
    let mut decoder = Decoder::new(Limits::default());
    decoder.feed(b"*x\r\nPING\r\n");
    assert_eq!(decoder.next(), Next::Error(ProtocolError::InvalidCount));
    decoder.feed(b"PING\r\n");
    assert_eq!(decoder.next(), Next::Close);
    assert_eq!(decoder.argv().len(), 0);
    for stream in ["POST / HTTP/1.1\r\nPING\r\n", "host: example.org\r\n", "Host:\r\n", "*1\r\n$4\r\npost\r\n"] {
        assert_eq!(read_all(stream.as_bytes()), (Vec::new(), Some(Next::Close)), "{stream:?}");
    }
    assert_eq!(words(&read_all(b"GET post\r\nhost: \"\"x\"\"\r\n")), ["GET post"]);
}

#[test]
fn a_request_beyond_its_limit_closes_the_connection() {
    let limits = Limits { bulk_bytes: 100, request_bytes: 60 };
    let part = b"$10\r\n0123456789\r\n";
    for chunk in [1, 7, 1000] {
        let mut decoder = Decoder::new(limits);
        let stream = [b"*3\r\n".as_slice(), part, part, part].concat();
        let mut last = Next::Incomplete;
        for piece in stream.repeat(2).chunks(chunk) {
            decoder.feed(piece);
            while last == Next::Command || last == Next::Incomplete {
                last = decoder.next();
                if last == Next::Incomplete {
                    break;
                }
            }
        }
        // 4 + 3 * 17 = 55 bytes fit.
        assert_eq!(last, Next::Incomplete);
        decoder.feed(b"*1\r\n$100\r\n");
        assert_eq!(decoder.next(), Next::Incomplete);
        decoder.feed(&[b'a'; 60]);
        assert_eq!(decoder.next(), Next::Close);
    }
}

#[test]
fn announced_lengths_reserve_nothing() {
    let mut decoder = Decoder::new(Limits::default());
    decoder.feed(b"*2147483647\r\n$536870912\r\n");
    assert_eq!(decoder.next(), Next::Incomplete);
    assert!(decoder.buffer.capacity() < 1000 && decoder.spans.capacity() < 1000);
}

#[test]
fn memory_of_a_large_request_is_freed() {
    let mut decoder = Decoder::new(Limits::default());
    decoder.feed(b"*1\r\n$1000000\r\n");
    for _ in 0..1000 {
        assert_eq!(decoder.next(), Next::Incomplete);
        decoder.feed(&[b'x'; 1000]);
    }
    decoder.feed(b"\r\n");
    assert_eq!(decoder.next(), Next::Command);
    assert_eq!(decoder.argv().get(0).map(<[u8]>::len), Some(1_000_000));
    assert_eq!(decoder.next(), Next::Incomplete);
    assert!(decoder.buffer.capacity() <= IDLE_CAPACITY);
    assert_eq!(decoder.waiting_bytes(), 0);
}

#[test]
fn arguments_stay_readable_while_more_arrives() {
    let mut decoder = Decoder::new(Limits::default());
    decoder.feed(b"PING\r\n*1\r\n$3\r\nGET\r\n");
    assert_eq!(decoder.next(), Next::Command);
    assert_eq!(decoder.next(), Next::Command);
    decoder.feed(&[b'\n'; 100]);
    assert_eq!(decoder.argv().get(0), Some(&b"GET"[..]));
}

/// Random stream of whole and broken requests.
fn stream(random: &mut Random) -> Vec<u8> {
    let mut stream = Vec::new();
    for _ in 0..random.below(6) {
        match random.below(12) {
            0 => stream.extend_from_slice(b"PING \"a\\x00b\" 'c'\r\n"),
            1 => stream.extend_from_slice(b"\r\n"),
            2 => stream.extend_from_slice(b"*0\r\n"),
            3 => (0..random.below(8)).for_each(|_| stream.push(b"*$\r\n1 \"a"[random.below(8) as usize])),
            4 => stream.extend(core::iter::repeat_n(b'1', LINE_MAX + random.below(4) as usize - 2)),
            5 => stream.extend_from_slice(b"\n*1\r\n$"),
            _ => {
                let count = 1 + random.below(4);
                stream.extend_from_slice(format!("*{count}\r\n").as_bytes());
                for _ in 0..count {
                    let length = random.below(40);
                    stream.extend_from_slice(format!("${length}\r\n").as_bytes());
                    (0..length).for_each(|_| stream.push(random.next_u64() as u8));
                    stream.extend_from_slice(b"\r\n");
                }
            }
        }
    }
    stream
}

#[test]
fn any_cut_of_a_stream_gives_the_same_requests() {
    let mut random = Random::new(8);
    for _ in 0..1_500 {
        let stream = stream(&mut random);
        let whole = read_all(&stream);
        let mut cuts = Random::new(random.next_u64());
        assert_eq!(read_in_chunks(&stream, |_| 1 + cuts.below(20) as usize), whole, "{stream:?}");
        if stream.len() < 1000 {
            assert_eq!(read_in_chunks(&stream, |_| 1), whole, "{stream:?}");
            for cut in 1..stream.len() {
                let mut first = Some(cut);
                assert_eq!(read_in_chunks(&stream, |left| first.take().unwrap_or(left)), whole);
            }
        }
    }
}

#[test]
fn small_chunks_of_large_input_take_linear_time() {
    // Quadratic work on these would take minutes.
    let line = [&[b'a'; LINE_MAX - 1][..], b"\n"].concat();
    assert_eq!(read_in_chunks(&line, |_| 1).0.len(), 1);
    let many = b"*1\r\n$1\r\na\r\n".repeat(200_000);
    assert_eq!(read_in_chunks(&many, |_| 100).0.len(), 200_000);
    assert_eq!(read_all(&many).0.len(), 200_000);
}
