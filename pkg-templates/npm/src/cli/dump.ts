/** `keylatch dump`: prints the contents of a folder or file as commands, or as lines of JSON. */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { Client } from '../client/client.js';
import type { Keylatch } from '../db/built-in.js';
import { databasesOf, dataFilesOf, loaded } from './data-files.js';
import { printError, printOut } from './output.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { Decoder } from '../base/encoders.js';

export const DUMP_USAGE = `keylatch dump PATH [--json] [--skip unsupported]    prints the contents of a folder of data, or of one file (RDB or AOF)
  --skip unsupported    leaves out values of types that keylatch lacks, such as streams; their number goes to stderr
  --json   one line of JSON a key: {"db", "key", "type", "expiresAt", "value"}; bytes that are not UTF-8 are
           {"base64": ...}. Otherwise commands that make the same keys: keylatch dump PATH | redis-cli
Expiry times are those of the files: nothing expires while it is printed.`;

/** Elements of one command. */
const ELEMENTS = 100;

type Bytes = Client['bytes'];

/** A key with its value: elements of a list or set, pairs of a hash or sorted set in turns. */
interface Entry {
  readonly key: Uint8Array;
  readonly type: string;
  readonly deadlineMs: number | null;
  readonly value: readonly Uint8Array[];
  /** Deadlines of fields that have one. */
  readonly fields: ReadonlyMap<Uint8Array, number>;
}

/** Prints a path. Returns the exit code. */
export async function dump(words: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...words],
    options: { json: { type: 'boolean' }, skip: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    allowPositionals: true,
  });
  if (values.help) {
    printOut(DUMP_USAGE);
    return 0;
  }
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw new CallerTypeError('dump takes one PATH');
  const { skip } = values;
  if (skip !== undefined && skip !== 'unsupported') throw new CallerTypeError('--skip takes the word unsupported');
  const { db, skipped } = loaded(dataFilesOf(path), { skip });
  if (skipped.count > 0)
    printError(
      `keylatch dump: left out ${Object.entries(skipped.types)
        .map(([type, count]) => `${count} ${type}`)
        .join(', ')}`,
    );
  for (const number of databasesOf(db)) {
    if (!values.json) await print(`SELECT ${number}`);
    for (const entry of entriesOf(db, number)) {
      if (values.json) await print(escapedControls(JSON.stringify(asJson(number, entry))));
      else for (const command of asCommands(entry)) await print(command);
    }
  }
  return 0;
}

/** JSON escapes control characters up to the blank alone; DEL and those of C1 control terminals, too. */
function escapedControls(json: string): string {
  return json.replace(/[\x7f-\x9f]/g, (character) => `\\u00${character.charCodeAt(0).toString(16)}`);
}

async function print(line: string): Promise<void> {
  if (!process.stdout.write(`${line}\n`)) await once(process.stdout, 'drain');
}

function* entriesOf(db: Keylatch, number: number): Generator<Entry> {
  const { bytes } = db.client({ db: number });
  let cursor = '0';
  do {
    const page = db.inspectPage({ cursor, db: number, limit: 100, buffer: true });
    for (const { key, type, deadlineMs } of page.keys) {
      const value = contentsOf(bytes, key, type);
      yield { key, type, deadlineMs, value, fields: type === 'hash' ? deadlinesOf(bytes, key, value) : new Map() };
    }
    cursor = page.cursor;
  } while (cursor !== '0');
}

function contentsOf(client: Bytes, key: Uint8Array, type: string): Uint8Array[] {
  switch (type) {
    case 'string':
      return [client.get(key) ?? new Uint8Array(0)];
    case 'list':
      return client.lrange(key, 0, -1);
    case 'set':
      return [...client.smembers(key)];
    case 'zset':
      return client.zrange(key, 0, -1, { withscores: true }).flatMap(([member, score]) => [textOf(score), member]);
    default:
      return [...client.hgetall(key, { as: 'map' })].flat();
  }
}

function textOf(score: number): Uint8Array {
  return Buffer.from(score === Infinity ? '+inf' : score === -Infinity ? '-inf' : String(score));
}

function deadlinesOf(client: Bytes, key: Uint8Array, value: readonly Uint8Array[]): Map<Uint8Array, number> {
  const fields = value.filter((_, index) => index % 2 === 0);
  const deadlines = client.hpexpiretime(key, fields) as readonly number[];
  return new Map(
    fields.flatMap((field, index) => ((deadlines[index] ?? -1) > 0 ? [[field, deadlines[index]]] : [])) as [
      Uint8Array,
      number,
    ][],
  );
}

const COMMANDS: Readonly<Record<string, string>> = { list: 'RPUSH', set: 'SADD', zset: 'ZADD', hash: 'HSET' };

function* asCommands({ key, type, deadlineMs, value, fields }: Entry): Generator<string> {
  const name = quoted(key);
  if (type === 'string') yield `SET ${name} ${quoted(value[0] as Uint8Array)}`;
  else
    for (let start = 0; start < value.length; start += ELEMENTS)
      yield [COMMANDS[type], name, ...value.slice(start, start + ELEMENTS).map(quoted)].join(' ');
  for (const [field, fieldMs] of fields) yield `HPEXPIREAT ${name} ${fieldMs} FIELDS 1 ${quoted(field)}`;
  if (deadlineMs !== null) yield `PEXPIREAT ${name} ${deadlineMs}`;
}

/** An argument as redis-cli reads it. */
function quoted(bytes: Uint8Array): string {
  const text = Buffer.from(bytes).toString('latin1');
  if (/^[\w:.+-]+$/.test(text)) return text;
  const escaped = text.replace(/[\\"]/g, '\\$&').replace(/[^\x20-\x7e]/g, hexadecimal);
  return `"${escaped}"`;
}

function hexadecimal(character: string): string {
  return `\\x${character.charCodeAt(0).toString(16).padStart(2, '0')}`;
}

function asJson(db: number, { key, type, deadlineMs, value, fields }: Entry): object {
  const entry = { db, key: readable(key), type, expiresAt: deadlineMs, value: valueAsJson(type, value) };
  if (fields.size === 0) return entry;
  return { ...entry, fieldsExpireAt: [...fields].map(([field, fieldMs]) => [readable(field), fieldMs]) };
}

function valueAsJson(type: string, value: readonly Uint8Array[]): unknown {
  const texts = value.map(readable);
  if (type === 'string') return texts[0];
  if (type !== 'hash' && type !== 'zset') return texts;
  const pairs = texts.flatMap((first, index) => (index % 2 === 0 ? [[first, texts[index + 1]]] : []));
  return type === 'hash' ? pairs : pairs.map(([score, member]) => [member, score]);
}

function readable(bytes: Uint8Array): unknown {
  try {
    return new Decoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return { base64: Buffer.from(bytes).toString('base64') };
  }
}
