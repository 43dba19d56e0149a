/** Comparison of keyspaces: which keys differ, and how. */
import { Keylatch } from '../db/built-in.js';
import { ManualClock } from '../host/clock.js';
import type { Client } from '../client/client.js';
import { AssertionError } from './assertion-error.js';
import { Decoder } from '../base/encoders.js';
import { streamFactsOf } from '../client/sugar/stream-facts.js';

/** An engine, or a snapshot of one. */
export type Keyspace = Keylatch | Uint8Array;

/** Options of `assertSameKeys`. */
export interface SameKeysOptions {
  /** False: deadlines of keys and fields may differ. True unless given. */
  readonly deadlines?: boolean | undefined;
}

/** A key in words: `string "v"`, and `until` if it has a deadline. */
type Described = Record<string, unknown>;

const DATABASES = 16;
const SHOWN_MAX = 10;

/**
 * Throws an AssertionError unless both keyspaces have the same keys with the same values and deadlines in all
 * databases. The error names the keys that differ and has only them in `expected` (of `b`) and `actual` (of `a`).
 * Neither engine is changed; encodings, access times and statistics do not count.
 */
export function assertSameKeys(a: Keyspace, b: Keyspace, options: SameKeysOptions = {}): void {
  const [actual, expected] = [a, b].map((side) => describe(side, options.deadlines ?? true)) as [Described, Described];
  const names = [...new Set([...Object.keys(expected), ...Object.keys(actual)])];
  const different = names.filter((name) => JSON.stringify(actual[name]) !== JSON.stringify(expected[name]));
  if (different.length === 0) return;
  const lines = different.slice(0, SHOWN_MAX).map((name) => {
    if (!Object.hasOwn(actual, name)) return `  ${name} is missing`;
    return Object.hasOwn(expected, name) ? `  ${name} differs` : `  ${name} was not expected`;
  });
  if (different.length > SHOWN_MAX) lines.push(`  and ${different.length - SHOWN_MAX} more`);
  const only = (all: Described): Described =>
    Object.fromEntries(different.filter((name) => Object.hasOwn(all, name)).map((name) => [name, all[name]]));
  throw new AssertionError(
    `the keyspaces differ\n${lines.join('\n')}`,
    { expected: only(expected), actual: only(actual) },
    assertSameKeys,
  );
}

/** Keys by name, those of other databases than 0 as `db1 NAME`. Reads a copy, on which no time passes. */
function describe(keyspace: Keyspace, withDeadlines: boolean): Described {
  const copy = new Keylatch({ clock: new ManualClock(0) });
  try {
    copy.load(keyspace instanceof Uint8Array ? keyspace : keyspace.snapshot());
    const described: [string, unknown][] = [];
    for (let db = 0; db < DATABASES; db += 1) {
      const client = copy.client({ db });
      for (const key of client.bytes.call('KEYS', '*') as Uint8Array[]) {
        described.push([`${db === 0 ? '' : `db${db} `}${textOf(key)}`, keyOf(client, key, withDeadlines)]);
      }
      client.close();
    }
    return Object.fromEntries(described.sort(([one], [other]) => (one < other ? -1 : 1)));
  } finally {
    copy.close();
  }
}

function keyOf(client: Client, key: Uint8Array, withDeadlines: boolean): Described {
  const type = client.call('TYPE', key) as string;
  const deadlineMs = Number(client.call('PEXPIRETIME', key));
  const until = withDeadlines && deadlineMs >= 0 ? { until: instant(deadlineMs) } : {};
  return { type, value: contentOf(client, type, key, withDeadlines), ...until };
}

function contentOf(client: Client, type: string, key: Uint8Array, withDeadlines: boolean): unknown {
  const { bytes } = client;
  const list = (command: string, ...args: string[]): Uint8Array[] => [
    ...(bytes.call(command, key, ...args) as Iterable<Uint8Array>),
  ];
  if (type === 'list') return list('LRANGE', '0', '-1').map(textOf);
  if (type === 'set') return list('SMEMBERS').map(textOf).sort();
  if (type === 'zset') return Object.fromEntries(scoresOf(client, key));
  if (type === 'hash') return hashOf(client, key, withDeadlines);
  if (type === 'stream') return streamOf(bytes, key);
  return textOf(bytes.call('GET', key) as Uint8Array);
}

function streamOf(bytes: Client['bytes'], key: Uint8Array): Described {
  const { entries, groups, ...marks } = streamFactsOf(bytes, key);
  const described = groups.map(({ name, consumers, pending, ...group }) => [
    textOf(name),
    {
      ...group,
      consumers: consumers.map(textOf).sort(),
      pending: pending.map(({ consumer, ...delivery }) => ({ ...delivery, consumer: textOf(consumer) })),
    },
  ]);
  const fieldsOf = entries.map(([id, fields]) => [id, fields.map(textOf)]);
  return { entries: Object.fromEntries(fieldsOf), ...marks, groups: Object.fromEntries(described) };
}

function scoresOf(client: Client, key: Uint8Array): [string, unknown][] {
  const pairs = client.bytes.call('ZRANGE', key, '0', '-1', 'WITHSCORES') as unknown as [Uint8Array, number][];
  return pairs.map(([member, score]) => [textOf(member), score]);
}

function hashOf(client: Client, key: Uint8Array, withDeadlines: boolean): Record<string, unknown> {
  const fields = [...(client.bytes.call('HGETALL', key) as unknown as Map<Uint8Array, Uint8Array>)];
  const names = fields.map(([name]) => name);
  const times = withDeadlines
    ? (client.call('HPEXPIRETIME' as string, key, 'FIELDS', names.length, ...names) as unknown as number[])
    : [];
  const described = fields.map(([name, value], index) => {
    const until = times[index] ?? -1;
    return [textOf(name), until < 0 ? textOf(value) : { value: textOf(value), until: instant(until) }] as const;
  });
  return Object.fromEntries(described.sort(([one], [other]) => (one < other ? -1 : 1)));
}

function instant(ms: number): string {
  return Math.abs(ms) <= 8.64e15 ? new Date(ms).toISOString() : String(ms);
}

/** Text, with bytes that are not UTF-8 as `\xff`. */
function textOf(bytes: Uint8Array): string {
  try {
    return new Decoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return Array.from(bytes, (byte) =>
      byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : `\\x${byte.toString(16).padStart(2, '0')}`,
    ).join('');
  }
}
