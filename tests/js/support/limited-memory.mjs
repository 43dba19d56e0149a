// The engine with limited memory: the module's own memory section, given a maximum.

const HEADER_LENGTH = 8;
const MEMORY_SECTION = 5;
const HAS_MAXIMUM = 1;
export const PAGE_BYTES = 65_536;

function readNumber(bytes, at) {
  let value = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[at++];
    value += (byte & 0x7f) * 2 ** shift;
    if (byte < 0x80) return { value, end: at };
  }
}

function numberBytes(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value & 0x7f) | 0x80);
  return [...bytes, value];
}

/** The module with a memory that can grow by a number of pages, and its maximum in bytes. */
export function limited(file, morePages) {
  for (let at = HEADER_LENGTH; at < file.length; ) {
    const id = file[at];
    const { value: length, end: start } = readNumber(file, at + 1);
    if (id === MEMORY_SECTION) {
      // One memory without a maximum: a count, flags, the pages it begins with.
      const { value: pages } = readNumber(file, start + 2);
      const section = [1, HAS_MAXIMUM, ...numberBytes(pages), ...numberBytes(pages + morePages)];
      const bytes = [
        file.subarray(0, at),
        [MEMORY_SECTION, ...numberBytes(section.length), ...section],
        file.subarray(start + length),
      ];
      return {
        bytes: Uint8Array.from(bytes.flatMap((part) => [...part])),
        limitBytes: (pages + morePages) * PAGE_BYTES,
      };
    }
    at = start + length;
  }
  throw new Error('the file has no memory of its own');
}
