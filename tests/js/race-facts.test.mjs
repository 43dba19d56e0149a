// Races count by what commands did, not by the words in which they are written.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runSession } from '../../target/npm/keylatch/esm/testing.js';
import { exploreRace, exploreWithScripts as withScripts } from './support/explore.mjs';

/** Words that are options of some command, or names of commands. */
const OPTION_WORDS = 'EX PX EXAT PXAT NX XX TTL KEEPTTL GET field FIELDS IFEQ STORE SET PEXPIRE'.split(' ');

/** Lines with names in braces, and their guards. */
const LINES = [
  ['SET {k} {v} NX PX 5000', 'OK'],
  ['SET {k} {v} PX 900', 'OK'],
  ['SET {k} {v}', 'OK'],
  ['SETEX {l} 1 {v}', 'OK'],
  ['PEXPIRE {k} 700', '(integer) 1'],
  ['PERSIST {k}'],
  ['GETEX {k} PX 300'],
  ['HSET {h} {f} 1'],
  ['HSET {h} {f} {v} {g} 5000'],
  ['HPEXPIRE {h} 800 FIELDS 1 {f}'],
  ['HINCRBY {h} {g} 100'],
  ['DEL {k}', '(integer) 1'],
  ['MSET {k} {v} {l} {f}', 'OK'],
  ['LATCH.ACQUIRE {l} {v} TTL 600', '(integer) ...'],
  ['LATCH.RENEW {l} {v} TTL 1000'],
  ['LATCH.RELEASE {l} {v}', '(integer) 1'],
  ['LATCH.LIMIT {n} 3 PERIOD 400'],
];

/** Numbers below a limit, the same in each run of the test. */
function dice(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** Random lines of two clients, which each enter once. */
function randomRace(below) {
  const lanes = ['A', 'B'].map((name) => {
    const lines = Array.from({ length: 2 + below(2) }, () => LINES[below(LINES.length)]);
    const enters = below(lines.length);
    return lines.map(([text, guard], index) =>
      [
        `${name}> ${text}`,
        ...(guard && !guard.endsWith('...') ? [guard] : []),
        ...(index === enters ? [`${name}+`] : []),
      ].join('\n'),
    );
  });
  return `@ race\n${lanes.flat().join('\n')}\n@ join\n`;
}

function named(text, names) {
  return text.replace(/\{(\w)\}/g, (_, letter) => names[letter]);
}

/** Numbers of runs, by safety and by what the clients end with. */
function countsOf({ runs, unsafe, orders, outcomes }) {
  const ends = outcomes.map(({ safe, together, inside, clients, orders: own, crashes, clockSteps }) =>
    JSON.stringify([safe, together, inside, clients.map(({ end, line }) => [end, line]), own + crashes + clockSteps]),
  );
  return { runs, unsafe, orders, outcomes: ends.length };
}

test('a race counts the same when keys, fields and values have other names, also those of options', () => {
  const below = dice(11);
  let unsafe = 0;
  for (let round = 0; round < 60; round += 1) {
    const text = randomRace(below);
    const plain = countsOf(exploreRace(named(text, { k: 'k', l: 'l', h: 'h', n: 'n', f: 'f', g: 'g', v: 'v' })));
    unsafe += plain.unsafe;
    const words = [...OPTION_WORDS].sort(() => below(2) - 0.5);
    const [k, l, h, n, f, g, v] = words;
    const renamed = named(text, { k, l, h, n, f, g, v });
    assert.deepEqual(countsOf(exploreRace(renamed)), plain, `${text}\n${renamed}`);
  }
  assert.ok(unsafe > 0, 'no race is unsafe');
});

const lane = (name, take) => `${name}> ${take}\n${name}+\n${name}> INCR work\n${name}> GET work\n${name}-\n`;
const race = (take, before = '') => `${before}@ race\n@ +2s\n${lane('A', take)}${lane('B', take)}@ join\n`;

test('a field with the name of an option is no lease', () => {
  const reports = ['EX', 'PX', 'TTL', 'field'].map((field) => exploreRace(race(`HSET job ${field} 1`)));
  for (const { unsafe } of reports) assert.equal(unsafe, reports[0].unsafe);
  assert.ok(reports[0].unsafe > 0);
});

test('a deadline that a script sets is a lease', () => {
  const script = `EVAL "return redis.call('SET', KEYS[1], 'me', 'PX', 1000)" 1 lock`;
  const plain = exploreRace(race('SET lock me PX 1000'));
  const scripted = withScripts(race(script));
  assert.ok(plain.unsafe > 0 && plain.unsafe < exploreRace(race('SET lock me')).unsafe);
  assert.deepEqual([scripted.unsafe, scripted.runs], [plain.unsafe, plain.runs]);
});

test('a deadline that a transaction sets is a lease from EXEC on', () => {
  const queued = (name) =>
    `${name}> MULTI\n${name}> SET lock me PX 1000\n${name}> EXEC\n${name}+\n${name}> GET work\n${name}-\n`;
  const text = (options) => `@ race\n@ +2s\n${queued('A')}${queued('B')}@ join\n`.replaceAll('PX 1000', options);
  const leased = exploreRace(text('PX 1000'));
  assert.ok(leased.unsafe > 0 && leased.unsafe < exploreRace(text('KEEPTTL')).unsafe);
});

test('what takes the deadline away again ends the lease', () => {
  const persisted = (name) =>
    `${name}> SET lock me PX 1000\n${name}> PERSIST lock\n${name}+\n${name}> GET work\n${name}-\n`;
  const free = (name) => `${name}> SET lock me KEEPTTL\n${name}> PTTL lock\n${name}+\n${name}> GET work\n${name}-\n`;
  const text = (of) => `@ race\nA> PING\n${of('B')}C> PING\n${of('D')}@ join\n`;
  const options = { clockSteps: false };
  assert.equal(exploreRace(text(persisted), options).unsafe, exploreRace(text(free), options).unsafe);
  const late = (take) =>
    exploreRace(`@ race\nA> SET lock me PX 1000\nA> ${take}\nA+\n@ +2s\nA> GET work\nB> PING\nB+\n@ join\n`);
  assert.ok(late('PERSIST lock').unsafe > late('PTTL lock').unsafe);
});

test('steps carry facts with the names of clients, if they are asked for', () => {
  const text = 'A> BLPOP jobs 0\nB> RPUSH jobs a\n@ +1s\nA> LATCH.ACQUIRE l me TTL 500\n@ +1s\n';
  assert.ok(runSession(text).steps.every(({ facts }) => facts.length === 0));
  const { steps } = runSession(text, { facts: true });
  const decoder = new TextDecoder();
  const told = steps.map(({ facts }) =>
    facts.map(({ client, kind, key, fields }) =>
      [
        client,
        kind,
        decoder.decode(key),
        ...fields.map(({ field, hold }) => `${decoder.decode(field)} ${hold?.mode}`),
      ].join(' '),
    ),
  );
  assert.deepEqual(told, [
    [],
    ['B created jobs', 'A removed jobs'],
    [],
    ['A created l me x'],
    [' expired l me undefined'],
  ]);
});
