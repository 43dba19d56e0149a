/** Estimates the distinct elements of a HyperLogLog from its bytes, as PFCOUNT does. Pure. */

const START = 'HYLL';
const HEADER_BYTES = 16;
const DENSE = 0;
const REGISTERS = 1 << 14;
const REGISTER_BITS = 6;
/** Largest value of a register: 64 bits of hash without the 14 that choose the register. */
const VALUE_MAX = 50;
const ALPHA = 0.5 / Math.log(2);

/** Undefined when the bytes are no HyperLogLog. */
export function sketchedCount(bytes: Uint8Array): number | undefined {
  const start = String.fromCharCode(...bytes.subarray(0, START.length));
  if (bytes.length < HEADER_BYTES || start !== START) return undefined;
  const body = bytes.subarray(HEADER_BYTES);
  return estimate(bytes[START.length] === DENSE ? denseCounts(body) : sparseCounts(body));
}

/** Number of registers with each value, in the dense form: registers of six bits, the lowest bits first. */
function denseCounts(body: Uint8Array): number[] {
  const counts = new Array<number>(2 ** REGISTER_BITS).fill(0);
  for (let register = 0; register < REGISTERS; register += 1) {
    const bit = register * REGISTER_BITS;
    const pair = (body[bit >> 3] ?? 0) | ((body[(bit >> 3) + 1] ?? 0) << 8);
    add(counts, (pair >> (bit & 7)) & 63, 1);
  }
  return counts;
}

/** Number of registers with each value, in the sparse form: runs of zeros (one or two bytes) and of a value. */
function sparseCounts(body: Uint8Array): number[] {
  const counts = new Array<number>(2 ** REGISTER_BITS).fill(0);
  for (let at = 0; at < body.length; at += 1) {
    const code = body[at] as number;
    if (code & 0x80) add(counts, ((code >> 2) & 31) + 1, (code & 3) + 1);
    else if (code & 0x40) add(counts, 0, (((code & 63) << 8) | (body[(at += 1)] ?? 0)) + 1);
    else add(counts, 0, code + 1);
  }
  return counts;
}

function add(counts: number[], value: number, times: number): void {
  counts[value] = (counts[value] ?? 0) + times;
}

/** Estimator of Otmar Ertl, "New cardinality estimation algorithms for HyperLogLog sketches" (2017), algorithm 6. */
function estimate(counts: readonly number[]): number {
  let sum = REGISTERS * tau(1 - (counts[VALUE_MAX + 1] ?? 0) / REGISTERS);
  for (let value = VALUE_MAX; value >= 1; value -= 1) sum = 0.5 * (sum + (counts[value] ?? 0));
  sum += REGISTERS * sigma((counts[0] ?? 0) / REGISTERS);
  return Math.round((ALPHA * REGISTERS * REGISTERS) / sum);
}

function tau(start: number): number {
  if (start === 0 || start === 1) return 0;
  let [x, y, z] = [start, 1, 1 - start];
  for (let before = Number.NaN; z !== before; ) {
    x = Math.sqrt(x);
    before = z;
    y *= 0.5;
    z -= (1 - x) ** 2 * y;
  }
  return z / 3;
}

function sigma(start: number): number {
  if (start === 1) return Number.POSITIVE_INFINITY;
  let [x, y, z] = [start, 1, start];
  for (let before = Number.NaN; z !== before; ) {
    x *= x;
    before = z;
    z += x * y;
    y += y;
  }
  return z;
}
