// The picture of every row that can take a lock: granted, refused, renewed, released, expired, removed by another client. It
// is the same whatever the names of keys, fields and values.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadModule } from './load.js';

const { storyOf } = await loadModule('src/picture/story.ts');
const fromPage = createRequire(new URL('../../../www/package.json', import.meta.url));
const { runSession } = fromPage('keylatch-scripting/testing');
const rows = new Map(fromPage('keylatch/commands.json').map((row) => [row.name, row]));
const rowOf = (first, second) => rows.get(`${first}|${second}`.toUpperCase()) ?? rows.get(first.toUpperCase());

const KEY = { renew: 'PEXPIRE {k} 5000', release: 'DEL {k}' };
const FIELD = { renew: 'HPEXPIRE {k} 5000 FIELDS 1 {f}', release: 'HDEL {k} {f}' };
const LATCH = { renew: 'LATCH.RENEW {k} {v} TTL 5000', release: 'LATCH.RELEASE {k} {v}' };
const FIRST_TOKEN = '1767225600000000';
const IN_SCRIPT = `EVAL "return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 5000)" 1 {k} {v}`;
const RELEASE_SCRIPT = `EVAL "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end" 1 {k} {v}`;

/** Commands that take a lock, with what renews and releases it. */
const TAKES = {
  SET: { take: 'SET {k} {v} NX PX 5000', ...KEY },
  'SET with GET': { take: 'SET {k} {v} NX GET PX 5000', renew: 'SET {k} {v} XX PX 5000', release: 'UNLINK {k}' },
  SETNX: { take: 'SETNX {k} {v}', ...KEY },
  MSETNX: { take: 'MSETNX {k} {v}', renew: 'GETEX {k} PX 5000', release: 'GETDEL {k}' },
  MSETEX: { take: 'MSETEX 1 {k} {v} NX PX 5000', ...KEY },
  GETSET: { take: 'GETSET {k} {v}', ...KEY },
  HSETNX: { take: 'HSETNX {k} {f} {v}', ...FIELD },
  HSETEX: { take: 'HSETEX {k} FNX PX 5000 FIELDS 1 {f} {v}', ...FIELD },
  'LATCH.ACQUIRE': { take: 'LATCH.ACQUIRE {k} {v} TTL 5000', ...LATCH },
  'LATCH.ONCE': { take: 'LATCH.ONCE {k} {v} TTL 5000', ...LATCH },
  'LATCH.DONE': {
    take: 'LATCH.ONCE {k} {v} TTL 5000',
    renew: 'LATCH.RENEW {k} {v} TTL 5000',
    release: `LATCH.DONE {k} {v} {f} TTL 1 TOKEN ${FIRST_TOKEN}`,
  },
  EVAL: { take: IN_SCRIPT, renew: 'PEXPIRE {k} 5000', release: RELEASE_SCRIPT },
};
/** Rows with a condition of this kind that take nothing. */
const OTHERS =
  `RENAMENX EXPIRE EXPIREAT PEXPIRE PEXPIREAT ZADD GEOADD HEXPIRE HEXPIREAT HPEXPIRE HPEXPIREAT LATCH.ARRIVE
  LATCH.LIMIT LATCH.RELEASE LATCH.RENEW`.split(/\s+/);

/** Lines of clients A, B and C: what of B is another owner than that of A. */
const SCENES = {
  granted: ({ take }) => `A> ${take}`,
  refused: ({ take }) => `A> ${take}\nB> ${ofB(take)}`,
  renewed: ({ take, renew }) => `A> ${take}\n@ +3s\nA> ${renew}\n@ +3s\nC> PING`,
  released: ({ take, release }) => `A> ${take}\nA> ${release}\n@ +2ms\nB> ${ofB(take)}`,
  expired: ({ take, renew }) => `A> ${take}\nA> ${renew}\n@ +6s\nB> ${ofB(take)}`,
  'removed by another client': ({ take }) => `A> ${take}\nC> DEL {k}\nB> ${ofB(take)}`,
};
/** Spans that a scene has, with the last instant of their leases behind the begin of the session. */
const SPANS = {
  granted: { holds: ['A 0-1'], beliefs: ['A 0-1'], clashes: 0 },
  refused: { holds: ['A 0-2'], beliefs: ['A 0-2'], clashes: 0 },
  renewed: { holds: ['A 0-5'], beliefs: ['A 0-5'], clashes: 0 },
  released: { holds: ['A 0-1', 'B 3-4'], beliefs: ['A 0-1', 'B 3-4'], clashes: 0 },
  expired: { holds: ['A 0-2', 'B 3-4'], beliefs: ['A 0-2', 'B 3-4'], clashes: 0 },
  'removed by another client': { holds: ['A 0-1', 'B 2-3'], beliefs: ['A 0-3', 'B 2-3'], clashes: 1 },
};

const NAMES = { k: 'k', f: 'f', v: 'v', w: 'w' };
const OPTION_WORDS =
  'NX XX EX PX TTL GET STEAL FNX FIELDS KEEPTTL SHARED ALSO TOKEN PERSIST run busy done OK QUEUED'.split(' ');

function ofB(line) {
  return line.replace('{v}', '{w}');
}

function named(text, names) {
  return text.replace(/\{(\w)\}/g, (_, letter) => names[letter]);
}

const story = (scene, names) => storyOf(runSession(named(scene, names), { facts: true }).steps, rowOf);

/** A story with the letters of names in their place. */
function nameless({ holds, beliefs, clashes }, names) {
  const letters = new Map(Object.entries(names).map(([letter, name]) => [name, letter]));
  const letterOf = (name) => name && letters.get(name);
  const spans = [holds, beliefs].map((all) =>
    all.map(({ key, owner, text, mode, ...span }) => {
      const field = mode.startsWith('#') ? `#${letterOf(mode.slice(1))}` : mode;
      return { ...span, mode: field, key: letterOf(key), owner: letterOf(owner), text: letterOf(text) };
    }),
  );
  return [...spans, clashes.map(({ key, ...clash }) => ({ ...clash, key: letterOf(key) }))];
}

for (const [name, row] of Object.entries(TAKES))
  for (const [scene, linesOf] of Object.entries(SCENES))
    test(`${name} ${scene}`, () => {
      const text = linesOf(row);
      const plain = story(text, NAMES);
      const spans = (all) => all.map(({ client, from, to }) => `${client} ${from}-${to}`);
      const { holds, beliefs, clashes } = plain;
      const found = { holds: spans(holds), beliefs: spans(beliefs), clashes: clashes.length };
      assert.deepEqual(found, SPANS[scene], text);
      for (let shift = 0; shift < OPTION_WORDS.length; shift += 3) {
        const [k, f, v, w] = [0, 3, 7, 12].map((step) => OPTION_WORDS[(shift + step) % OPTION_WORDS.length]);
        const names = { k, f, v, w };
        assert.deepEqual(nameless(story(text, names), names), nameless(plain, NAMES), named(text, names));
      }
    });

test('every row with a condition that something is missing, and every latch, is among these', () => {
  const hasCondition = ({ name, syntax = '' }) => /NX$/.test(name) || /\bF?NX\b/.test(syntax);
  const isLatch = ({ name, flags }) => name.startsWith('LATCH.') && flags.includes('write');
  const names = [...rows.values()].filter((row) => hasCondition(row) || isLatch(row)).map(({ name }) => name);
  const known = new Set([...Object.keys(TAKES), ...OTHERS]);
  assert.deepEqual(
    names.filter((name) => !known.has(name)),
    [],
  );
  assert.deepEqual(
    OTHERS.filter((name) => !names.includes(name)),
    [],
  );
});
