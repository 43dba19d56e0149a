// The store in IndexedDB, over an implementation in memory and locks of the test.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  browserForEach,
  bytes,
  change,
  connect,
  held,
  IDBFactory,
  IDBObjectStore,
  refused,
  replaceGlobal,
} from './support/indexeddb.mjs';
import { entry } from './support/package.mjs';

const { indexedDbStore, open } = await entry('persist-browser');

const MB = 1024 * 1024;

browserForEach();

test('pieces come back in their order, with the last instant and the same seed', async () => {
  const store = indexedDbStore('a');
  const first = await store.open();
  assert.deepEqual([first.snapshot, [...first.pieces], first.loggedMs, first.repairedBytes], [null, [], 0, 0]);
  await store.append(bytes(1), 10);
  await Promise.all([store.append(bytes(2), 11), store.append(bytes(3), 12)]);
  await store.close();
  const again = await indexedDbStore('a', { durability: 'strict' }).open();
  assert.deepEqual([...again.pieces], [bytes(1), bytes(2), bytes(3)]);
  assert.deepEqual([again.loggedMs, again.seed], [12, first.seed]);
  assert.ok(again.seed > 0n);
});

test('a part of a larger buffer is stored alone', async () => {
  const store = indexedDbStore('a');
  await store.open();
  await store.append(new Uint8Array(MB).subarray(5, 8), 1);
  await store.close();
  const [piece] = (await indexedDbStore('a').open()).pieces;
  assert.deepEqual([piece.length, piece.buffer.byteLength], [3, 3]);
});

test('a snapshot replaces the log before it, in chunks, and appends meanwhile come after it', async () => {
  const store = indexedDbStore('a');
  await store.open();
  await store.append(bytes(1), 10);
  const snapshot = new Uint8Array(2.5 * MB).map((_, index) => index % 251);
  const replacing = store.replace(snapshot, 77n, 20);
  await Promise.all([store.append(bytes(2), 21), replacing]);
  await store.close();
  const stored = await indexedDbStore('a').open();
  assert.deepEqual(Buffer.compare(stored.snapshot, snapshot), 0);
  assert.deepEqual([[...stored.pieces], stored.seed, stored.loggedMs], [[bytes(2)], 77n, 21]);
  const db = await connect('keylatch:a');
  const keys = db.transaction('snapshot').objectStore('snapshot').getAllKeys();
  await new Promise((resolve) => {
    keys.onsuccess = resolve;
  });
  assert.deepEqual(keys.result, [0, 1, 2]);
  db.close();
});

test('an engine finds its data again, also after a compaction', async () => {
  const db = await open({ name: 'todo' });
  db.set('k', 'v');
  db.hset('h', { f: 1 });
  await db.rewrite();
  db.set('later', 1, { px: 60_000 });
  const digest = db.digestAll();
  await db.close();
  const again = await open({ name: 'todo', durability: 'strict' });
  assert.equal(again.digestAll(), digest);
  assert.equal(again.persistence.restored.restoredKeys, 3);
  await again.close();
});

test('a second writer of one name is refused, and the first one keeps writing', async () => {
  const first = await open({ name: 'a' });
  await assert.rejects(open({ name: 'a' }), refused('IN_USE', /IndexedDB "a".*another tab.*keylatch\/tabs/));
  first.set('k', 1);
  await first.close();
  const second = await open({ name: 'a' });
  assert.equal(second.get('k'), '1');
  await second.close();
});

test('a page that goes has half a second to release the store', async () => {
  const first = await open({ name: 'a' });
  setTimeout(() => first.close(), 50);
  const second = await open({ name: 'a' });
  await second.close();
});

test('a newer version is refused, by the database and by the format, and damages nothing', async () => {
  const db = await open({ name: 'a' });
  db.set('k', 1);
  await db.close();
  await change('a', 'meta', (meta) => meta.put({ format: 2, seed: '1', nowMs: 0, snapshotBytes: 0 }, 'store'));
  await assert.rejects(open({ name: 'a' }), refused('NEWER_VERSION', /newer version of keylatch.*reload/));
  await change('a', 'meta', (meta) => meta.put({ format: 1, seed: '1', nowMs: 0, snapshotBytes: 0 }, 'store'));
  const same = await open({ name: 'a' });
  assert.equal(same.get('k'), '1');
  await same.close();
  (await connect('keylatch:a', 2)).close();
  await assert.rejects(open({ name: 'a' }), refused('NEWER_VERSION', /newer version of keylatch/));
  assert.equal(held.size, 0);
});

