// A connection that the browser closes, while the database stays: it is opened again, if the same database is there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  browserForEach,
  bytes,
  change,
  connections,
  held,
  IDBDatabase,
  IDBFactory,
  IDBObjectStore,
  refused,
  replaceGlobal,
} from './support/indexeddb.mjs';
import { entry } from './support/package.mjs';
import { until } from './support/until.mjs';

const { indexedDbStore, open } = await entry('persist-browser');

browserForEach();

/** Closes the connection as a browser does: with an event, or without one. */
function cut(hasEvent) {
  const connection = connections.at(-1);
  connection.close();
  if (hasEvent) connection.onclose?.(new Event('close'));
}

/** Lets the next transaction that writes fail, after its changes were made or undone. */
function breakNext(name, isKept) {
  const { transaction: begin } = IDBDatabase.prototype;
  IDBDatabase.prototype.transaction = function (...given) {
    const transaction = begin.apply(this, given);
    if (given[1] !== 'readwrite') return transaction;
    IDBDatabase.prototype.transaction = begin;
    transaction.commit = undefined;
    const fail = () => {
      Object.defineProperty(transaction, 'error', { value: new DOMException('server lost', name) });
      transaction.onabort?.();
    };
    transaction.addEventListener(isKept ? 'complete' : 'abort', fail);
    Object.defineProperty(transaction, 'oncomplete', { set() {} });
    if (!isKept) queueMicrotask(() => transaction.abort());
    return transaction;
  };
}

async function valuesOf(name, ...keys) {
  const db = await open({ name });
  const values = db.mget(...keys);
  await db.close();
  return values;
}

for (const hasEvent of [true, false])
  test(`writes go on after the connection was closed ${hasEvent ? 'with' : 'without'} an event`, async () => {
    const db = await open({ name: 'a' });
    const states = [];
    db.onPersistence(({ state }) => states.push(state));
    db.set('first', 1);
    await db.flush();
    for (const key of ['second', 'third']) {
      cut(hasEvent);
      assert.ok(held.has('keylatch:a'), 'the lock is kept');
      db.set(key, 1);
      await db.flush();
    }
    cut(hasEvent);
    await db.rewrite();
    cut(hasEvent);
    await db.flush();
    await db.close();
    assert.deepEqual(states, ['closed']);
    assert.equal(held.size, 0);
    assert.deepEqual(await valuesOf('a', 'first', 'second', 'third'), ['1', '1', '1']);
  });

for (const name of ['UnknownError', 'AbortError'])
  for (const isKept of [true, false])
    test(`an append that ended with ${name} and ${isKept ? 'is' : 'is not'} there is there once`, async () => {
      const db = await open({ name: 'a' });
      db.incr('n');
      await db.flush();
      breakNext(name, isKept);
      db.incr('n');
      await db.flush();
      assert.equal(connections.length, 2);
      db.incr('n');
      await db.close();
      assert.deepEqual(await valuesOf('a', 'n'), ['3']);
    });

test('a snapshot that ended with the connection is not written a second time over later appends', async () => {
  const store = indexedDbStore('a');
  await store.open();
  await store.append(bytes(1), 1);
  breakNext('UnknownError', true);
  const replacing = store.replace(bytes(7), 5n, 2);
  const appending = store.append(bytes(2), 3);
  await assert.rejects(replacing, refused('FAILED', /server lost/));
  await appending;
  await store.close();
  const stored = await indexedDbStore('a').open();
  assert.deepEqual([stored.snapshot, [...stored.pieces], stored.seed], [bytes(7), [bytes(2)], 5n]);
});

test('a database that is gone, another one, or one without its last appends ends the store; nothing is created', async () => {
  const lose = async (work) => {
    const db = await open({ name: 'a' });
    db.set('k', 1);
    await db.flush();
    const lost = new Promise((resolve) => db.onPersistence(resolve));
    await work();
    connections[0].close();
    connections[0].onclose(new Event('close'));
    const { state, error } = await lost;
    assert.deepEqual([state, error.code], ['lost', 'LOST']);
    await db.close();
    assert.equal(held.size, 0);
    connections.length = 0;
  };
  await lose(() => change('a', 'log', (log) => log.clear()));
  await lose(() => {
    replaceGlobal('indexedDB', new IDBFactory());
  });
  assert.deepEqual(await indexedDB.databases(), []);
  await lose(async () => {
    replaceGlobal('indexedDB', new IDBFactory());
    const other = indexedDbStore('a', { isLocked: true });
    await other.open();
    await other.append(bytes(1), 1);
  });
});

