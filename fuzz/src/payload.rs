//! Payloads of DUMP behind their checksum, of every version.

use super::engines::{Engine, check_copy, engine, fill, run, say};

const VERSIONS: [u16; 5] = [10, 11, 12, 13, 80];

/// The first byte selects the version. A restored value can be dumped and restored again, read, changed and removed.
pub fn check(bytes: &[u8]) {
    let Some((&choice, body)) = bytes.split_first() else { return };
    let mut payload = body.to_vec();
    payload.extend(VERSIONS[usize::from(choice) % VERSIONS.len()].to_le_bytes());
    payload.extend(crc64(&payload).to_le_bytes());
    let mut one = engine(1);
    one.record(true);
    if restore(&mut one, b"k", &payload) != b"+OK\r\n" {
        return;
    }
    check_copy(&one);
    let mut other = engine(2);
    let dumped = run(&mut one, &["DUMP", "k"]);
    if dumped == b"$-1\r\n" {
        // All its fields were expired when it was restored.
        return assert_eq!(one.digest(), 0);
    }
    assert_eq!(restore(&mut other, b"k", bulk(&dumped)), b"+OK\r\n");
    assert_eq!(one.digest(), other.digest(), "another value came back");
    let mut replayed = engine(3);
    replayed.replay(&one.take_effects()).expect("what was logged can be replayed");
    assert_eq!(replayed.digest(), one.digest(), "the effect is another value");
    use_it(&mut one);
    assert_eq!(one.digest(), 0, "nothing is left of it");
}

/// Commands for a key of any type.
fn use_it(engine: &mut Engine) {
    for line in [
        "OBJECT ENCODING k",
        "MEMORY USAGE k",
        "GET k",
        "LRANGE k 0 -1",
        "SMEMBERS k",
        "HGETALL k",
        "ZRANGE k 0 -1 WITHSCORES",
        "ZREVRANGEBYSCORE k inf -inf",
        "SORT k ALPHA",
        "PFCOUNT k",
        "APPEND k x",
        "SETRANGE k 5 y",
        "LPUSH k x",
        "LINSERT k BEFORE x y",
        "LREM k 0 x",
        "LPOP k 3",
        "SADD k 1 x",
        "SREM k 1",
        "SPOP k",
        "HSET k f v",
        "HINCRBY k g 1",
        "HDEL k f",
        "ZADD k 3 m",
        "ZINCRBY k 0.5 m",
        "ZREM k m",
        "ZPOPMIN k 2",
    ] {
        drop(say(engine, line));
    }
    check_copy(engine);
    drop(say(engine, "DEL k"));
}

fn restore(engine: &mut Engine, key: &[u8], payload: &[u8]) -> Vec<u8> {
    run(engine, &[b"RESTORE", key, b"0", payload])
}

/// Contents of a bulk reply.
fn bulk(reply: &[u8]) -> &[u8] {
    let start = reply.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
    &reply[start..reply.len() - 2]
}

/// The checksum of Redis: CRC-64 with the polynomial of Jones, bit by bit.
fn crc64(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |crc, &byte| {
        (0..8).fold(crc ^ u64::from(byte), |crc, _| (crc >> 1) ^ if crc & 1 == 1 { 0x95ac_9329_ac4b_c9b5 } else { 0 })
    })
}

/// Payloads of DUMP, without version and checksum, and encodings that are only read.
pub fn seeds() -> Vec<Vec<u8>> {
    const TRAILER: usize = 10;
    let mut full = engine(1);
    fill(&mut full);
    let keys = "text number raw list integers words hash dated ranked sketch places long large wide deep";
    let dumped = keys.split(' ').map(|key| {
        let reply = run(&mut full, &["DUMP", key]);
        let payload = bulk(&reply);
        [&[2], &payload[..payload.len() - TRAILER]].concat()
    });
    let listpack = b"\x1c\x00\x00\x00\x06\x00\x81a\x02\x05\x01\x83abc\x04\xc1\x2c\x02\xf1\x39\x30\x03\x83xyz\x04\xff";
    let read: [&[u8]; 3] = [
        b"\x00\x00\xc3\x06\x0b\x01ab\xe0\x00\x01",
        b"\x00\x0b\x08\x02\0\0\0\x01\0\0\0\x01\0",
        b"\x00\x02\x02\x01a\x01b",
    ];
    let packed = [&b"\x00\x10"[..], &[listpack.len() as u8], listpack].concat();
    dumped.chain(read.map(<[u8]>::to_vec)).chain([packed]).collect()
}
