//! CRC-64 in the variant of Jones, the checksum of snapshots and DUMP payloads.

/// Polynomial 0xad93d23594c935a9 with its bits reversed.
const POLYNOMIAL: u64 = 0x95ac_9329_ac4b_c9b5;

/// Remainders of half a byte: 128 bytes, while a table for whole bytes would take 2 KiB that do not compress.
const TABLE: [u64; 16] = table();

const fn table() -> [u64; 16] {
    let mut table = [0; 16];
    let mut index = 0;
    while index < table.len() {
        let mut remainder = index as u64;
        let mut bit = 0;
        while bit < 4 {
            remainder = if remainder & 1 == 1 { (remainder >> 1) ^ POLYNOMIAL } else { remainder >> 1 };
            bit += 1;
        }
        table[index] = remainder;
        index += 1;
    }
    table
}

/// Checksum of `bytes`, starting from zero.
pub fn crc64(bytes: &[u8]) -> u64 {
    let step = |crc: u64, bits: u8| (crc >> 4) ^ TABLE[((crc as u8 ^ bits) & 15) as usize];
    bytes.iter().fold(0, |crc, &byte| step(step(crc, byte), byte >> 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_checksums() {
        // Check value of the variant.
        assert_eq!(crc64(b"123456789"), 0xe9c6_d914_c4b8_d9ca);
        assert_eq!(crc64(b""), 0);
        // DUMP payloads of a Redis server.
        let hello = [&b"\x00\x05hello\x0a\x00"[..], b"\x63\x72\xdf\x76\x65\x34\x20\x0a"];
        assert_eq!(crc64(hello[0]).to_le_bytes(), hello[1]);
        let number = [&b"\x00\xc1\x39\x30\x0a\x00"[..], b"\x9d\x94\xea\x27\x93\xfc\x08\xb9"];
        assert_eq!(crc64(number[0]).to_le_bytes(), number[1]);
    }
}
