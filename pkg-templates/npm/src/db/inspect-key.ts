/** Inspection of one key, page by page, outside commands and clients. */
import { bytesOf, type Argument } from '../base/argument.js';
import type { Host } from '../host/host.js';
import { decodeReplies, textOf } from '../resp/reply.js';
import type { Shape } from '../base/option-check.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Options of `inspectKey`. */
export interface InspectKeyOptions {
  /** Number of elements, or bytes of a string, before the page. Default 0. */
  readonly from?: number | undefined;
  /** Largest number of elements, or bytes of a string, in the page. Default 100. */
  readonly count?: number | undefined;
  /** Database of the key. Default 0. */
  readonly db?: number | undefined;
  /** Texts as Uint8Array instead of string. */
  readonly buffer?: boolean | undefined;
}

/** @internal */
export const INSPECT_KEY: Shape<InspectKeyOptions> = { from: 'any', count: 'any', db: 'any', buffer: 'flag' };

/** Facts about a key of any type. */
export interface InspectedFacts {
  /** Encoding, as OBJECT ENCODING names it. */
  readonly encoding: string;
  /** Bytes of a string, elements of any other type: of the whole value. */
  readonly size: number;
  /** Bytes of memory that count for `maxmemory`. */
  readonly memoryBytes: number;
  /** Deadline of the key in milliseconds since the epoch, or null. */
  readonly deadlineMs: number | null;
  /** Earliest deadline of the fields of a hash in milliseconds since the epoch, or null. */
  readonly fieldDeadlineMs: number | null;
}

/** A field of a hash. */
export interface InspectedField<Text = string> {
  /** Name of the field. */
  readonly field: Text;
  /** Value of the field. */
  readonly value: Text;
  /** Deadline of the field in milliseconds since the epoch, or null. */
  readonly deadlineMs: number | null;
}

/** A key with one page of its value. */
export type InspectedKey<Text = string> = InspectedFacts &
  (
    | { readonly type: 'string'; readonly value: Text }
    | { readonly type: 'list'; readonly elements: readonly Text[] }
    | { readonly type: 'set'; readonly members: readonly Text[] }
    | { readonly type: 'zset'; readonly members: readonly (readonly [member: Text, score: number])[] }
    | { readonly type: 'hash'; readonly fields: readonly InspectedField<Text>[] }
    /** Entries are read by XRANGE. */
    | { readonly type: 'stream' }
  );

type Part = Uint8Array | readonly unknown[];

const COUNT_MAX = 2 ** 31 - 1;

/** @internal The key with a page of its value, or null if there is none. */
export function inspectKey(
  host: Host,
  key: Argument,
  options: InspectKeyOptions,
): InspectedKey<string | Uint8Array> | null {
  const { from = 0, count = 100, db = 0, buffer = false } = options;
  const bytes = bytesOf(key, 1, 'inspectKey');
  if (!isIndex(from)) throw new CallerTypeError('from must be an integer from 0 to 2147483647');
  if (!isIndex(count)) throw new CallerTypeError('count must be an integer from 0 to 2147483647');
  if (!isIndex(db) || db > 15) throw new CallerTypeError(`db must be from 0 to 15, found ${db}`);
  const found = host.enter((instance) =>
    instance.withInput(bytes, (length) => instance.engine.inspectKey(length, db, from, count)),
  );
  if (found === undefined) return null;
  const [reply] = decodeReplies(found, { buffer: true });
  const [type, encoding, size, memoryBytes, deadlineMs, fieldDeadlineMs, part] = reply as unknown as [
    Uint8Array,
    Uint8Array,
    number,
    number,
    number | null,
    number | null,
    Part,
  ];
  const facts = {
    encoding: textOf(encoding),
    size,
    memoryBytes,
    deadlineMs: toNumber(deadlineMs),
    fieldDeadlineMs: toNumber(fieldDeadlineMs),
  };
  const text = (raw: unknown): string | Uint8Array => (buffer ? (raw as Uint8Array) : textOf(raw as Uint8Array));
  return { ...facts, ...partOf(textOf(type), part, text) } as InspectedKey<string | Uint8Array>;
}

function partOf(type: string, part: Part, text: (raw: unknown) => string | Uint8Array): object {
  if (part instanceof Uint8Array) return { type, value: text(part) };
  if (type === 'list') return { type, elements: part.map(text) };
  if (type === 'set') return { type, members: part.map(text) };
  if (type === 'zset') return { type, members: grouped(part, 2).map(([member, score]) => [text(member), score]) };
  if (type === 'stream') return { type };
  const fields = grouped(part, 3).map(([field, value, deadlineMs]) => {
    return { field: text(field), value: text(value), deadlineMs: toNumber(deadlineMs as number | null) };
  });
  return { type, fields };
}

function grouped(items: readonly unknown[], size: number): unknown[][] {
  const groups: unknown[][] = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}

/** Deadlines beyond 2^53 are rounded: they are shown, not compared. */
function toNumber(integer: number | bigint | null): number | null {
  return integer === null ? null : Number(integer);
}

function isIndex(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= COUNT_MAX;
}
