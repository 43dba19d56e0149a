// The last writes of a page that ends: appends that begin while another one runs, and a tail in localStorage.
import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  browserForEach,
  bytes,
  held,
  IDBDatabase,
  IDBObjectStore,
  refused,
  replaceGlobal,
  startPage,
} from './support/indexeddb.mjs';
import { entry } from './support/package.mjs';
import { source } from './support/source.mjs';
import { until } from './support/until.mjs';

const { indexedDbStore, open } = await entry('persist-browser');
const { decodeTail, encodeTail, missingRecords } = await source('persist/tail.ts');

browserForEach();

const KEY = 'keylatch:a:tail';

/** Ends the page: its transactions are dropped where `isDropped`, and its lock is free. */
function endPage(isDropped) {
  const { transaction: begin } = IDBDatabase.prototype;
  if (isDropped)
    IDBDatabase.prototype.transaction = function (...given) {
      const transaction = begin.apply(this, given);
      if (given[1] === 'readwrite') {
        transaction.commit = () => {};
        for (const name of ['oncomplete', 'onabort']) Object.defineProperty(transaction, name, { set() {} });
        queueMicrotask(() => transaction.abort());
      }
      return transaction;
    };
  return () => {
    IDBDatabase.prototype.transaction = begin;
    held.clear();
  };
}

/** A page that writes, and writes once more while it is left; its end. */
async function leftPage({ leave, texts }, isDropped) {
  const db = await open({ name: 'a' });
  db.set('flushed', 1);
  await db.flush();
  const ended = endPage(isDropped);
  db.set('running', 1);
  db.log.flushNow();
  db.set('waiting', 1);
  addEventListener('pagehide', () => db.set('while leaving', 1));
  leave();
  if (isDropped) await sleep(20);
  else await until(() => texts.size === 0, 'the end of the appends');
  ended();
  return db;
}

const KEYS = ['flushed', 'running', 'waiting', 'while leaving'];

for (const isDropped of [true, false])
  test(`the last writes are there where the browser ${isDropped ? 'drops' : 'keeps'} their transactions`, async () => {
    const page = startPage();
    const { texts } = page;
    await leftPage(page, isDropped);
    assert.equal(texts.has(KEY), isDropped);
    for (let round = 0; round < 2; round += 1) {
      const again = await open({ name: 'a' });
      assert.deepEqual(again.mget(...KEYS), ['1', '1', '1', '1']);
      assert.equal(again.persistence.restored.repairedBytes, 0);
      assert.equal(texts.size, 0, 'the tail is in the database, and removed');
      await again.close();
    }
  });

test('a tail that was written, but not removed, is applied once', async () => {
  const page = startPage();
  const { texts } = page;
  await leftPage(page, true);
  const text = texts.get(KEY);
  const again = await open({ name: 'a' });
  again.set('later', 1);
  await again.close();
  texts.set(KEY, text);
  const third = await open({ name: 'a' });
  assert.deepEqual([third.dbsize(), third.persistence.restored.repairedBytes, texts.size], [5, 0, 0]);
  await third.rewrite();
  await third.close();
  texts.set(KEY, text);
  const fourth = await open({ name: 'a' });
  assert.deepEqual([fourth.dbsize(), fourth.persistence.restored.repairedBytes, texts.size], [5, 0, 0]);
  await fourth.close();
});

test('a page that goes on removes its tail, and writes as before', async () => {
  const page = startPage();
  const { texts } = page;
  const db = await open({ name: 'a' });
  db.set('a', 1);
  page.show('hidden');
  assert.ok(texts.has(KEY), 'a hidden page may end without another event');
  await db.flush();
  assert.equal(texts.size, 0);
  page.leave();
  for (let write = 0; write < 100; write += 1) db.incr('n');
  await Promise.resolve();
  assert.ok(texts.has(KEY));
  page.back();
  page.show('visible');
  await db.flush();
  assert.equal(texts.size, 0);
  await db.close();
  const again = await open({ name: 'a' });
  assert.deepEqual(again.mget('a', 'n'), ['1', '100']);
  await again.close();
});

test('a hidden page needs no timer to flush', async () => {
  const { show } = startPage();
  const db = await open({ name: 'a' });
  show('hidden');
  db.set('k', 1);
  assert.ok(db.persistence.pendingBytes > 0, 'taken from the engine');
  await until(() => db.persistence.pendingBytes === 0, 'a flush');
  show('visible');
  db.set('k', 2);
  assert.equal(db.persistence.pendingBytes, 0, 'not yet');
  await db.close();
});

test('a snapshot that waits holds no write of a page that is left', async () => {
  const { texts, leave } = startPage();
  const db = await open({ name: 'a' });
  db.set('running', 1);
  db.log.flushNow();
  db.set('waiting', 1);
  const rewriting = assert.rejects(db.rewrite(), refused('FAILED', /the page was left/));
  // The snapshot is queued in a later microtask.
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
  db.set('behind', 1);
  leave();
  const { records } = decodeTail(texts.get(KEY));
  assert.equal(records.length, 3);
  await rewriting;
  await db.close();
  const again = await open({ name: 'a' });
  assert.equal(again.dbsize(), 3);
  await again.close();
});

test('localStorage that is full or blocked: the writes go to IndexedDB alone', async () => {
  for (const broken of ['full', 'blocked', 'missing']) {
    const { leave } = startPage();
    const refuse = () => {
      throw new DOMException('no', broken === 'full' ? 'QuotaExceededError' : 'SecurityError');
    };
    if (broken === 'full') globalThis.localStorage.setItem = refuse;
    else if (broken === 'missing') replaceGlobal('localStorage', undefined);
    else Object.defineProperty(globalThis, 'localStorage', { get: refuse, configurable: true });
    const db = await open({ name: broken });
    db.set('k', 1);
    leave();
    await db.close();
    const again = await open({ name: broken });
    assert.equal(again.get('k'), '1');
    await again.close();
  }
});

