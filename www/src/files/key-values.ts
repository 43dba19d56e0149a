/** All keys of an engine as plain values, and back: for JSON files, and for append-only files made of commands. */

import { type Argument, decodeReplies, type Keylatch, ReplyError } from 'keylatch/core';
import { fromBase64 } from '../base/base64.ts';

/** Text, or bytes that are no text in base64. */
export type Value = string | { readonly base64: string };

export interface KeyValue {
  readonly db: number;
  readonly key: Value;
  readonly type: string;
  /**
   * A string; elements of a list or set; `[member, score]`; `[field, value]` or `[field, value, expiresAtMs]`; a stream as
   * DUMP replies it.
   */
  readonly value: Value | readonly (Value | readonly (Value | number)[])[];
  readonly expiresAtMs?: number | undefined;
}

/** Number of databases. */
export const DATABASES = 16;
const PAGE_KEYS = 1000;
/** Number of arguments of one command that writes elements. */
const MAX_ARGUMENTS = 512;
const WRITERS: Readonly<Record<string, string>> = { list: 'RPUSH', set: 'SADD', zset: 'ZADD', hash: 'HSET' };
const READERS: Readonly<Record<string, readonly string[]>> = {
  list: ['LRANGE', '0', '-1'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1', 'WITHSCORES'],
  hash: ['HGETALL'],
  stream: ['DUMP'],
};

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Reads from a copy, so that reading leaves no trace in statistics. */
export function keyValuesOf(db: Keylatch): KeyValue[] {
  const copy = db.fork();
  try {
    return Array.from({ length: DATABASES }, (_, number) => readDatabase(copy, number)).flat();
  } finally {
    copy.close();
  }
}

/** Writes keys, which were checked, by commands. */
export function writeKeyValues(db: Keylatch, keys: readonly KeyValue[]): void {
  for (let number = 0; number < DATABASES; number += 1) {
    const own = keys.filter((key) => key.db === number);
    if (own.length === 0) continue;
    const client = db.client({ db: number, protocol: 2 });
    for (const key of own) commandsOf(key).forEach((command) => run(client, command));
    client.close();
  }
}

type Runner = Pick<Keylatch, 'callRaw'>;

function run(client: Runner, command: readonly Argument[]): unknown {
  const [reply] = decodeReplies(client.callRaw(...command), { buffer: true });
  if (reply instanceof ReplyError) throw new Error(`${String(command[0])}: ${reply.message}`);
  return reply;
}

function readDatabase(db: Keylatch, number: number): KeyValue[] {
  const client = db.client({ db: number, protocol: 2 });
  const found: KeyValue[] = [];
  let cursor = '0';
  do {
    const page = db.inspectPage({ cursor, limit: PAGE_KEYS, db: number, buffer: true });
    for (const { key, type, deadlineMs } of page.keys) {
      const value = readValue(client, key, type);
      if (value === undefined) continue;
      found.push({
        db: number,
        key: valueFrom(key),
        type,
        value,
        ...(deadlineMs === null ? {} : { expiresAtMs: deadlineMs }),
      });
    }
    ({ cursor } = page);
  } while (cursor !== '0');
  client.close();
  return found;
}

function readValue(client: Runner, key: Uint8Array, type: string): KeyValue['value'] | undefined {
  const [reader, ...rest] = READERS[type] ?? ['GET'];
  const reply = run(client, [reader as string, key, ...rest]);
  if (reply instanceof Uint8Array) return valueFrom(reply);
  if (!Array.isArray(reply)) return undefined;
  const elements = (reply as Uint8Array[]).map(valueFrom);
  if (type === 'zset') return pairs(elements).map(([member, score]) => [member, score]);
  return type === 'hash' ? withDeadlines(client, key, pairs(elements)) : elements;
}

function withDeadlines(client: Runner, key: Uint8Array, fields: readonly [Value, Value][]): (Value | number)[][] {
  const names = fields.map(([field]) => argumentOf(field));
  const deadlines = run(client, ['HPEXPIRETIME', key, 'FIELDS', names.length, ...names]) as number[];
  return fields.map(([field, value], index) => {
    const deadline = deadlines[index] ?? -1;
    return deadline < 0 ? [field, value] : [field, value, deadline];
  });
}

function pairs(elements: readonly Value[]): [Value, Value][] {
  return elements.flatMap((element, index) => (index % 2 === 0 ? [[element, elements[index + 1] ?? '']] : []));
}

function commandsOf({ key, type, value, expiresAtMs }: KeyValue): Argument[][] {
  const name = argumentOf(key);
  const whole = type === 'stream' ? ['RESTORE', name, 0] : ['SET', name];
  const commands = Array.isArray(value) ? elementCommands(name, type, value) : [[...whole, argumentOf(value as Value)]];
  return expiresAtMs === undefined ? commands : [...commands, ['PEXPIREAT', name, expiresAtMs]];
}

function elementCommands(key: Argument, type: string, elements: readonly unknown[]): Argument[][] {
  const writer = WRITERS[type] ?? '';
  const commands: Argument[][] = [];
  for (let at = 0; at < elements.length; at += MAX_ARGUMENTS) {
    const part = elements.slice(at, at + MAX_ARGUMENTS).flatMap((element) => argumentsOf(type, element));
    commands.push([writer, key, ...part]);
  }
  for (const element of type === 'hash' ? (elements as readonly (Value | number)[][]) : [])
    if (element[2] !== undefined)
      commands.push(['HPEXPIREAT', key, element[2] as number, 'FIELDS', 1, argumentOf(element[0] as Value)]);
  return commands;
}

function argumentsOf(type: string, element: unknown): Argument[] {
  if (type === 'list' || type === 'set') return [argumentOf(element as Value)];
  const [first, second] = element as [Value, Value];
  return type === 'zset' ? [argumentOf(second), argumentOf(first)] : [argumentOf(first), argumentOf(second)];
}

function valueFrom(bytes: Uint8Array): Value {
  try {
    return decoder.decode(bytes);
  } catch {
    return { base64: btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')) };
  }
}

function argumentOf(value: Value | number): Argument {
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  return fromBase64(value.base64) ?? '';
}
