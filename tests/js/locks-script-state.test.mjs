// The keys of the script of locks: tokens, what is remembered, damaged and foreign keys, clocks that are set, owners of any bytes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scriptKeys, setUpScripts } from './support/script-server.mjs';

/** How long a place in line lasts without a look. */
const LIVENESS_MS = 10_000;

test('all keys of a name are in one slot and no other name has them', () => {
  const names = [
    'door',
    '{door}',
    '{door}:',
    'a{}b',
    'a}b',
    'a{b}c',
    '{a{}b}',
    'a{b',
    '}',
    ' }',
    '{}',
    '{}x',
    '}x',
    ':',
  ];
  const tag = (key) => /\{([^}]+)\}/.exec(key)?.[1] ?? key;
  const all = names.map(scriptKeys);
  for (const keys of all) assert.equal(new Set(keys.map(tag)).size, 1, keys.join(' '));
  assert.equal(new Set(all.flat()).size, 5 * names.length);
  assert.equal(tag(scriptKeys('a{b}c')[0]), 'b');
});

test('stolen, ended and deleted locks stay lost, for as many as are remembered', async () => {
  const { time, run, db } = setUpScripts();
  const released = run('door', 'acquire', 'first', 'x', 100, 0, '-', 0, 0, 1, 1)[1];
  assert.equal(run('door', 'release', 'first', released)[0], 1);
  const lost = [];
  for (let n = 0; n < 20; n += 1) {
    lost.push(run('door', 'acquire', `owner ${n}`, 'x', 100, 0, '-', 0, 0, 1, 1)[1]);
    await time.advance(101);
  }
  for (const [n, token] of lost.entries()) assert.equal(run('door', 'release', `owner ${n}`, token)[0], 0, `${n}`);
  assert.equal(run('door', 'release', 'first', released)[0], 0, 'before what is remembered');
  const last = run('door', 'acquire', 'last', 'x', 100, 0, '-', 0, 0, 1, 1)[1];
  for (const expected of [1, 1]) assert.equal(run('door', 'release', 'last', last)[0], expected);
  db.flushall();
  assert.equal(run('door', 'release', 'last', last)[0], 0);
});

test('no lease lasts longer than its length after the clock was set back', async () => {
  const { clock, run } = setUpScripts();
  const hour = 3_600_000;
  const acquire = (name, owner, kind) => run(name, 'acquire', owner, kind, 1000, 0, '-', 0, 0, 1, 2);
  for (const kind of ['x', 's', 'p']) {
    const token = acquire(kind, 'ann', kind)[1];
    assert.equal(run(kind, 'acquire', 'dead', 'x', 1000, LIVENESS_MS, '-', 0, 0, 1, 1)[0], 0);
    clock.advance(-hour);
    assert.equal(run(kind, 'renew', 'ann', 1000, 0)[1], 1000);
    clock.advance(1001);
    assert.equal(acquire(kind, 'bob', 'x')[0], 0, 'granted to the head');
    clock.advance(LIVENESS_MS + 1);
    const next = acquire(kind, 'bob', 'x');
    assert.equal(next[0], 1, kind);
    assert.ok(next[1] > token, 'tokens increase all the same');
    clock.advance(hour);
  }
});

test('keys of other types and layouts are refused, and nothing has changed', async () => {
  const { db, run } = setUpScripts();
  const make = {
    string: (key) => db.set(key, 'text'),
    list: (key) => db.rpush(key, 'a'),
    set: (key) => db.sadd(key, 'a'),
    hash: (key) => db.hset(key, 'a', '1 2 3'),
    zset: (key) => db.zadd(key, 1, 'a'),
  };
  const types = ['string', 'hash', 'zset', 'zset', 'hash'];
  for (const [part, own] of types.entries()) {
    for (const [type, set] of Object.entries(make)) {
      if (type === own && part > 0) continue;
      db.flushall();
      set(scriptKeys('door')[part]);
      const before = db.keys('*');
      for (const argv of [
        ['acquire', 'ann', 's', 1000, LIVENESS_MS, '-', 0, 0, 1, 1],
        ['release', 'ann', 0],
        ['inspect', ''],
      ])
        assert.throws(() => run('door', ...argv), /WRONGTYPE|LAYOUT/, `${part} ${type}`);
      assert.deepEqual(db.keys('*'), before);
    }
  }
});

test('the loss of one key: leases and places that survive it count', async () => {
  const { db, run, time } = setUpScripts();
  const [state, holders, ends, line, waiters] = scriptKeys('door');
  const acquire = (owner, kind, live = 0) => run('door', 'acquire', owner, kind, 1000, live, '-', 0, 0, 1, 1);
  const fill = () => {
    db.flushall();
    const token = acquire('ann', 's')[1];
    acquire('bob', 's');
    acquire('cid', 'x', LIVENESS_MS);
    return token;
  };
  for (const key of [state, ends, line, waiters]) {
    fill();
    db.del(key);
    assert.equal(acquire('dan', 'x')[0], 0, `${key}: the readers still hold it`);
    assert.ok(run('door', 'renew', 'ann', 1000, 0)[1] > 0, key);
  }
  const token = fill();
  db.del(state);
  run('door', 'release', 'ann', 0);
  run('door', 'release', 'bob', 0);
  const [, next] = acquire('cid', 'x', LIVENESS_MS);
  assert.ok(next > token);
  fill();
  db.del(holders);
  assert.equal(run('door', 'renew', 'ann', 1000, 0)[0], 0);
  assert.equal(acquire('cid', 'x', LIVENESS_MS)[0], 1);
  await time.advance(1001);
  db.del(state);
  assert.equal(acquire('eve', 'x')[0], 1);
});

test('everything expires', async () => {
  const { db, run, time } = setUpScripts();
  for (const owner of ['ann', 'bob', 'cid']) {
    run('door', 'acquire', owner, 's', 1000, 0, '-', 0, 0, 1, 1);
    run('door', 'acquire', `${owner} too`, 'x', 1000, LIVENESS_MS, '-', 0, 0, 1, 1);
  }
  assert.equal(db.dbsize(), 5);
  await time.advance(3_600_000 + LIVENESS_MS + 1);
  assert.equal(db.dbsize(), 0);
});

test('owners of any bytes', async () => {
  const { run } = setUpScripts();
  for (const owner of ['', ' ', 'a b\n1 2 3', '%s%d', '-', '\u{1F511}', '\0']) {
    for (const kind of ['x', 's']) {
      const name = `${kind}${owner}{`;
      assert.equal(run(name, 'acquire', owner, kind, 1000, 0, '-', 0, 0, 1, 1)[0], 1);
      assert.equal(run(name, 'acquire', 'other', 'x', 1000, LIVENESS_MS, 'c', 0, 0, 1, 1)[0], 0);
      const [holders, waiters] = run(name, 'inspect', '');
      assert.equal(holders[0][0], owner);
      assert.equal(waiters[0][0], 'other');
      assert.equal(run(name, 'release', owner, 0)[0], 1, JSON.stringify(owner));
    }
  }
});
