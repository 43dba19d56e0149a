// Random commands go the short way and the ordinary one, with texts of every kind: nobody sees which way was taken.
import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import test from 'node:test';
import { dice, outcome, pair } from './support/both-ways.mjs';
import { entry } from './support/package.mjs';
import { inSomeForm, someKeys, someValues } from './support/texts.mjs';

const { ManualClock } = await entry('index');

const SEEDS = 70;
/** Memories are given back between tests, and a page has room for some hundred. */
const SEEDS_AT_ONCE = 10;
const STEPS = 150;

/** What a step is made of; whatever is random is drawn when it is made, since it runs twice. */
function drawer(random) {
  const [keys, values] = [someKeys(random), someValues(random)];
  const [skew, isTimed] = [random(4), random(2) === 0];
  // Some keys come more often than others, so that they find places.
  const key = () => inSomeForm(random, keys[Math.floor(keys.length * (random(65_536) / 65_536) ** (1 + skew))]);
  const value = () => inSomeForm(random, values[random(values.length)]);
  const several = (end) => Array.from({ length: 1 + random(end) }, key);
  const lifetime = () => (isTimed ? { px: 1 + random(50) } : {});
  return { random, isTimed, key, value, several, lifetime };
}

/** By how often they are drawn. */
const READS = [
  ({ key }) => { const k = key(); return (db) => db.get(k); },
  ({ several }) => { const keys = several(5); return (db) => [1, 2, 3, 4, 5, 6].map(() => keys.map((k) => db.get(k))); },
  ({ several }) => { const keys = several(20); return (db) => [1, 2, 3].map(() => db.mget(...keys)); },
  ({ several }) => { const keys = several(4); return (db) => db.mget(...keys, ...keys.flatMap((k) => new Array(9).fill(k)), ...keys); },
  ({ several, random }) => { const keys = several(random(60) === 0 ? 4500 : 40); return (db) => db.mget(...keys); },
  ({ key }) => { const k = key(); return (db) => [db.bytes.get(k), db.get(k), db.call('GET', k)]; },
  ({ key }) => { const k = key(); return (db) => [db.exists(k), db.ttl(k), db.call('TTL', k)]; },
];
const WRITES = [
  ({ key, value }) => { const [k, v] = [key(), value()]; return (db) => db.set(k, v); },
  ({ key, value }) => { const [k, v] = [key(), value()]; return (db) => [db.set(k, v), db.get(k)]; },
  ({ several, value }) => { const [keys, v] = [several(66), value()]; return (db) => keys.map((k) => db.set(k, v)); },
  ({ several, value }) => { const pairs = several(20).map((k) => [k, value()]); return (db) => db.mset(pairs); },
  ({ key, value }) => { const [k, v] = [key(), value()]; return (db) => [db.setnx(k, v), db.call('SETNX', k, v)]; },
  (drawn) => { const [k, v, options, between] = [drawn.key(), drawn.value(), { nx: true, ...drawn.lifetime() }, step(drawn)]; return (db) => [db.set(k, v, options), between(db), db.delex(k, { ifeq: v })]; },
  ({ key, value, lifetime }) => { const [k, v, w, options] = [key(), value(), value(), lifetime()]; return (db) => [db.set(k, v, options), db.delex(k, { ifeq: w }), db.exists(k)]; },
  ({ key, value }) => { const [k, v] = [key(), value()]; return (db) => [db.call('DELIFEQ', k, v), db.call('DELEX', k, 'IFEQ', v)]; },
  ({ key, value, isTimed }) => { const [k, v] = [key(), value()]; return (db) => db.set(k, v, isTimed ? { xx: true, ex: 1 } : { xx: true }); },
  ({ key }) => { const k = key(); return (db) => [db.incr(k), db.get(k)]; },
  ({ key }) => { const k = key(); return (db) => db.del(k); },
  ({ key, random, isTimed }) => { const [k, seconds] = [key(), random(3) - 1]; return (db) => (isTimed ? db.expire(k, seconds) : db.ttl(k)); },
  ({ key, random }) => { const [k, more] = [key(), ['\0', 'z', '\u00e9'][random(3)]]; return (db) => [db.append(k, more), db.get(k), db.mget(k)]; },
  ({ key, random }) => { const [k, at] = [key(), random(40)]; return (db) => [db.call('SETRANGE', k, at, '\0'), db.get(k), db.mget(k)]; },
];
const OTHERS = [
  ({ key }) => { const k = key(); return (db) => db.lpush(k, 'x'); },
  ({ key }) => { const k = key(); return (db) => [db.set(k, '9007199254740990'), db.incr(k), db.incr(k)]; },
  ({ key }) => { const [from, to] = [key(), key()]; return (db) => db.call('RENAME', from, to); },
  ({ random }) => { const number = random(2); return (db) => db.call('SELECT', number); },
  () => (db) => db.flushdb(),
  () => (db) => db.multi().exec(),
  () => (db) => [db.call('SET', 'large', 'x'.repeat(300_000)), db.del('large')],
  () => (db) => db.call('CONFIG', 'SET', 'slowlog-log-slower-than', '0') && db.call('CONFIG', 'SET', 'slowlog-log-slower-than', '10000'),
];

function step(drawn) {
  const kind = drawn.random(40);
  const steps = kind === 0 ? OTHERS : kind < 20 ? READS : WRITES;
  return steps[drawn.random(steps.length)](drawn);
}

/** What commands leave behind. */
function leftBy(db) {
  const counted = /cmdstat_\w+:calls=\d+|rejected_calls=\d+,failed_calls=\d+|keyspace_\w+:\d+|expired_keys:\d+|total_commands_processed:\d+/g;
  return [db.digestAll(), db.dbsize(), db.call('INFO', 'commandstats', 'stats').match(counted), db.call('INFO', 'errorstats')];
}

function runBothWays(seed) {
  const clocks = [];
  const dbs = pair(() => ({ clock: clocks[clocks.push(new ManualClock()) - 1] }));
  const others = dbs.map((db) => db.client());
  const random = dice(seed);
  const drawn = drawer(random);
  for (let count = 0; count < STEPS; count += 1) {
    const run = step(drawn);
    const clients = random(6) === 0 ? others : dbs;
    const [short, ordinary] = clients.map((client) => outcome(() => run(client)));
    // Comparing alone is ten times as quick as comparing to tell the difference.
    if (!isDeepStrictEqual(short, ordinary)) assert.deepEqual(short, ordinary, `seed ${seed}, step ${count}: ${run}`);
    if (drawn.isTimed && random(10) === 0) {
      const ms = random(60);
      for (const clock of clocks) clock.advance(ms);
    }
  }
  assert.deepEqual(leftBy(dbs[0]), leftBy(dbs[1]), `seed ${seed}`);
}

for (let first = 1; first <= SEEDS; first += SEEDS_AT_ONCE) {
  test(`random commands from seed ${first} on answer the same both ways, and count the same`, () => {
    for (let seed = first; seed < first + SEEDS_AT_ONCE; seed += 1) runBothWays(seed);
  });
}