test('a loss is reported without a write, also where the browser refuses the first attempt to open', async () => {
  const db = await open({ name: 'a' });
  db.set('k', 1);
  await db.flush();
  const [connection] = connections;
  let attempts = 0;
  replaceGlobal('indexedDB', {
    open: (...given) => {
      attempts += 1;
      if (attempts === 1) throw new DOMException('The connection was closed.', 'AbortError');
      return new IDBFactory().open(...given);
    },
  });
  connection.onclose(new Event('close'));
  await until(() => db.persistence.state === 'lost');
  assert.deepEqual([db.persistence.error.code, attempts], ['LOST', 2]);
  await db.close();
});

test('a newer version that took the database meanwhile ends the store with its code', async () => {
  const db = await open({ name: 'a' });
  const [connection] = connections;
  connection.close();
  await new Promise((resolve) => {
    indexedDB.open('keylatch:a', 2).onsuccess = resolve;
  });
  connection.onclose(new Event('close'));
  await until(() => db.persistence.state === 'lost');
  assert.equal(db.persistence.error.code, 'NEWER_VERSION');
  await db.close();
});

test('a browser that never opens the database is an error after a while, and writing goes on later', async () => {
  const never = { open: () => ({}) };
  const real = globalThis.indexedDB;
  replaceGlobal('indexedDB', never);
  const silent = indexedDbStore('a', { openMs: 20 });
  await assert.rejects(silent.open(), refused('FAILED', /20 ms: the browser does not answer/));
  assert.equal(held.size, 0);
  globalThis.indexedDB = real;
  // Long enough for a busy machine to open the real one.
  const db = await open({ store: indexedDbStore('a', { openMs: 2000 }) });
  const states = [];
  db.onPersistence(({ state }) => states.push(state));
  globalThis.indexedDB = never;
  cut(false);
  db.set('k', 1);
  await assert.rejects(db.flush(), refused('FAILED', /does not answer/));
  db.set('l', 1);
  globalThis.indexedDB = real;
  await until(() => states.at(-1) === 'running');
  await db.close();
  assert.deepEqual(states, ['failed', 'running', 'closed']);
  assert.deepEqual(await valuesOf('a', 'k', 'l'), ['1', '1']);
});

test('an opening that another page blocks says so', async () => {
  const open = () => {
    const request = {};
    setTimeout(() => request.onblocked());
    return request;
  };
  replaceGlobal('indexedDB', { open });
  await assert.rejects(indexedDbStore('a', { openMs: 20 }).open(), refused('FAILED', /another page keeps an older/));
});

test('a store of the first version goes on with its numbers', async () => {
  const store = indexedDbStore('a');
  await store.open();
  await store.replace(bytes(9), 5n, 1);
  await store.close();
  await change('a', 'meta', (meta) => meta.put({ format: 1, seed: '5', nowMs: 1, snapshotBytes: 1 }, 'store'));
  await change('a', 'log', (log) => {
    log.add({ nowMs: 2, piece: bytes(1) });
    log.add({ nowMs: 3, piece: bytes(2) });
  });
  const later = indexedDbStore('a');
  await later.open();
  await later.append(bytes(3), 4);
  await later.close();
  // An older program numbers by itself.
  await change('a', 'log', (log) => log.add({ nowMs: 5, piece: bytes(4) }));
  const { pieces, loggedMs } = await indexedDbStore('a').open();
  assert.deepEqual([[...pieces], loggedMs], [[bytes(1), bytes(2), bytes(3), bytes(4)], 5]);
});

test('an append that fails in another way is repeated with its number', async () => {
  const store = indexedDbStore('a');
  await store.open();
  const { add } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.add = () => {
    throw new DOMException('no room', 'QuotaExceededError');
  };
  const piece = bytes(1);
  await assert.rejects(store.append(piece, 1), refused('QUOTA', /quota/));
  IDBObjectStore.prototype.add = add;
  await store.append(piece, 1);
  await store.append(bytes(2), 2);
  await store.close();
  assert.deepEqual([...(await indexedDbStore('a').open()).pieces], [bytes(1), bytes(2)]);
});
