// The engine goes on after every overflow of the program's stack: a call at any depth either works or throws a RangeError.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { describe, test } from 'node:test';

const require = createRequire(import.meta.url);
const packages = {
  'core, ESM': await import('../../target/npm/keylatch/esm/index.js'),
  'core, CommonJS': require('../../target/npm/keylatch/cjs/index.js'),
  'scripting, ESM': await import('../../target/npm/keylatch-scripting/esm/index.js'),
  'scripting, CommonJS': require('../../target/npm/keylatch-scripting/cjs/index.js'),
};

/** Levels above the deepest one at which a call is made: more than the largest probe needs. */
const LEVELS = 3000;

const CALLS = {
  get: (db) => db.get('k'),
  set: (db) => db.set('k', 'v'),
  'a large argument': (db) => db.set('large', 'x'.repeat(100_000)),
  incr: (db) => db.incr('n'),
  lrange: (db) => db.lrange('l', 0, -1),
  zadd: (db) => db.zadd('z', { a: 1, b: 2 }),
  hset: (db) => db.hset('h', { a: 1, b: 2 }),
  GEOSEARCH: (db) => db.call('GEOSEARCH', 'g', 'FROMLONLAT', 15, 37, 'BYRADIUS', 200, 'km'),
  SORT: (db) => db.call('SORT', 'l', 'ALPHA', 'BY', 'x*', 'GET', 'y*'),
  ZUNIONSTORE: (db) => db.call('ZUNIONSTORE', 'zz', 2, 'z', 'g'),
  INCRBYFLOAT: (db) => db.call('INCRBYFLOAT', 'f', '1.1'),
  'LATCH.ACQUIRE': (db) => db.call('LATCH.ACQUIRE', 'lock', 'me', 'TTL', 1000),
  INFO: (db) => db.call('INFO', 'everything'),
  'COMMAND DOCS': (db) => db.call('COMMAND', 'DOCS', 'get'),
  snapshot: (db) => db.snapshot(),
  load: (db, { snapshot }) => db.load(snapshot),
  callRaw: (db) => db.callRaw?.('GET', 'k'),
};

const SCRIPTS = {
  'nested calls':
    'local function f(n) if n == 0 then return redis.call("SET", "a", "b") end return pcall(f, n - 1) end return tostring(f(60))',
  'a nested text': `return ${'('.repeat(150)}1${')'.repeat(150)}`,
  'a deep pattern': 'return string.find(string.rep("a", 300), string.rep("a?", 150))',
  'deep JSON': 'local t = {} for i = 1, 500 do t = {t} end return #cjson.encode(t)',
};

for (const [name, { Keylatch }] of Object.entries(packages)) {
  describe(name, () => {
    for (const [title, call] of Object.entries(CALLS)) test(title, () => survives(Keylatch, call));
    if (!name.startsWith('scripting')) return;
    for (const [title, script] of Object.entries(SCRIPTS)) {
      test(`a script with ${title}`, () => survives(Keylatch, (db) => db.call('EVAL', script, '0')));
    }
  });
}

/** Makes a call at each level of an exhausted stack, from the deepest one on, and checks that the engine still answers. */
function survives(Keylatch, call) {
  const db = new Keylatch();
  db.set('k', 'v');
  db.rpush('l', 'a', 'b');
  db.zadd('z', { a: 1 });
  db.call('GEOADD', 'g', 13.3, 38.1, 'P', 15, 37.5, 'C');
  const context = { snapshot: db.snapshot() };
  const failures = new Set();
  let overflows = 0;
  let left = LEVELS;
  const attempt = () => {
    left -= 1;
    try {
      call(db, context);
    } catch (error) {
      if (error instanceof RangeError) overflows += 1;
      else failures.add(`${error.name}: ${error.message}`);
    }
  };
  const walk = () => {
    try {
      walk();
    } catch {
      // The end of the stack, or an error within the handler above.
    }
    if (left > 0) attempt();
  };
  try {
    walk();
  } catch {
    // An error in the first frame.
  }
  assert.deepEqual([...failures], []);
  assert.ok(overflows > 0, 'no call met the end of the stack');
  assert.equal(db.get('k'), 'v');
  call(db, context);
}
