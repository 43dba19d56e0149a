/** The slot of a key, as Redis Cluster has it. Pure. */

export const SLOTS = 16_384;

const OPEN = 0x7b;
const CLOSE = 0x7d;
/** CRC-16/XMODEM, which Redis Cluster has: no reflection, and this polynomial. */
const POLYNOMIAL = 0x1021;

/** The slot of a key, or of the part in braces that it has. */
export function slotOfBytes(key: Uint8Array): number {
  return crc16(hashedPart(key)) % SLOTS;
}

function hashedPart(key: Uint8Array): Uint8Array {
  const open = key.indexOf(OPEN);
  const close = open === -1 ? -1 : key.indexOf(CLOSE, open + 1);
  return close > open + 1 ? key.subarray(open + 1, close) : key;
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ POLYNOMIAL) & 0xffff : crc << 1;
  }
  return crc;
}
