/** `keylatch dump`: prints the contents of a folder or file as commands, or as lines of JSON. */
import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { Client } from '../client/client.js';
import type { Keylatch } from '../db/built-in.js';
import { databasesOf, dataFilesOf, loaded } from './data-files.js';
import { printError, printOut } from './output.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { type StreamFacts, streamFactsOf } from '../client/sugar/stream-facts.js';
import { pairsOf, streamAsJson, streamCommands } from './dump-stream.js';
import { quoted, readable } from './dump-texts.js';

export const DUMP_USAGE = `keylatch dump PATH [--json] [--skip unsupported]    prints the contents of a folder of data, or of one file (RDB or AOF)
  --skip unsupported    leaves out values of types that keylatch lacks, such as those of modules; their number goes to stderr
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
  /** Absent unless the key is a stream. */
  readonly stream?: StreamFacts | undefined;
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
      const value = type === 'stream' ? [] : contentsOf(bytes, key, type);
      const fields: Entry['fields'] = type === 'hash' ? deadlinesOf(bytes, key, value) : new Map();
      const stream = type === 'stream' ? streamFactsOf(bytes, key) : undefined;
      yield { key, type, deadlineMs, value, fields, stream };
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

function* asCommands({ key, type, deadlineMs, value, fields, stream }: Entry): Generator<string> {
  const name = quoted(key);
  if (stream) yield* streamCommands(name, stream);
  else if (type === 'string') yield `SET ${name} ${quoted(value[0] as Uint8Array)}`;
  else
    for (let start = 0; start < value.length; start += ELEMENTS)
      yield [COMMANDS[type], name, ...value.slice(start, start + ELEMENTS).map(quoted)].join(' ');
  for (const [field, fieldMs] of fields) yield `HPEXPIREAT ${name} ${fieldMs} FIELDS 1 ${quoted(field)}`;
  if (deadlineMs !== null) yield `PEXPIREAT ${name} ${deadlineMs}`;
}

function asJson(db: number, { key, type, deadlineMs, value, fields, stream }: Entry): object {
  const entry = {
    db,
    key: readable(key),
    type,
    expiresAt: deadlineMs,
    value: stream ? streamAsJson(stream) : valueAsJson(type, value),
  };
  if (fields.size === 0) return entry;
  return { ...entry, fieldsExpireAt: [...fields].map(([field, fieldMs]) => [readable(field), fieldMs]) };
}

function valueAsJson(type: string, value: readonly Uint8Array[]): unknown {
  const texts = value.map(readable);
  if (type === 'string') return texts[0];
  if (type !== 'hash' && type !== 'zset') return texts;
  const pairs = pairsOf(texts);
  return type === 'hash' ? pairs : pairs.map(([score, member]) => [member, score]);
}