test('what another program wrote, or a missing part, is damage with advice', async () => {
  const create = async () => {
    globalThis.indexedDB = new IDBFactory();
    const store = indexedDbStore('a');
    await store.open();
    await store.replace(new Uint8Array(2 * MB), 1n, 1);
    await store.close();
  };
  await create();
  await change('a', 'snapshot', (chunks) => chunks.delete(1));
  await assert.rejects(
    open({ name: 'a' }),
    refused('DAMAGED', /parts of the snapshot.*deleteDatabase\("keylatch:a"\)/),
  );
  await create();
  await change('a', 'log', (log) => log.add({ nowMs: 1, piece: bytes(1) }, 'key'));
  await assert.rejects(open({ name: 'a' }), refused('DAMAGED', /another program/));
  await change('a', 'log', (log) => log.delete('key'));
  await change('a', 'log', (log) => log.add('text'));
  await assert.rejects(open({ name: 'a' }), refused('DAMAGED', /another program/));
  await change('a', 'meta', (meta) => meta.clear());
  await assert.rejects(open({ name: 'a' }), refused('DAMAGED', /no record of its format/));
  await change('a', 'log', (log) => log.clear());
  await change('a', 'snapshot', (chunks) => chunks.clear());
  await change('a', 'meta', (meta) => meta.put({ format: 1, seed: '1', nowMs: 0, snapshotBytes: 0 }, 'store'));
  await change('a', 'log', (log) => log.add({ nowMs: 1, piece: new TextEncoder().encode('*1\r\n$9x') }));
  await change('a', 'log', (log) => log.add({ nowMs: 1, piece: new TextEncoder().encode('*1\r\n$4\r\nPING\r\n') }));
  await assert.rejects(open({ name: 'a' }), refused('DAMAGED', /IndexedDB "a"/));
});

test('a store that is deleted while open, or taken by a newer version, is lost: an event, and later errors', async () => {
  for (const [take, code] of [
    [() => indexedDB.deleteDatabase('keylatch:a'), 'LOST'],
    [() => indexedDB.open('keylatch:a', 2), 'NEWER_VERSION'],
  ]) {
    const db = await open({ name: 'a' });
    const lost = new Promise((resolve) => db.onPersistence(resolve));
    take();
    const { state, error } = await lost;
    assert.deepEqual([state, error.code], ['lost', code]);
    db.set('k', 'in memory');
    assert.equal(db.get('k'), 'in memory');
    await assert.rejects(db.flush(), { code });
    await db.close();
    assert.equal(held.size, 0, 'the lock is released');
  }
});

test('a quota that is used up is an error of its own; writing goes on when there is room', async () => {
  const db = await open({ name: 'a' });
  const states = [];
  db.onPersistence(({ state, error }) => states.push([state, error?.code]));
  const { add } = IDBObjectStore.prototype;
  IDBObjectStore.prototype.add = () => {
    throw new DOMException('no room', 'QuotaExceededError');
  };
  db.set('k', 'v');
  await assert.rejects(db.flush(), refused('QUOTA', /quota.*navigator\.storage\.persist/));
  IDBObjectStore.prototype.add = add;
  await db.flush();
  assert.deepEqual(states, [
    ['failed', 'QUOTA'],
    ['running', undefined],
  ]);
  await db.close();
  const again = await open({ name: 'a' });
  assert.equal(again.get('k'), 'v');
  await again.close();
});

test('an environment without IndexedDB, without locks, or with storage forbidden says so', async () => {
  replaceGlobal('indexedDB', undefined);
  await assert.rejects(open({ name: 'a' }), refused('UNSUPPORTED', /private window.*memoryStore/));
  for (const name of ['InvalidStateError', 'SecurityError']) {
    const failing = () => {
      throw new DOMException('forbidden', name);
    };
    replaceGlobal('indexedDB', { open: failing });
    await assert.rejects(open({ name: 'a' }), refused('UNSUPPORTED', /private window|forbidden/));
    assert.equal(held.size, 0);
  }
  replaceGlobal('indexedDB', new IDBFactory());
  replaceGlobal('navigator', {});
  await assert.rejects(open({ name: 'a' }), refused('UNSUPPORTED', /Web Locks.*https/));
  const request = async () => {
    throw new DOMException('denied', 'SecurityError');
  };
  replaceGlobal('navigator', { locks: { request } });
  await assert.rejects(open({ name: 'a' }), refused('UNSUPPORTED', /may not store data: denied/));
});
