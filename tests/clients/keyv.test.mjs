/** The store for Keyv: Keyv's own suite, and what it leaves out. Keyv 5 and 6. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Keyv } from 'keyv';
import { Keyv as Keyv6 } from 'keyv-6';
import { entry, folder, run } from './support/server.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { KeylatchStore } = await entry('keyv');

async function collected(items) {
  const all = [];
  for await (const item of items) all.push(item);
  return all.sort();
}

test("Keyv's own suite", { timeout: 120_000 }, async () => {
  const vitest = new URL('node_modules/vitest/vitest.mjs', import.meta.url).pathname;
  const { code, output, errors } = await run(
    process.execPath,
    [
      vitest,
      'run',
      '--reporter=json',
      '--pool=threads',
      '--root',
      new URL('fixtures/keyv-suite', import.meta.url).pathname,
    ],
    { env: { ...process.env, KEYLATCH_PACKAGE: folder, NO_COLOR: '1' } },
  );
  const start = output.indexOf('{');
  assert.ok(start >= 0, `${output}${errors}`);
  const report = JSON.parse(output.slice(start));
  const failed = report.testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ status }) => status !== 'passed');
  assert.deepEqual(failed, []);
  assert.equal(code, 0, errors);
  assert.ok(report.numPassedTests >= 35, `only ${report.numPassedTests} tests`);
});

for (const [name, Class] of Object.entries({ 'Keyv 5': Keyv, 'Keyv 6': Keyv6 })) {
  describe(name, () => {
    const make = (db, options, storeOptions) =>
      new Class({ store: new KeylatchStore(db, storeOptions), throwOnErrors: true, ...options });

    test('namespaces share a database and clear only their own keys', async () => {
      const db = new Keylatch();
      db.set('foreign', 'stays');
      const users = make(db, { namespace: 'users' });
      const pages = make(db, { namespace: 'us*rs' });
      await users.set('a', { n: 1 });
      await users.set('b:c::d', 'two');
      await pages.set('a', 'page');
      assert.deepEqual([await users.get('a'), await pages.get('a')], [{ n: 1 }, 'page']);
      assert.deepEqual(await collected(users.iterator()), [
        ['a', { n: 1 }],
        ['b:c::d', 'two'],
      ]);
      await pages.clear();
      assert.deepEqual([await users.get('a'), await pages.get('a')], [{ n: 1 }, undefined]);
      await users.clear();
      assert.deepEqual(db.keys('*'), ['foreign']);
    });

    test('a time to live is that of the key', async () => {
      const clock = new ManualClock(Date.now());
      const db = new Keylatch({ clock });
      const cache = make(db, { namespace: 'c', ttl: 5000 });
      await cache.set('own', 1, 1000.5);
      await cache.set('default', 2);
      await cache.set('for ever', 3, 0);
      const lives = db.keys('*').map((key) => [key.replace(/^.*:/, ''), db.pttl(key)]);
      assert.ok(Object.fromEntries(lives).own <= 1001 && Object.fromEntries(lives).own > 900);
      assert.ok(Object.fromEntries(lives).default > 4900);
      clock.advance(2000);
      assert.deepEqual(
        [await cache.get('own'), await cache.has('own'), await cache.get('default')],
        [undefined, false, 2],
      );
    });

    test('many at once', async () => {
      const db = new Keylatch();
      const cache = make(db, { namespace: 'm' });
      const names = Array.from({ length: 2500 }, (_, index) => `k${index}`);
      const stored = await cache.setMany(names.map((key, value) => ({ key, value, ttl: 60_000 })));
      assert.deepEqual([...new Set(stored)], [true]);
      const values = await cache.getMany([...names, 'missing']);
      assert.deepEqual([values.length, values[2499], values[2500]], [2501, 2499, undefined]);
      assert.deepEqual(await cache.hasMany(['k1', 'missing']), [true, false]);
      assert.equal((await collected(cache.iterator())).length, 2500);
      assert.deepEqual([await cache.deleteMany(['k0', 'k1'])].flat().every(Boolean), true);
      assert.deepEqual([await cache.deleteMany(['k0', 'k2'])].flat().every(Boolean), false);
      await cache.clear();
      assert.equal(db.dbsize(), 0);
    });

    test('a store with nx is a lock', async () => {
      const db = new Keylatch();
      const locks = make(db, { namespace: 'locks' }, { nx: true });
      assert.equal(await locks.set('door', 'me', 5000), true);
      assert.equal(await locks.set('door', 'you', 5000), false);
      assert.equal(await locks.get('door'), 'me');
      assert.deepEqual(
        await locks.setMany([
          { key: 'door', value: 'you' },
          { key: 'gate', value: 'you' },
        ]),
        [false, true],
      );
      await locks.delete('door');
      assert.equal(await locks.set('door', 'you', 5000), true);
    });
  });
}

describe('the store by itself', () => {
  test('nx of one call', async () => {
    const store = new KeylatchStore(new Keylatch());
    assert.equal(await store.set('k', 'a', 1000, { nx: true }), true);
    assert.equal(await store.set('k', 'b', undefined, { nx: true }), false);
    assert.equal(await store.set('k', 'b', -1, { nx: true }), false);
    assert.equal(await store.set('k', 'c'), true);
    assert.equal(await store.get('k'), 'c');
    assert.deepEqual(await store.setMany([{ key: 'k', value: 'd' }], { nx: true }), [false]);
    assert.equal(await store.set('k', 'expired', -1), true);
    assert.equal(await store.get('k'), undefined);
  });

  test('a client, a view, and no namespace', async () => {
    const db = new Keylatch();
    const store = new KeylatchStore(db.prefix('app:'), { namespace: '' });
    await store.set('k', 'v');
    db.set('foreign', 1);
    assert.equal(db.get('app:k'), 'v');
    assert.deepEqual(await collected(store.iterator()), [['k', 'v']]);
    await store.clear();
    assert.deepEqual(db.keys('*'), ['foreign']);
  });

  test('mistakes say what to do', async () => {
    const db = new Keylatch();
    const store = new KeylatchStore(db);
    assert.throws(() => new KeylatchStore(), /needs a database/);
    assert.throws(() => new KeylatchStore(db, { NX: true }), /no option 'NX': it has namespace, nx/);
    assert.throws(() => new KeylatchStore(db, { nx: 'yes' }), /nx must be true or false/);
    await assert.rejects(
      store.set('k', { a: 1 }),
      /stores text, got object for key "k": leave Keyv's serialization on/,
    );
    await assert.rejects(store.set('k', 'v', '5'), /must be a number of milliseconds/);
    await assert.rejects(store.set('k', 'v', 5, { xx: true }), /no option 'xx'/);
    assert.equal(db.dbsize(), 0);
    db.lpush('keyv::list', 1);
    await assert.rejects(store.get('list'), { code: 'WRONGTYPE' });
  });

  test('a failure of the engine reaches the errors of Keyv', async () => {
    const db = new Keylatch();
    const cache = new Keyv({ store: new KeylatchStore(db) });
    const errors = [];
    cache.on('error', (error) => errors.push(error.name));
    db.close();
    assert.equal(await cache.set('k', 1), false);
    assert.deepEqual(errors, ['ClosedError']);
  });
});
