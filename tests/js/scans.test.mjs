// Generators over SCAN, SSCAN, HSCAN and ZSCAN: everything once, page by page.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock, ReplyError } = await entry('index');

const fresh = () => new Keylatch({ clock: new ManualClock(0), seed: 1 });
const bytes = (text) => new TextEncoder().encode(text);

test('scans go through everything, page by page, and may be left', async () => {
  const db = fresh();
  const names = Array.from({ length: 500 }, (_, index) => `n${index}`);
  for (const name of names) {
    db.set(name, 1);
    db.sadd('set', name);
    db.hset('hash', { [name]: name });
    db.zadd('zset', { [name]: 0.5 });
  }
  const sorted = (items) => [...items].sort();
  assert.deepEqual(sorted(db.scanKeys({ type: 'string' })), sorted(names));
  assert.deepEqual(sorted(db.scanKeys({ match: 'n1?', count: 7 })).length, 10);
  assert.deepEqual(sorted(db.scanSet('set')), sorted(names));
  assert.deepEqual(new Map(db.scanHash('hash', { count: 3 })), db.hgetall('hash'));
  assert.deepEqual(
    sorted(db.scanSortedSet('zset', { match: 'n49?' })),
    sorted(names.slice(490).map((name) => [name, 0.5])),
  );
  assert.deepEqual([...db.scanSet('none')], []);
  assert.deepEqual([...db.bytes.scanSet('set', { match: 'n7' })], [bytes('n7')]);
  assert.deepEqual([...db.bytes.scanSortedSet('zset', { match: 'n7' })], [[bytes('n7'), 0.5]]);
  const deleted = [];
  for await (const key of db.scanKeys({ match: 'n*', count: 10 })) {
    deleted.push(key);
    db.del(key);
    if (deleted.length === 100) break;
  }
  assert.equal(db.dbsize(), 403);
  db.set('text', 1);
  assert.throws(() => [...db.scanSet('text')], ReplyError);
});

test('keyMatcher matches keys as KEYS does', async () => {
  const { keyMatcher } = await entry('hints');
  const db = new Keylatch();
  const keys = ['user:1', 'user:22', 'User:1', 'ä', 'a*b', 'a[b', ''];
  for (const key of keys) db.set(key, 1);
  for (const pattern of ['user:*', 'user:?', '[Uu]ser:1', '[^u]*', 'a\\*b', 'a[[]b', '??', 'ä', '*', '', 'a\\[*'])
    assert.deepEqual(keys.filter(keyMatcher(pattern)).sort(), db.keys(pattern).sort(), pattern);
  assert.equal(keyMatcher('\\*?')(new Uint8Array([42, 255])), true);
});
