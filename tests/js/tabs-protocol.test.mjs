// keylatch/tabs when messages are lost, late or doubled, when the leader is silent, and when versions differ.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { entry } from './support/package.mjs';
import { until, World } from './support/tabs-world.mjs';

const { share } = await entry('tabs');

let world;
afterEach(() => world.close());

async function pair(options) {
  world = new World();
  return [await world.open(options), await world.open(options)];
}

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('a doubled call runs once', async () => {
  const [, b] = await pair();
  world.route = () => 'twice';
  assert.equal(await b.db.incr('n'), 1);
  assert.equal(await b.db.incr('n'), 2);
  await b.db.rpush('q', 'a', 'b');
  assert.deepEqual(await b.db.blpop('q'), ['q', 'a']);
  await pause(10);
  assert.equal(await b.db.llen('q'), 1);
});

test('a lost call and a lost answer reject after the deadline, and say whether the command may have run', async () => {
  const [a, b] = await pair({ deadlineMs: 200 });
  await b.db.get('x');
  for (const lost of ['call', 'answer']) {
    world.route = (message) => (message.kind === lost ? 'drop' : 'deliver');
    await assert.rejects(b.db.incr('n'), { name: 'TabsError', code: 'NO_ANSWER', retryable: true, mayHaveRun: true });
    await assert.rejects(b.db.get('n'), { code: 'NO_ANSWER', retryable: true, mayHaveRun: false });
    world.route = () => 'deliver';
    assert.equal(await b.db.get('n'), lost === 'call' ? null : '1');
  }
  assert.equal(await a.db.get('n'), '1');
});

test('the first call of a client may be lost: the next one connects it', async () => {
  const [, b] = await pair({ deadlineMs: 200 });
  const client = b.db.client({ db: 5 });
  world.route = (message) => (message.kind === 'call' ? 'drop' : 'deliver');
  const lost = assert.rejects(client.set('k', 'v'), { code: 'NO_ANSWER' });
  await pause(5);
  world.route = () => 'deliver';
  assert.equal(await client.set('k', 'w'), 'OK');
  await lost;
  await b.db.call('SELECT', 5);
  assert.equal(await b.db.get('k'), 'w');
});

test('a late call does not run after one that was made later, and a late answer is ignored', async () => {
  const [a, b] = await pair({ deadlineMs: 300 });
  await b.db.get('x');
  world.route = (message) => (message.kind === 'call' ? 'hold' : 'deliver');
  const late = assert.rejects(b.db.set('k', 'old'), { code: 'NO_ANSWER', mayHaveRun: true });
  await pause(5);
  world.route = () => 'deliver';
  await b.db.set('k', 'new');
  world.release();
  await late;
  assert.equal(await a.db.get('k'), 'new');
  world.route = (message) => (message.kind === 'answer' ? 'hold' : 'deliver');
  await assert.rejects(b.db.get('k'), { code: 'NO_ANSWER' });
  world.route = () => 'deliver';
  world.release();
  assert.equal(await b.db.get('k'), 'new');
});

test('without a leader a call rejects after a second, unsent', async () => {
  world = new World();
  const other = world.tab();
  // A page with open() of keylatch/persist holds the lock and answers nothing.
  let release;
  other.environment.locks.request('keylatch:n', {}, () => new Promise((resolve) => (release = resolve)));
  const startMs = performance.now();
  const { db } = await world.open();
  assert.ok(performance.now() - startMs >= 990);
  const callMs = performance.now();
  await assert.rejects(db.set('k', 'v'), { code: 'NO_LEADER', retryable: true, mayHaveRun: false });
  const ms = performance.now() - callMs;
  assert.ok(ms >= 990 && ms < 4500, `${ms} ms`);
  const waiting = db.set('k', 'v');
  release();
  assert.equal(await waiting, 'OK');
  assert.equal(db.role, 'leader');
});

test('a lost announcement is asked for again by the next call', async () => {
  const [a, b] = await pair({ deadlineMs: 200 });
  const c = await world.open({ deadlineMs: 200 });
  await c.db.get('x');
  world.route = (message) => (message.kind === 'leads' ? 'drop' : 'deliver');
  world.kill(a);
  await until(() => b.db.role === 'leader');
  world.route = () => 'deliver';
  await assert.rejects(c.db.get('x'), { code: 'NO_ANSWER' });
  await until(async () => (await c.db.get('x').catch(() => 'later')) === null);
});

