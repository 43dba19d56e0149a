// Races: every order of the clients' lines, with crashes and clock steps.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runSession, SessionError } from '../../target/npm/keylatch/esm/testing.js';
import { exploreRace, exploreWithScripts as withScripts } from './support/explore.mjs';

const RACES = fileURLToPath(new URL('../../www/lessons/races/', import.meta.url));

/** The races of a text, each with the heading above it. */
function racesOf(text) {
  let heading = '';
  const races = [];
  for (const line of text.split('\n')) {
    if (line.startsWith('## ')) heading = line.slice(3);
    if (line === '@ race') races.push({ heading, number: races.length + 1 });
  }
  return races;
}

for (const file of readdirSync(RACES)) {
  const text = readFileSync(RACES + file, 'utf8');
  for (const { heading, number } of racesOf(text)) {
    test(`${file}: ${heading}`, () => {
      assert.equal(runSession(text).mismatches, 0);
      const report = exploreRace(text, { race: number });
      const [first] = report.outcomes;
      const isUnsafe = heading.startsWith('Unsafe: ');
      assert.ok(isUnsafe || /^(Safe|LATCH): /.test(heading), heading);
      assert.equal(report.unsafe > 0, isUnsafe, first.session);
      assert.equal(first.safe, !isUnsafe);
      assert.ok(report.runs >= report.orders && report.sample === null);
      for (const outcome of report.outcomes) matches(outcome);
    });
  }
}

/** The session of an outcome has no mismatch. */
function matches({ session }) {
  const failures = runSession(session).failures.map(({ line, command }) => `${line} ${command}`);
  assert.deepEqual(failures, [], session);
}

test('all orders of three clients with four commands each are explored', () => {
  const lock = (name) =>
    [`${name}> SET lock ${name} NX PX 5000`, 'OK', `${name}+`, `${name}> INCR work`, `${name}> GET lock`].join('\n') +
    `\n${name}-\n${name}> DELEX lock IFEQ ${name}\n`;
  const text = `@ race\n${['A', 'B', 'C'].map(lock).join('')}@ join\n`;
  const report = exploreRace(text);
  assert.equal(report.orders, 34_650);
  assert.equal(report.sample, null);
  assert.equal(report.unsafe, 0);
});

/** Every order of lines, each as a list of the clients' numbers. */
function* ordersOf(counts, order = []) {
  if (counts.every((count) => count === 0)) yield order;
  for (const [client, count] of counts.entries())
    if (count > 0) yield* ordersOf(counts.with(client, count - 1), [...order, client]);
}

/** Runs each order as a session of its own, with an oracle for guards; counts what the clients end with. */
function oneByOne(lanes) {
  const found = new Map();
  for (const order of ordersOf(lanes.map((lines) => lines.length))) {
    const at = lanes.map(() => 0);
    const written = order.map((client) => {
      const { text, guard } = lanes[client][at[client]++];
      return [`${'ABC'[client]}> ${text}`, ...(guard === undefined ? [] : [guard])].join('\n');
    });
    const text = `@ race\n${written.join('\n')}\n@ join\n> GET k\n> LRANGE l 0 -1\n> PTTL k\n`;
    const { steps } = runSession(text);
    const last = lanes.map((_, client) => steps.filter((step) => step.client === 'ABC'[client]));
    const replies = last.map((own) =>
      own
        .filter(({ message }) => message !== 'not run')
        .at(-1)
        ?.printed.join('\n'),
    );
    const key = JSON.stringify([replies, steps.slice(-3).map(({ printed }) => printed.join(' '))]);
    found.set(key, (found.get(key) ?? 0) + 1);
  }
  return [...found].sort();
}

