// The search over commands, lessons and guides: the first hit of what people type.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { loadModule } from './load.js';

const WWW = process.env.KEYLATCH_WWW ?? fileURLToPath(new URL('../../../target/www', import.meta.url));
const index = JSON.parse(readFileSync(`${WWW}/search.json`, 'utf8'));
const { find } = await loadModule('src/search/search.ts');

/** Queries, each with the name of its first hit. */
const FIRST = {
  setnx: '01-setnx-basics',
  reentrant: '22-recipe-reentrant-lock',
  're-entrant': '22-recipe-reentrant-lock',
  deadlock: '24-recipe-upgrade-by-second-key',
  fair: '23-recipe-fair-lock',
  'back-off': '26-recipe-back-off-with-jitter',
  backoff: '26-recipe-back-off-with-jitter',
  hierarchical: '25-recipe-lock-hierarchy',
  'reader-writer': '24-recipe-upgrade-by-second-key',
  'read write lock': '24-recipe-upgrade-by-second-key',
  upsert: '07-set-nx-px',
  spin: '26-recipe-back-off-with-jitter',
  redlock: '27-recipe-redlock',
  semaphore: '30-recipe-semaphore',
  barrier: '29-recipe-barrier',
  'leader election': '28-recipe-leader-election',
  leaderboard: '15-leaderboard',
  'job queue': '14-job-queue',
  'delayed jobs': '32-recipe-delayed-jobs',
  'sliding window': '16-sliding-window',
  'fixed window': '31-recipe-fixed-window',
  idempotent: '11-idempotent-message',
  'fencing token': 'fencing',
  embed: 'embedding',
  heartbeat: '09-renewal',
  'lua limiter': '35-scripting-limiter',
  'client side caching': '19-cache-invalidation',
  get: 'GET',
  'client list': 'CLIENT LIST',
  'latch.acquire': 'LATCH.ACQUIRE',
  zadd: 'ZADD',
  hexpire: 'HEXPIRE',
};

for (const [query, name] of Object.entries(FIRST))
  test(`${query}: ${name}`, () => {
    const hits = find(index, query);
    assert.equal(hits[0]?.name, name, JSON.stringify(hits.slice(0, 4).map((hit) => `${hit.kind} ${hit.name}`)));
  });

test('each command, lesson and guide is found by its title', () => {
  for (const entry of index.filter(({ kind }) => kind !== 'use')) {
    const hits = find(index, entry.title);
    assert.ok(
      hits.slice(0, 3).some(({ name }) => name === entry.name),
      entry.title,
    );
  }
});

test('nothing is found for nothing, for signs, and for a word that is nowhere', () => {
  for (const query of ['', '   ', '???', 'zzzqqq', 'lock zzzqqq']) assert.deepEqual(find(index, query), [], query);
});

test('of a long query the beginning is searched', () => {
  assert.equal(find(index, `redlock${' '.repeat(100_000)}zzzqqq`)[0].name, '27-recipe-redlock');
  assert.deepEqual(find(index, 'zz-'.repeat(100_000)), []);
  assert.deepEqual(find(index, `${'x'.repeat(100_000)} lock`), []);
});
