// Every command has a method in the package, or an entry below with the reason why it has none.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { entry, folder } from './support/package.mjs';

const { Keylatch } = await entry('index');
const table = JSON.parse(readFileSync(`${folder}/commands.json`, 'utf8'));

/** Older and narrower commands, each with the method that replaces it. */
const INSTEAD = {
  BITFIELD_RO: 'bitfield',
  BRPOPLPUSH: 'blmove',
  DELIFEQ: 'delex',
  GEORADIUS: 'geosearch',
  GEORADIUS_RO: 'geosearch',
  GEORADIUSBYMEMBER: 'geosearch',
  GEORADIUSBYMEMBER_RO: 'geosearch',
  HMSET: 'hset',
  SORT_RO: 'sort',
  SUBSTR: 'getrange',
  ZRANGEBYLEX: 'zrange',
  ZRANGEBYSCORE: 'zrange',
  ZREVRANGE: 'zrange',
  ZREVRANGEBYLEX: 'zrange',
  ZREVRANGEBYSCORE: 'zrange',
};

/** Commands reached with `call`, or not at all. `OBJECT|*` stands for all subcommands of a container. */
const REASONS = {
  'sent by clients over a connection; a program holds the client itself': [
    'ASKING',
    'AUTH',
    'CLIENT|*',
    'HELLO',
    'MONITOR',
    'QUIT',
    'READONLY',
    'READWRITE',
    'RESET',
  ],
  'subscribe, psubscribe and ssubscribe of the database take a callback and return the function that ends it': [
    'PSUBSCRIBE',
    'PUNSUBSCRIBE',
    'SSUBSCRIBE',
    'SUBSCRIBE',
    'SUNSUBSCRIBE',
    'UNSUBSCRIBE',
  ],
  'saves to a store, which has methods of its own: flush and rewrite of keylatch/persist': [
    'BGREWRITEAOF',
    'BGSAVE',
    'SAVE',
  ],
  'building blocks of locks, semaphores, limits and barriers, with their options as in the protocol': [
    'LATCH.ACQUIRE',
    'LATCH.ARRIVE',
    'LATCH.DONE',
    'LATCH.INSPECT',
    'LATCH.LIMIT',
    'LATCH.ONCE',
    'LATCH.RELEASE',
    'LATCH.RENEW',
  ],
  'streams: options and replies are those of the protocol': [
    'XACK',
    'XADD',
    'XAUTOCLAIM',
    'XCLAIM',
    'XDEL',
    'XGROUP|*',
    'XINFO|*',
    'XLEN',
    'XPENDING',
    'XRANGE',
    'XREAD',
    'XREADGROUP',
    'XREVRANGE',
    'XSETID',
    'XTRIM',
  ],
  'administration and diagnostics of a server, typed at a prompt': [
    'ACL|*',
    'BGREWRITEAOF',
    'BGSAVE',
    'CLUSTER|*',
    'COMMAND|*',
    'CONFIG|HELP',
    'CONFIG|RESETSTAT',
    'CONFIG|REWRITE',
    'DEBUG|*',
    'FUNCTION|*',
    'LASTSAVE',
    'LATENCY|*',
    'LOLWUT',
    'MEMORY|DOCTOR',
    'MEMORY|HELP',
    'MEMORY|MALLOC-STATS',
    'MEMORY|PURGE',
    'MEMORY|STATS',
    'MODULE|*',
    'OBJECT|FREQ',
    'OBJECT|HELP',
    'OBJECT|IDLETIME',
    'OBJECT|REFCOUNT',
    'PUBSUB|HELP',
    'PUBSUB|NUMPAT',
    'PUBSUB|NUMSUB',
    'PUBSUB|SHARDCHANNELS',
    'PUBSUB|SHARDNUMSUB',
    'REPLICAOF',
    'ROLE',
    'SAVE',
    'SCRIPT|*',
    'SHUTDOWN',
    'SLAVEOF',
    'SLOWLOG|*',
    'WAITAOF',
  ],
};

/** `OBJECT|ENCODING` as `objectEncoding`, `LATCH.CHECK` as `latchCheck`. */
function methodOf(row) {
  return row.toLowerCase().replace(/[|._-](.)/g, (_, letter) => letter.toUpperCase());
}

/** Rows that can be run: a container without its subcommand is an error. */
function runnable(rows) {
  return rows.filter((row) => !rows.some((other) => other.startsWith(`${row}|`)));
}

function matches(entry, row) {
  return entry.endsWith('|*') ? row.startsWith(entry.slice(0, -1)) : row === entry;
}

/** Violations: a row with neither method nor entry, and an entry that no row without a method needs. */
function complaints(rows, hasMethod, entries) {
  const bare = runnable(rows).filter((row) => !hasMethod(methodOf(row)));
  const missing = bare.filter((row) => !entries.some((entry) => matches(entry, row)));
  const idle = entries.filter((entry) => !bare.some((row) => matches(entry, row)));
  return [
    ...missing.map(
      (row) =>
        `${row}: add the method ${methodOf(row)} to pkg-templates/npm/generate/plain.mjs or src/client/sugar, or an entry with a reason here`,
    ),
    ...idle.map((entry) => `${entry}: the entry is not needed; remove it`),
  ];
}

// Both inherit the methods of commands only, and not those that `db` has beside them: `db.client` is not CLIENT.
const db = new Keylatch();
const commandObjects = [db.bytes, db.multi()];
const hasMethod = (name) => commandObjects.some((object) => typeof object[name] === 'function');

test('every command has a method or a reason', () => {
  const entries = [...Object.keys(INSTEAD), ...Object.values(REASONS).flat()];
  assert.ok(table.length > 200, `only ${table.length} rows were read`);
  assert.deepEqual(
    complaints(
      table.map((row) => row.name),
      hasMethod,
      entries,
    ),
    [],
  );
});

test('the method named in place of another exists', () => {
  for (const [row, method] of Object.entries(INSTEAD)) assert.ok(hasMethod(method), `${row}: there is no ${method}`);
});

test('subscriptions are methods of the database', () => {
  for (const method of ['subscribe', 'psubscribe', 'ssubscribe']) assert.equal(typeof db[method], 'function', method);
});

test('a row without a method is found, and so is an entry without a row', () => {
  const rows = ['GET', 'LATCH', 'OBJECT', 'OBJECT|FREQ', 'OBJECT|ENCODING', 'CLIENT', 'CLIENT|NO-TOUCH'];
  const has = (name) => ['get', 'objectEncoding'].includes(name);
  const firstWords = (entries) => complaints(rows, has, entries).map((complaint) => complaint.split(':')[0]);
  assert.deepEqual(firstWords([]), ['LATCH', 'OBJECT|FREQ', 'CLIENT|NO-TOUCH']);
  assert.deepEqual(firstWords(['LATCH', 'OBJECT|*', 'CLIENT|*']), []);
  const idle = ['GET', 'GONE', 'OBJECT|ENCODING'];
  assert.deepEqual(firstWords(['LATCH', 'OBJECT|FREQ', 'CLIENT|*', ...idle]), idle);
  assert.equal(methodOf('CLIENT|NO-TOUCH'), 'clientNoTouch');
});
