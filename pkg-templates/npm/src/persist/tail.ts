/**
 * The tail of a log as text, for localStorage: appends that the database may lack when a page ends. Some browsers drop
 * transactions of a page that ends, and keep what localStorage was given.
 */
import { crc32 } from './crc32.js';
import type { LogRecord, NumberedRecord } from './numbered.js';
import { concat } from '../resp/concat.js';

/** Version of the text; newer ones are refused. */
const FORMAT = 1;

/** Bits of a code unit, the first one, and the mask of the bits: neither control characters nor surrogates occur. */
const UNIT_BITS = 15;
const FIRST_UNIT = 0x20;
const UNIT_MASK = 0x7fff;

/** Code units that are made into a string at once. */
const RUN = 8192;

export interface Tail {
  /** Seeds that the store may have: another one while a snapshot with another seed is being written. */
  readonly seeds: readonly string[];
  /** Appends with consecutive numbers, at least one. */
  readonly records: readonly NumberedRecord[];
}

/** Contents of a database, as far as a tail depends on them. */
export interface TailBase {
  readonly seed: string;
  /** Number of the last append that the snapshot contains. */
  readonly snapshotNumber: number;
  /** Appends behind the snapshot, in order. */
  readonly records: readonly NumberedRecord[];
}

interface Head {
  readonly seeds: readonly string[];
  /** Number of the first append. */
  readonly first: number;
  /** Instant and length of each append. */
  readonly pieces: readonly (readonly [nowMs: number, length: number])[];
}

/** The text of a tail: format, checksum, head and bytes. */
export function encodeTail({ seeds, records }: Tail): string {
  const pieces = records.map(({ nowMs, piece }) => [nowMs, piece.length] as const);
  const head: Head = { seeds, first: records[0]?.number ?? 0, pieces };
  const body = `${JSON.stringify(head)}\n${packed(concat(records.map(({ piece }) => piece)))}`;
  return `${FORMAT};${checksum(body)};${body}`;
}

/** The tail of a text; `newer` if a newer version wrote it, undefined if it is damaged. */
export function decodeTail(text: string): Tail | 'newer' | undefined {
  const [beginning = '', format, sum] = /^(\d+);(?:([0-9a-f]+);)?/.exec(text) ?? [];
  if (Number(format) > FORMAT) return 'newer';
  const body = text.slice(beginning.length);
  if (sum === undefined || sum !== checksum(body)) return undefined;
  const end = body.indexOf('\n');
  const { seeds, first, pieces } = JSON.parse(body.slice(0, end)) as Head;
  const bytes = unpacked(
    body.slice(end + 1),
    pieces.reduce((sum, [, length]) => sum + length, 0),
  );
  let at = 0;
  const records = pieces.map(([nowMs, length], index) => {
    at += length;
    return { number: first + index, nowMs, piece: bytes.slice(at - length, at) };
  });
  return { seeds, records };
}

/** Appends of a tail that a database lacks; undefined if the tail does not follow on its contents. */
export function missingRecords(tail: Tail, base: TailBase): readonly NumberedRecord[] | undefined {
  const first = tail.records[0]?.number ?? 0;
  const end = first + tail.records.length - 1;
  if (!tail.seeds.includes(base.seed)) return undefined;
  const last = base.records.at(-1)?.number ?? base.snapshotNumber;
  // Pages that were used later have written a snapshot with all of it.
  if (base.snapshotNumber >= end) return [];
  // A snapshot never ends within a tail, unless a later page wrote other appends with these numbers.
  if (base.snapshotNumber >= first || last < first - 1) return undefined;
  const stored = new Map(base.records.map((record) => [record.number, record]));
  const differs = (record: NumberedRecord): boolean => {
    const other = stored.get(record.number);
    return other === undefined ? record.number <= last : !isEqual(record, other);
  };
  return tail.records.some(differs) ? undefined : tail.records.filter(({ number }) => number > last);
}

function isEqual(one: LogRecord, other: LogRecord): boolean {
  const { piece } = one;
  return piece.length === other.piece.length && piece.every((byte, at) => byte === other.piece[at]);
}

function checksum(text: string): string {
  const units = Uint16Array.from({ length: text.length }, (_, at) => text.charCodeAt(at));
  return crc32(new Uint8Array(units.buffer)).toString(16);
}

/** Bytes as text, 15 bits a code unit: browsers count the quota in code units. */
function packed(bytes: Uint8Array): string {
  const units = new Uint16Array(Math.ceil((bytes.length * 8) / UNIT_BITS));
  let [bits, count, at] = [0, 0, 0];
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    count += 8;
    if (count < UNIT_BITS) continue;
    count -= UNIT_BITS;
    units[at] = FIRST_UNIT + (bits >>> count);
    bits &= (1 << count) - 1;
    at += 1;
  }
  if (count > 0) units[at] = FIRST_UNIT + ((bits << (UNIT_BITS - count)) & UNIT_MASK);
  let text = '';
  for (let start = 0; start < units.length; start += RUN)
    text += String.fromCharCode(...units.subarray(start, start + RUN));
  return text;
}

function unpacked(text: string, length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let [bits, count, at] = [0, 0, 0];
  for (let index = 0; index < text.length; index += 1) {
    bits = (bits << UNIT_BITS) | (text.charCodeAt(index) - FIRST_UNIT);
    count += UNIT_BITS;
    for (; count >= 8 && at < length; at += 1) {
      count -= 8;
      bytes[at] = bits >>> count;
      bits &= (1 << count) - 1;
    }
  }
  return bytes;
}
