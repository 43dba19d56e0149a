// Reads that are repeated without a call of the engine: they are, and nobody sees that they were.
import assert from 'node:assert/strict';
import test from 'node:test';
import { dice, listen, outcome, pair } from './support/both-ways.mjs';
import { entry } from './support/package.mjs';

const { Keylatch } = await entry('index');

/** Instances made from here on count calls of the exports that read; answers how many there were since it was asked last. */
function countedReads() {
  const { Instance } = WebAssembly;
  let calls = 0;
  WebAssembly.Instance = function CountingInstance(module, imports) {
    const exports = { ...new Instance(module, imports).exports };
    for (const name of ['engine_hotGet', 'engine_hotMget']) {
      const read = exports[name];
      exports[name] = (...given) => ((calls += 1), read(...given));
    }
    return { exports };
  };
  return () => calls - (calls = 0);
}

const readsOfEngine = countedReads();
const KEYS = ['user:1', 'user:2', 'session:9f', 'page:/index.html', 'number', 'long', 'k\u00e9y of others'];
const VALUES = ['', 'a', 'v'.repeat(32), 'w'.repeat(33), 'x'.repeat(1024), 'y'.repeat(1025), '\u00e9'.repeat(20), '12'];

/** So often that keys get places and their answers are known. */
function readOften(db, keys) {
  for (let count = 0; count < 8; count += 1) for (const key of keys) db.get(key);
  db.mget(...keys);
  db.mget(...keys);
  readsOfEngine();
}

test('what nothing changed is not read again', () => {
  const db = new Keylatch();
  const other = db.client();
  other.ping();
  const keys = KEYS.slice(0, 5);
  keys.forEach((key, index) => db.set(key, VALUES[index]));
  readOften(db, keys);
  for (let count = 0; count < 100; count += 1) {
    keys.forEach((key, index) => assert.equal(db.get(key), VALUES[index]));
    assert.deepEqual(db.mget(...keys), VALUES.slice(0, 5));
  }
  assert.equal(readsOfEngine(), 0);
  // Each of these asks the engine: it is another type of reply, another client, or there is nothing to repeat.
  assert.deepEqual(db.bytes.get('user:2'), new TextEncoder().encode('a'));
  assert.equal(other.get('user:2'), 'a');
  assert.equal(db.get('nobody'), null);
  assert.deepEqual(db.mget('user:2', 'nobody'), ['a', null]);
  assert.equal(readsOfEngine(), 4);
});

test('what one client reads is not told another', () => {
  const db = new Keylatch();
  const other = db.client();
  other.call('SELECT', 1);
  other.set('user:1', 'elsewhere');
  db.set('user:1', 'here');
  readOften(db, ['user:1']);
  assert.deepEqual([db.get('user:1'), other.get('user:1'), db.get('user:1')], ['here', 'elsewhere', 'here']);
  readOften(db, ['user:1']);
  assert.deepEqual(other.mget('user:1', 'user:1'), ['elsewhere', 'elsewhere']);
});

test('a write of one key leaves most others alone', () => {
  const db = new Keylatch();
  const keys = Array.from({ length: 64 }, (_, number) => `user:${String(number).padStart(5, '0')}`);
  for (const key of keys) db.set(key, 'old');
  readOften(db, keys);
  const asked = keys.map((key) => {
    db.set(key, 'new');
    assert.equal(db.get(key), 'new');
    const others = readsOfEngine();
    for (const other of keys) db.get(other);
    return readsOfEngine() - others;
  });
  assert.ok(asked.every((count) => count < 10), asked.join());
});