function explored(lanes, more = '') {
  const name = (client) => 'ABC'[client];
  const lines = lanes.flatMap((lane, client) =>
    lane.flatMap(({ text, guard }) => [`${name(client)}> ${text}`, ...(guard === undefined ? [] : [guard])]),
  );
  const text = `${more}@ race\n${lines.join('\n')}\n@ join\n> GET k\n> LRANGE l 0 -1\n> PTTL k\n`;
  const { outcomes } = exploreRace(text, { crashes: false, clockSteps: false });
  const found = new Map();
  for (const outcome of outcomes) {
    const { steps } = runSession(outcome.session);
    const replies = outcome.clients.map(({ reply }) => reply);
    const key = JSON.stringify([replies, steps.slice(-3).map(({ printed }) => printed.join(' '))]);
    found.set(key, (found.get(key) ?? 0) + outcome.orders);
  }
  return [...found].sort();
}

const CHOICES = [
  { text: 'SET k 1 NX PX 100', guard: 'OK' },
  { text: 'INCR k' },
  { text: 'GET k', guard: '(nil)' },
  { text: 'DEL k', guard: '(integer) 1' },
  { text: 'RPUSH l x' },
  { text: 'RPUSH l y', guard: '(integer) 2' },
  { text: 'PEXPIRE k 500' },
  { text: 'LPOP l' },
  { text: 'APPEND k 7' },
  { text: 'LATCH.ACQUIRE latch me TTL 500' },
];