test('a tail that is damaged, of another store, or of another page is left out, reported and removed', async (t) => {
  const page = startPage();
  const { texts } = page;
  await leftPage(page, true);
  const whole = texts.get(KEY);
  const { seeds, records } = decodeTail(whole);
  const at = (offset) => records.map((record) => ({ ...record, number: record.number + offset }));
  const bad = [
    whole.slice(0, -1),
    `${whole.slice(0, -1)}x`,
    '1;',
    '',
    encodeTail({ seeds: ['7'], records }),
    encodeTail({ seeds, records: at(1) }),
    encodeTail({ seeds, records: at(-1) }),
  ];
  const warn = t.mock.method(console, 'warn', () => {});
  for (const text of bad) {
    texts.set(KEY, text);
    const db = await open({ name: 'a' });
    assert.equal(db.dbsize(), 1, JSON.stringify(text.slice(0, 80)));
    assert.deepEqual([db.persistence.restored.repairedBytes, texts.size], [text.length, 0]);
    await db.close();
  }
  assert.equal(warn.mock.callCount(), bad.length);
  assert.match(warn.mock.calls[0].arguments[0], /IndexedDB "a".*localStorage is damaged/);
  assert.match(warn.mock.calls.at(-1).arguments[0], /does not follow/);
});

test('a tail of a newer version is refused and stays', async () => {
  const { texts } = startPage();
  texts.set(KEY, '2;whatever');
  await assert.rejects(open({ name: 'a' }), refused('NEWER_VERSION', /newer version of keylatch.*nothing was changed/));
  assert.deepEqual([...texts.values()], ['2;whatever']);
  assert.equal(held.size, 0);
});

test('a tail that the database has no room for is applied, and written with the next append', async () => {
  const page = startPage();
  const { texts } = page;
  await leftPage(page, true);
  const { add } = IDBObjectStore.prototype;
  const full = mock.method(IDBObjectStore.prototype, 'add', () => {
    throw new DOMException('no room', 'QuotaExceededError');
  });
  const again = await open({ name: 'a' });
  assert.equal(again.dbsize(), 4);
  assert.ok(texts.has(KEY));
  full.mock.restore();
  assert.equal(IDBObjectStore.prototype.add, add);
  again.set('later', 1);
  await again.close();
  texts.clear();
  const third = await open({ name: 'a' });
  assert.equal(third.dbsize(), 5);
  await third.close();
});

test('names are apart, also odd ones', async () => {
  const { texts, leave } = startPage();
  const names = ['a', 'a:tail', 'ä/\u0000"\ud800', ' ', '__proto__'];
  const stores = [];
  for (const [index, name] of names.entries()) {
    const store = indexedDbStore(name);
    stores.push(store);
    await store.open();
    store.watchEnd(() => void store.append(bytes(index), 1));
  }
  leave();
  assert.deepEqual([...texts.keys()].sort(), names.map((name) => `keylatch:${name}:tail`).sort());
  await until(() => texts.size === 0, 'the end of the appends');
  for (const store of stores) await store.close();
  for (const [index, name] of names.entries())
    assert.deepEqual([...(await indexedDbStore(name).open()).pieces], [bytes(index)]);
});

test('a page that is left behind changes nothing of the next one', async () => {
  const { texts, leave, back } = startPage();
  const first = await open({ name: 'a' });
  first.set('k', 'first');
  leave();
  const closing = first.close();
  texts.set(KEY, 'of the next page');
  await closing;
  back();
  assert.equal(texts.get(KEY), 'of the next page');
});

test('texts of tails give back every byte, and differ from every other text', () => {
  const any = (length) => Uint8Array.from({ length }, (_, index) => (index * 131 + length) & 255);
  for (const lengths of [[0], [1], [2], [15], [14, 0, 16, 1], [100_000]]) {
    const records = lengths.map((length, index) => ({ number: index + 5, nowMs: index, piece: any(length) }));
    const tail = { seeds: ['18446744073709551615', '1'], records };
    const text = encodeTail(tail);
    assert.deepEqual(decodeTail(text), tail);
    assert.ok(text.isWellFormed());
    const changed = `${text.slice(0, -1)}${String.fromCharCode(text.charCodeAt(text.length - 1) ^ 1)}`;
    assert.equal(decodeTail(changed), undefined);
  }
  assert.ok(encodeTail({ seeds: ['1'], records: [{ number: 1, nowMs: 1, piece: any(100_000) }] }).length < 54_000);
});

test('a tail follows where the last number of the database is in it or before it, with its bytes', () => {
  const record = (number, value = number) => ({ number, nowMs: 1, piece: bytes(value) });
  const tail = { seeds: ['1'], records: [record(4), record(5), record(6)] };
  const missing = (snapshotNumber, ...records) =>
    missingRecords(tail, { seed: '1', snapshotNumber, records })?.map(({ number }) => number);
  assert.deepEqual(missing(3), [4, 5, 6]);
  assert.deepEqual(missing(0, record(2), record(3)), [4, 5, 6]);
  assert.deepEqual(missing(3, record(4)), [5, 6]);
  assert.deepEqual(missing(3, record(4), record(5), record(6), record(7)), []);
  assert.deepEqual(missing(6), []);
  assert.deepEqual(missing(9, record(10)), []);
  assert.equal(missing(2), undefined);
  assert.equal(missing(3, record(4, 9)), undefined);
  assert.equal(missing(5), undefined);
  assert.equal(missing(0, record(5)), undefined);
  assert.equal(missingRecords(tail, { seed: '2', snapshotNumber: 3, records: [] }), undefined);
});
