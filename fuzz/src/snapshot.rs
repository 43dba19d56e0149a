//! Snapshots.

use super::engines::{check_copy, engine, fill};

const CHECKSUM_BYTES: usize = 8;

/// Without its checksum, which would detect all changes: a snapshot is refused, or gives a valid keyspace.
pub fn check(contents: &[u8]) {
    let mut loaded = engine(1);
    if loaded.load(&[contents, &[0; CHECKSUM_BYTES]].concat()).is_ok() {
        check_copy(&loaded);
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut full = engine(1);
    fill(&mut full);
    let own = full.snapshot().expect("memory");
    let listpack = b"\x1c\x00\x00\x00\x06\x00\x81a\x02\x05\x01\x83abc\x04\xc1\x2c\x02\xf1\x39\x30\x03\x83xyz\x04\xff";
    let packed = [&b"REDIS0010\xfe\x00\x10\x01h"[..], &[listpack.len() as u8], listpack, b"\xff"].concat();
    let aged = b"REDIS0011\xfa\x03ver\x057.2.0\xfe\x00\xfb\x01\x01\xfc\x00\0\0\0\0\x01\0\0\xf8\x05\x00\x01k\x01v\xff";
    vec![own[..own.len() - CHECKSUM_BYTES].to_vec(), packed, aged.to_vec()]
}