/** What changes a value or whether it may be told, by which way ever. */
const CHANGES = {
  'SET': (db) => db.set('user:1', 'new'),
  'a long SET': (db) => db.set('user:1', 'n'.repeat(100)),
  'MSET': (db) => db.mset([['user:1', 'new']]),
  'APPEND': (db) => db.append('user:1', 'more'),
  'SETRANGE': (db) => db.call('SETRANGE', 'user:1', 0, 'X'),
  'INCR': (db) => [db.set('user:1', '7'), readOften(db, ['user:1']), db.incr('user:1')],
  'DEL': (db) => db.del('user:1'),
  'DELEX': (db) => db.delex('user:1', { ifeq: 'old' }),
  'GETDEL': (db) => db.call('GETDEL', 'user:1'),
  'RENAME': (db) => db.call('RENAME', 'user:2', 'user:1'),
  'COPY': (db) => db.call('COPY', 'user:2', 'user:1', 'REPLACE'),
  'a list in its place': (db) => [db.del('user:1'), db.lpush('user:1', 'x')],
  'FLUSHALL': (db) => db.flushall(),
  'SELECT': (db) => db.call('SELECT', 1),
  'SWAPDB': (db) => db.call('SWAPDB', 0, 1),
  'MULTI': (db) => db.multi().set('user:1', 'new').exec(),
  'a queued command': (db) => [db.call('MULTI'), db.call('SET', 'user:1', 'new')],
  'another client': (db) => db.client().set('user:1', 'new'),
  'a stream': (db) => db.client().feed(new TextEncoder().encode('*3\r\n$3\r\nSET\r\n$6\r\nuser:1\r\n$3\r\nnew\r\n')),
  'a lifetime': (db, wait) => [db.set('user:1', 'short', { px: 5 }), readOften(db, ['user:1']), wait(6)],
  'a lifetime given later': (db, wait) => [db.expire('user:1', 1), readOften(db, ['user:1']), wait(1001)],
  'a snapshot': (db) => db.load(new Keylatch().snapshot()),
  'a log': (db) => db.replay(new TextEncoder().encode('*3\r\n$3\r\nSET\r\n$6\r\nuser:1\r\n$3\r\nnew\r\n')),
  'compact': (db) => [db.compact(), db.set('user:1', 'new')],
  'memory that grows': (db) => [db.set('large', 'x'.repeat(10_000_000)), db.set('user:1', 'new')],
  'an end': (db) => db.close(),
};

for (const [name, change] of Object.entries(CHANGES)) {
  test(`after ${name} reads answer what is there now`, () => {
    const answers = [true, false].map((isShort) => {
      let nowMs = 1_000_000;
      const db = new Keylatch({ now: () => nowMs });
      if (!isShort) listen(db);
      db.set('user:1', 'old');
      db.set('user:2', 'other');
      readOften(db, ['user:1', 'user:2']);
      change(db, (ms) => (nowMs += ms));
      return [() => db.get('user:1'), () => db.mget('user:1', 'user:2'), () => db.get('user:1')].map(outcome);
    });
    assert.deepEqual(answers[0], answers[1]);
  });
}

/** Reads around a command that the short way refused and whose clock failed then; answers how many came through, and how many were counted. */
function readsAroundFailure(failsAt, failure, command) {
  let readings = -Infinity;
  const db = new Keylatch({ now: () => ((readings += 1) === failsAt ? failure() : 1_000_000) });
  db.set('user:1', 'old');
  db.set('large', 'x'.repeat(200_000));
  readOften(db, ['user:1']);
  const counted = () => Number(/cmdstat_get:calls=(\d+)/.exec(db.call('INFO', 'commandstats'))[1]);
  const before = counted();
  readOften(db, ['user:1']);
  let reads = 8;
  // What is left of a large value is given back by the ordinary way alone.
  db.del('large');
  readings = 0;
  outcome(() => command(db));
  for (let count = 0; count < 10; count += 1) reads += outcome(() => db.get('user:1')) === 'old' ? 1 : 0;
  const hasFailed = readings >= failsAt;
  readings = -Infinity;
  return { reads, counted: counted() - before, hasFailed };
}

test('what is repeated after a clock that failed is counted', () => {
  const failures = [() => NaN, () => { throw new Error('no clock'); }];
  const commands = [(db) => db.exists('other'), (db) => db.set('user:2', 'new'), (db) => db.incr('number'), (db) => db.call('TIME')];
  let failed = 0;
  for (const failure of failures) for (const command of commands) for (const failsAt of [1, 2, 3]) {
    const { reads, counted, hasFailed } = readsAroundFailure(failsAt, failure, command);
    assert.equal(counted, reads, `${command}, reading ${failsAt}`);
    failed += hasFailed;
  }
  assert.ok(failed > failures.length * commands.length, `only ${failed} failed`);
});

