/**
 * Keys at the end of a run, as people read them. Members of sets and fields of hashes are in the order of their names. Long
 * values are shortened, and compared by a digest.
 */
import type { Client } from '../client/client.js';
import type { Keylatch, KeyInfo } from '../db/keylatch.js';
import { decodeReplies, type Reply } from '../resp/reply.js';
import type { RaceKey } from './report.js';
import { LONG_BYTES, shortened } from './short-texts.js';

const DATABASES = 16;
/** Number of keys of a database that are listed. */
const KEYS_MAX = 100;
/** Command that reads a value of each type. */
const READERS: Readonly<Record<string, readonly [name: string, ...rest: string[]]>> = {
  string: ['GET'],
  list: ['LRANGE', '0', '-1'],
  set: ['SMEMBERS'],
  hash: ['HGETALL'],
  zset: ['ZRANGE', '0', '-1', 'WITHSCORES'],
};

export function keyTexts(db: Keylatch, nowMs: number): RaceKey[] {
  const keys: RaceKey[] = [];
  const client = db.client({ protocol: 2 });
  for (let database = 0; database < DATABASES; database += 1) {
    const { keys: page } = db.inspectPage({ db: database, limit: KEYS_MAX });
    if (page.length > 0) client.callRaw('SELECT', database);
    for (const info of page) {
      const { key, deadlineMs } = info;
      const ttlMs = deadlineMs === null ? null : deadlineMs - nowMs;
      keys.push({ database, key: shortened(quoted(key)), value: readValue(db, client, info), ttlMs });
    }
  }
  client.close();
  return keys.sort((one, other) => one.database - other.database || (one.key < other.key ? -1 : 1));
}

/** A value in short; values that look alike when shortened differ in the digest. */
function readValue(db: Keylatch, client: Client, { key, type, size }: KeyInfo): string {
  const [name, ...rest] = READERS[type] ?? [];
  const count = size.toLocaleString('en');
  const digest = (): string => `, digest of all keys ${db.digestAll()}`;
  if (name === undefined) return `${type} of ${count}`;
  if (size > LONG_BYTES) return `${type} of ${count}${type === 'string' ? ' bytes' : ''}${digest()}`;
  const [reply] = decodeReplies(client.callRaw(name, key, ...rest));
  const text = valueText(type, reply as Reply);
  return shortened(text, digest());
}

function valueText(type: string, reply: Reply): string {
  if (!Array.isArray(reply)) return quoted(String(reply));
  const words = reply.map((element) => quoted(String(element)));
  if (type === 'list') return `[${words.join(', ')}]`;
  if (type === 'set') return `{${words.sort().join(', ')}}`;
  const pairs = words.flatMap((word, index) => (index % 2 === 0 ? [`${word}: ${words[index + 1]}`] : []));
  return `{${(type === 'hash' ? pairs.sort() : pairs).join(', ')}}`;
}

function quoted(text: string): string {
  return /^[\w.:{}-]+$/.test(text) ? text : JSON.stringify(text);
}
