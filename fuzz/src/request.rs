//! The decoder of requests.

use keylatch::Limits;
use keylatch::internals::resp::decode::{Decoder, Next};

/// Limits small enough that streams reach them.
const LIMITS: Limits = Limits { bulk_bytes: 1 << 14, request_bytes: 1 << 16 };

/// The first byte selects the chunk length of a stream, which does not change its requests.
pub fn check(bytes: &[u8]) {
    let Some((&size, stream)) = bytes.split_first() else { return };
    let whole = read(stream, stream.len().max(1));
    assert_eq!(read(stream, usize::from(size).max(1)), whole);
}

/// The requests of a stream, and its end.
fn read(stream: &[u8], piece: usize) -> (Vec<Vec<Vec<u8>>>, Next) {
    let mut decoder = Decoder::new(LIMITS);
    let (mut requests, mut end) = (Vec::new(), Next::Incomplete);
    let mut fed = 0;
    for piece in stream.chunks(piece) {
        decoder.feed(piece);
        fed += piece.len();
        loop {
            match decoder.next() {
                Next::Command => requests.push(decoder.argv().iter().map(<[u8]>::to_vec).collect()),
                Next::Incomplete => break,
                stop => {
                    end = if matches!(end, Next::Incomplete) { stop } else { end };
                    break;
                }
            }
        }
        assert!(decoder.waiting_bytes() <= fed);
    }
    (requests, end)
}

pub fn seeds() -> Vec<Vec<u8>> {
    let streams: [&[u8]; 5] = [
        b"\x03*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2\r\n\r\n\r\nGET k\r\n\r\n*0\r\n*1\r\n$4\r\nPING\r\n",
        b"\x01SET a \"b\\x00\" 'c'\nPING\r\n",
        b"\x40*2\r\n$4\r\nECHO\r\n$10\r\n0123456789\r\n*-1\r\n",
        b"\x02POST / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"\x05*1024\r\n$1\r\na\r\n$16384\r\n",
    ];
    streams.map(<[u8]>::to_vec).to_vec()
}