test('random reads and writes of several clients answer and count the same', () => {
  let [reads, asked] = [0, 0];
  for (let seed = 1; seed <= 30; seed += 1) {
    const both = pair().map((db) => ({ db, clients: [db, db.client(), db.client()] }));
    const random = dice(seed);
    const one = (list) => list[random(list.length)];
    const steps = [
      () => { const k = one(KEYS); return ({ client }) => client.set(k, VALUES[3]); },
      () => { const [k, v] = [one(KEYS), one(VALUES)]; return ({ client }) => client.set(k, v); },
      () => { const [k, v] = [one(KEYS), one(VALUES)]; return ({ client }) => [client.setnx(k, v), client.set(k, v, { xx: true })]; },
      () => { const k = one(KEYS); return ({ client }) => client.incr(k); },
      () => { const k = one(KEYS); return ({ client }) => [client.del(k), client.exists(k)]; },
      () => { const [k, v] = [one(KEYS), one(VALUES)]; return ({ client }) => client.delex(k, { ifeq: v }); },
      () => { const [a, b, v] = [one(KEYS), one(KEYS), one(VALUES)]; return ({ client }) => client.mset([[a, v], [b, a]]); },
      () => { const [k, v] = [one(KEYS), one(VALUES)]; return ({ client }) => client.append(k, v.slice(0, 9)); },
      () => { const [a, b] = [one(KEYS), one(KEYS)]; return ({ client }) => client.call('RENAME', a, b); },
      () => { const k = one(KEYS); return ({ client }) => client.lpush(k, 'x'); },
      () => { const k = one(KEYS); return ({ client }) => [client.set(k, 'brief', { px: 3_600_000 }), client.get(k), client.del(k)]; },
      () => { const number = random(2); return ({ client }) => client.call('SELECT', number); },
      () => { const policy = one(['allkeys-lfu', 'allkeys-lru', 'noeviction']); return ({ db }) => db.call('CONFIG', 'SET', 'maxmemory-policy', policy); },
      () => { const bytes = one(['0', '100mb']); return ({ db }) => db.call('CONFIG', 'SET', 'maxmemory', bytes); },
      () => { const k = `new:${random(1000)}`; return ({ client }) => client.set(k, 'x'); },
      () => { const k = one(KEYS); return ({ db }) => [db.call('OBJECT', 'IDLETIME', k), db.call('OBJECT', 'FREQ', k)]; },
      () => ({ db }) => db.call('CLIENT', 'LIST').match(/cmd=\S+/g),
      () => ({ db }) => db.call('INFO', 'commandstats').match(/cmdstat_\w+:calls=\d+|rejected_calls=\d+,failed_calls=\d+/g),
      () => ({ db }) => db.call('INFO', 'stats').match(/keyspace_\w+:\d+|total_commands_processed:\d+/g),
    ];
    for (let count = 0; count < 600; count += 1) {
      const number = random(8) === 0 ? random(3) : 0;
      const step = one(steps)();
      const keys = Array.from({ length: 1 + random(6) }, () => one(KEYS));
      const rounds = random(6);
      readsOfEngine();
      const answers = both.map(({ db, clients }) => {
        const client = clients[number];
        const answer = [outcome(() => step({ db, client }))];
        for (let round = 0; round < rounds; round += 1) {
          for (const key of keys) answer.push(outcome(() => client.get(key)));
          answer.push(outcome(() => client.mget(...keys)));
        }
        return answer;
      });
      assert.deepEqual(answers[0], answers[1]);
      reads += rounds * (keys.length + 1);
      asked += readsOfEngine();
    }
    assert.equal(both[0].db.digestAll(), both[1].db.digestAll());
  }
  assert.ok(asked < 0.8 * reads, `${asked} of ${reads} reads asked the engine: hardly any was repeated`);
});