/** Numbers below a limit, the same in each run of the test. */
function dice(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

test('random races have the outcomes of their orders run one by one', () => {
  const below = dice(7);
  for (let round = 0; round < 24; round += 1) {
    const clients = 2 + below(2);
    const lanes = Array.from({ length: clients }, () =>
      Array.from({ length: 1 + below(3) }, () => CHOICES[below(CHOICES.length)]),
    );
    const expected = oneByOne(lanes);
    assert.deepEqual(explored(lanes), expected, JSON.stringify(lanes));
    // With a command about the server, each run is one on a fresh engine.
    if (round % 8 === 0) assert.deepEqual(explored(lanes, '> CLIENT GETNAME\n'), expected, JSON.stringify(lanes));
  }
});

test('a watched key aborts the transaction in the orders in which it changes', () => {
  const text = '@ race\nA> WATCH k\nA> MULTI\nA> INCR n\nA> EXEC\n1) (integer) 1\nA+\nB> SET k 1\n@ join\n';
  const { orders, outcomes } = exploreRace(text, { crashes: false });
  assert.equal(orders, 5);
  const ends = outcomes.map(({ clients, orders }) => [clients[0].end, orders]);
  assert.deepEqual(ends, [
    ['stopped', 3],
    ['finished', 2],
  ]);
});

test('blocked clients and deadlocks are outcomes', () => {
  const text = '@ race\nA> BLPOP a 0\nA> RPUSH b 1\nB> BLPOP b 0\nB> RPUSH a 1\n@ join\n';
  const [only, ...rest] = exploreRace(text, { crashes: false }).outcomes;
  assert.deepEqual(rest, []);
  assert.ok(only.deadlock);
  assert.deepEqual(
    only.clients.map(({ end, line }) => [end, line]),
    [
      ['blocked', 2],
      ['blocked', 4],
    ],
  );
  const woken = exploreRace('@ race\nA> BLPOP q 0\nA<\n1) "q"\n2) "x"\nA+\nB> RPUSH q x\n@ join\n', { crashes: false });
  assert.deepEqual(
    woken.outcomes.map(({ clients, inside }) => [clients[0].end, inside]),
    [['finished', ['A']]],
  );
  for (const outcome of woken.outcomes) matches(outcome);
});

test('a crashed client leaves its line', () => {
  const wait = (name) =>
    `${name}> LATCH.ACQUIRE l ${name} TTL 5000 WAIT 60000\n${name}> LATCH.RENEW l ${name} TTL 5000\n(integer) 5000\n${name}+\n`;
  const report = exploreRace(`@ race\n${wait('A')}${wait('B')}@ join\n`);
  assert.equal(report.unsafe, 0);
  assert.ok(report.outcomes.some(({ clients, crashes }) => crashes > 0 && clients[1].end === 'finished'));
  for (const outcome of report.outcomes) matches(outcome);
});

test('the clock steps as the lines of the race say, else to the next deadline', () => {
  const race = (line) => `@ race\nA> SET k a NX PX 5000\nOK\nA+\nB> SET k b NX PX 5000\nOK\nB+\n${line}@ join\n`;
  const second = ({ clients, clockSteps }) => clockSteps > 0 && clients.every(({ end }) => end === 'finished');
  assert.ok(exploreRace(race('')).outcomes.some(second));
  assert.ok(!exploreRace(race('@ +1s\n')).outcomes.some(second));
  assert.ok(exploreRace(race('@ +6s\n')).outcomes.some(second));
  assert.equal(exploreRace(race(''), { clockSteps: false, crashes: false }).runs, 2);
});

test('above a million orders a seeded sample is run, and the report says so', () => {
  const text = `@ race\n${Array.from({ length: 20 }, (_, index) => `C${index}> SETNX k ${index}\n(integer) 1\nC${index}+\n`).join('')}@ join\n`;
  const options = { sampleOrders: 50, sampleSeed: 3 };
  const report = exploreRace(text, options);
  assert.deepEqual(report.sample, { orders: 50, seed: 3 });
  assert.equal(report.unsafe, 0);
  assert.ok(report.orders > 1e18 && report.runs > 50);
  assert.deepEqual(exploreRace(text, options), report);
  assert.notDeepEqual(exploreRace(text, { ...options, sampleSeed: 4 }).outcomes, report.outcomes);
});

test('an exploration ends when its listener says so', () => {
  const lines = ['A', 'B', 'C'].map((name) => `${name}> RPUSH l ${name}\n`.repeat(5)).join('');
  let calls = 0;
  const shares = [];
  const report = exploreRace(`@ race\n${lines}@ join\n`, {
    onProgress: ({ share }) => {
      shares.push(share);
      calls += 1;
      return calls < 3;
    },
  });
  assert.ok(report.cancelled && calls === 3);
  assert.ok(shares[0] < shares[2] && shares[2] < 1);
});

const three = (lines) => `@ race\n${['A', 'B', 'C'].map((name) => lines.replaceAll('NAME', name)).join('')}@ join\n`;

/** Counts of a report, without the sessions of its outcomes. */
const counted = ({ orders, runs, outcomes }) => ({
  orders,
  runs,
  outcomes: outcomes.map(({ session: _, ...outcome }) => JSON.stringify(outcome)).sort(),
});

test('transactions, messages and channels end alike with states merged and on fresh engines', () => {
  const races = [
    'A> WATCH k\nA> MULTI\nA> INCR n\nA> EXEC\nB> SET k 1 PX 100\nB> WATCH n\nB> PERSIST k\n',
    'A> WATCH k\nA> GET k\nA> MULTI\nA> SET k a\nA> EXEC\nB> SET k b PX 50\nB> DEL k\nB> UNWATCH\n',
    'A> SUBSCRIBE c\nA<\nA<\nB> PUBLISH c one\nB> INCR n\nB> PUBLISH c two\n',
  ];
  for (const lines of races) {
    const text = `@ race\n${lines}@ join\n> GET k\n`;
    assert.deepEqual(counted(exploreRace(`> PING\n${text}`)), counted(exploreRace(`> CLIENT GETNAME\n${text}`)), lines);
  }
});

test('races with transactions, messages and scripts run all orders in seconds', () => {
  const lines = [
    'NAME> WATCH k\nNAME> MULTI\nNAME> INCR k\nNAME> EXEC\n',
    'NAME> INCR k\nNAME> GET k\nNAME> PUBLISH c NAME\nNAME> GET k\n',
    `NAME> SET k NAME NX\nNAME> GET k\nNAME> EVAL "return redis.call('INCR', KEYS[1])" 1 n\nNAME> DEL k\n`,
  ];
  for (const text of lines.map(three)) {
    const { orders, sample } = (/EVAL/.test(text) ? withScripts : exploreRace)(text);
    assert.deepEqual([orders, sample], [34_650, null], text);
  }
});

test('many outcomes are listed up to a thousand, and the others counted', () => {
  const { runs, outcomes, others } = exploreRace(three('NAME> RPUSH l NAME\n'.repeat(3)), { crashes: false });
  assert.equal(runs, 1_680);
  assert.equal(outcomes.length, 1_000);
  assert.equal(others, runs - outcomes.reduce((sum, { orders }) => sum + orders, 0));
});

test('a race that takes too long is sampled, and ends soon after it is cancelled', () => {
  const text = three('NAME> INCR k\nNAME> CLIENT GETNAME\nNAME> GET k\nNAME> GET k\n');
  const { sample, orders } = exploreRace(text, { maxMs: 500 });
  assert.ok(sample.orders > 0 && sample.orders < 5_000 && orders === 34_650);
  let asked = 0;
  const onProgress = () => {
    asked += 1;
    return asked < 4;
  };
  const { cancelled } = exploreRace(text, { onProgress });
  assert.ok(cancelled);
  assert.equal(asked, 4, 'it is not asked again');
});

test('more than 31 clients are told apart', () => {
  const names = Array.from({ length: 40 }, (_, index) => `C${index}`);
  const alone = names.map((name) => `${name}> SET lock ${name} NX\nOK\n${name}+\n`).join('');
  const options = { sampleOrders: 20, crashes: false };
  assert.equal(exploreRace(`@ race\n${alone}@ join\n`, options).unsafe, 0);
  const free = names.map((name) => `${name}> SET lock ${name}\nOK\n${name}+\n`).join('');
  const { runs, unsafe, outcomes } = exploreRace(`@ race\n${free}@ join\n`, options);
  assert.equal(unsafe, runs);
  assert.ok(outcomes.every(({ together, inside }) => together.length === 2 && inside.length === 40));
});

test('a deadlock is listed before the outcomes that are fine', () => {
  const text =
    '@ race\nA> BLPOP a 0\nA> RPUSH b 1\nB> BLPOP b 0\nB> RPUSH a 1\nC> RPUSH a 1\nC> RPUSH b 1\nC> GET x\n@ join\n';
  const alone =
    '@ race\nA> BLPOP a 0\nA> RPUSH b 1\nB> BLPOP b 0\nB> RPUSH a 1\nC> SET x 1 NX\nC> LPOP a\nC> RPUSH a 2\n@ join\n';
  for (const race of [text, alone]) {
    const deadlocks = exploreRace(race).outcomes.map(({ deadlock }) => deadlock);
    assert.ok(deadlocks.indexOf(false) === -1 || deadlocks.lastIndexOf(true) < deadlocks.indexOf(false), race);
  }
});

test('long values and replies are shortened, and still told apart', () => {
  const text = '@ race\nA> SETRANGE a 2000000 x\nA> GET a\nB> SETRANGE a 2000000 y\nB> GET a\n@ join\n';
  const { outcomes } = exploreRace(text, { crashes: false });
  assert.equal(outcomes.length, 4);
  for (const { clients, keys, session } of outcomes) {
    assert.match(keys[0].value, /^string of 2,000,001 bytes, digest of all keys [0-9a-f]{16}$/);
    assert.equal(clients[0].reply, 'a reply of 2,000,013 bytes');
    assert.ok(session.length < 200);
  }
});

test('texts without a race, or with a line in the wrong place, are refused', () => {
  assert.throws(() => exploreRace('> PING\n'), { name: 'RangeError', message: /the session has 0 races/ });
  assert.throws(
    () => exploreRace('A+\n'),
    (error) => error instanceof SessionError && error.line === 1,
  );
  assert.throws(() => exploreRace('@ race\n> PING\n'), /`@ race` without `@ join`/);
  assert.equal(exploreRace('@ race\n@ join\n').runs, 1);
});