test('a new tab that misses the announcement hears the answer to its question, and a late announcement is ignored', async () => {
  const [a, b] = await pair();
  world.route = (message) => (message.kind === 'leads' ? 'hold' : 'deliver');
  const c = world.tab();
  const joining = share({ name: 'n', environment: c.environment });
  await pause(5);
  world.route = () => 'deliver';
  const stale = world.held.splice(0);
  assert.ok(stale.length > 0);
  world.kill(a);
  c.db = await joining;
  await until(() => b.db.role === 'leader');
  world.release(stale);
  await pause(5);
  assert.equal(await c.db.set('k', 'v'), 'OK');
  assert.equal(await b.db.get('k'), 'v');
});

test('calls made while the leader opens its store wait for it', async () => {
  world = new World();
  const slow = world.tab();
  let go;
  const opened = new Promise((resolve) => (go = resolve));
  const { store } = slow.environment;
  slow.environment.store = () => {
    const made = store();
    const { open } = made;
    made.open = async () => {
      await opened;
      return open();
    };
    return made;
  };
  const first = share({ name: 'n', environment: slow.environment });
  await pause(5);
  const b = await world.open();
  const calls = [b.db.set('k', 1), b.db.incr('k'), b.db.get('k')];
  await pause(5);
  go();
  assert.deepEqual(await Promise.all(calls), ['OK', 2, '2']);
  slow.db = await first;
});

test('pipelined calls run in their order, also across a change of the leader', async () => {
  const [a, b] = await pair();
  await a.db.flush();
  const closing = a.db.close();
  const calls = [b.db.set('k', 1), b.db.incr('k'), b.db.get('k'), b.db.append('k', 'x'), b.db.get('k')];
  assert.deepEqual(await Promise.all(calls), ['OK', 2, '2', 2, '2x']);
  await closing;
});

test('late messages of another version stop neither the leader nor, once it is heard again, a tab that follows it', async () => {
  const [a, b] = await pair();
  const room = world.tab().environment.channel('keylatch:n');
  room.postMessage({ kind: 'leads', from: 'other', version: 99, epoch: 1, isReady: true });
  await until(() =>
    b.db.get('x').then(
      () => false,
      ({ code }) => code === 'OTHER_VERSION',
    ),
  );
  assert.equal(await a.db.set('x', 'v'), 'OK');
  room.postMessage({ kind: 'hello', from: 'other', version: 99 });
  await until(() => b.db.get('x').catch(() => false));
  assert.equal(await b.db.get('x'), 'v');
});

test('a tab of another version is refused with advice, and one that leads refuses this one', async () => {
  world = new World();
  const other = world.tab();
  const room = other.environment.channel('keylatch:n');
  room.onmessage = ({ data }) => {
    if (data.kind === 'hello') room.postMessage({ kind: 'leads', from: 'other', version: 99, epoch: 1, isReady: true });
  };
  other.environment.locks.request('keylatch:n', {}, () => new Promise(() => {}));
  await assert.rejects(world.open(), { name: 'TabsError', code: 'OTHER_VERSION', retryable: false, message: /reload/ });
  world.kill(other);
  const { db } = await world.open();
  const newer = world.tab();
  const heard = [];
  const its = newer.environment.channel('keylatch:n');
  its.onmessage = ({ data }) => data.kind === 'leads' && heard.push(data);
  its.postMessage({ kind: 'hello', from: 'newer', version: 99 });
  await until(() => heard.length > 0);
  assert.deepEqual([heard[0].kind, heard[0].version], ['leads', 1]);
  assert.equal(await db.set('k', 'v'), 'OK');
});

test('twenty leaders are killed in mid-call: each call is right, or says that it is unknown whether it ran', async () => {
  world = new World();
  let leader = await world.open({ acknowledge: 'flushed' });
  let follower = await world.open({ acknowledge: 'flushed' });
  let [least, most] = [0, 0];
  for (let round = 0; round < 20; round += 1) {
    const calls = Array.from({ length: 10 }, () => follower.db.incr('n'));
    await pause(Math.random() * 3);
    world.kill(leader);
    for (const result of await Promise.allSettled(calls)) {
      most += 1;
      if (result.status === 'fulfilled') least += 1;
      else assert.deepEqual([result.reason.code, result.reason.mayHaveRun], ['LEADER_CHANGED', true]);
    }
    const n = Number(await follower.db.get('n'));
    assert.ok(n >= least && n <= most, `${least} <= ${n} <= ${most}`);
    [least, most] = [n, n];
    leader = follower;
    follower = await world.open({ acknowledge: 'flushed' });
  }
});

test('two tabs race for the same keys: one winner each', async () => {
  const [a, b] = await pair();
  const race = (db, name) =>
    Promise.all(Array.from({ length: 500 }, (_, key) => db.set(`k${key}`, name, { nx: true })));
  const [ofA, ofB] = await Promise.all([race(a.db, 'a'), race(b.db, 'b')]);
  for (let key = 0; key < 500; key += 1) assert.deepEqual([ofA[key], ofB[key]].filter(Boolean), ['OK'], `k${key}`);
});
