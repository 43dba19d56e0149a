/** CRC-32 for platforms without a native one. */

/** Polynomial in reflected form: that of zlib. */
const POLYNOMIAL = 0xedb88320;

let table: Uint32Array | undefined;

export function crc32(bytes: Uint8Array): number {
  table ??= Uint32Array.from({ length: 256 }, (_, index) => {
    let crc = index;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? POLYNOMIAL : 0);
    return crc;
  });
  let crc = -1;
  for (const byte of bytes) crc = (crc >>> 8) ^ (table[(crc ^ byte) & 255] as number);
  return ~crc >>> 0;
}
