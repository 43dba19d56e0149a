// getOrSet: values that are loaded when they are missing, once for all callers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { entry } from './support/package.mjs';

const { ClosedError, DecodeError, Keylatch, ManualClock, ReplyError } = await entry('index');

/** A load that is finished by hand. */
function held() {
  const load = { calls: 0 };
  load.run = ({ signal }) => {
    load.calls += 1;
    load.signal = signal;
    return new Promise((resolve, reject) => Object.assign(load, { resolve, reject }));
  };
  return load;
}

test('a missing value is loaded and stored with its time to live', async () => {
  const clock = new ManualClock(0);
  const db = new Keylatch({ clock });
  let loads = 0;
  const load = () => `value ${(loads += 1)}`;
  assert.equal(await db.getOrSet('k', 1000, load), 'value 1');
  assert.equal(db.pttl('k'), 1000);
  assert.equal(await db.getOrSet('k', 1000, load), 'value 1');
  clock.advance(1001);
  assert.equal(await db.getOrSet('k', { ex: 5 }, load), 'value 2');
  assert.equal(db.pttl('k'), 5000);
  assert.equal(await db.getOrSet('for ever', {}, async () => 7), '7');
  assert.equal(db.pttl('for ever'), -1);
  assert.equal(await db.getOrSet('s', { px: 5 }, load), 'value 3');
});

test('concurrent callers share one load, through every client and view', async () => {
  const db = new Keylatch();
  const load = held();
  const all = [
    db.getOrSet('a:k', 1000, load.run),
    db.getOrSet('a:k', 1000, load.run),
    db.client().getOrSet('a:k', 1000, load.run),
    db.prefix('a:').getOrSet(Buffer.from('k'), 1000, load.run),
  ];
  const elsewhere = held();
  const other = db.client({ db: 1 }).getOrSet('a:k', 1000, elsewhere.run);
  load.resolve('shared');
  elsewhere.resolve('own');
  assert.deepEqual(await Promise.all(all), Array(4).fill('shared'));
  assert.equal(await other, 'own');
  assert.equal(load.calls, 1);
  assert.equal(db.info('clients').match(/connected_clients:(\d+)/)[1] <= 3, true, 'a flight left its client');
});

test('a failed load rejects for all callers and is not stored', async () => {
  const db = new Keylatch();
  const load = held();
  const all = [db.getOrSet('k', 1000, load.run), db.getOrSet('k', 1000, load.run)];
  load.reject(new Error('the source is down'));
  for (const one of await Promise.allSettled(all)) assert.equal(one.reason.message, 'the source is down');
  assert.equal(db.exists('k'), 0);
  await assert.rejects(
    db.getOrSet('k', 1000, () => {
      throw new RangeError('at once');
    }),
    RangeError,
  );
  assert.equal(await db.getOrSet('k', 1000, () => 'later'), 'later');
});

test('null and undefined are returned and not stored', async () => {
  const db = new Keylatch();
  for (const nothing of [null, undefined]) {
    assert.equal(await db.getOrSet('k', 1000, () => nothing), nothing);
    assert.equal(await db.json.getOrSet('k', 1000, () => nothing), nothing);
  }
  assert.equal(db.exists('k'), 0);
});

test('a key that is written during the load keeps what was written', async () => {
  const db = new Keylatch();
  const load = held();
  const first = db.getOrSet('k', 1000, load.run);
  db.set('k', 'newer');
  load.resolve('stale');
  assert.equal(await first, 'newer');
  assert.equal(db.get('k'), 'newer');
  assert.equal(db.pttl('k'), -1);
  // Set and deleted: what was loaded may be out of date, and is not stored.
  const again = held();
  const second = db.getOrSet('other', 1000, again.run);
  db.set('other', 1);
  db.del('other');
  again.resolve('stale');
  assert.equal(await second, 'stale');
  assert.equal(db.exists('other'), 0);
});

test('each caller has a value of its own, the same as one that finds the key', async () => {
  const db = new Keylatch();
  const options = { px: 1000, as: 'json' };
  const load = async () => ({ at: new Date(0), list: [1] });
  const [first, second] = await Promise.all([db.getOrSet('k', options, load), db.getOrSet('k', options, load)]);
  assert.deepEqual(first, { at: '1970-01-01T00:00:00.000Z', list: [1] });
  first.list.push(2);
  assert.deepEqual(second.list, [1]);
  assert.deepEqual(await db.getOrSet('k', options, load), second);
  assert.deepEqual(await db.json.getOrSet('k', 1000, load), second);
  assert.deepEqual(await db.getOrSet('b', { px: 10, as: 'bytes' }, () => Uint8Array.of(255)), Uint8Array.of(255));
});

test('values that the form cannot hold, or that are no value of it, are refused by key', async () => {
  const db = new Keylatch();
  await assert.rejects(
    db.getOrSet('k', 1000, () => ({ a: 1 })),
    /key "k".*pass { as: 'json' }/,
  );
  await assert.rejects(
    db.json.getOrSet('k', 1000, () => ({ a: undefined })),
    /found at \.a/,
  );
  assert.equal(db.exists('k'), 0);
  db.set('k', 'no JSON');
  await assert.rejects(
    db.json.getOrSet('k', 1000, () => 1),
    DecodeError,
  );
  db.lpush('l', 1);
  await assert.rejects(
    db.getOrSet('l', 1000, () => 1),
    ReplyError,
  );
  const full = new Keylatch({ maxmemory: 1 });
  full.set('x', 1);
  await assert.rejects(
    full.getOrSet('k', 1000, () => 1),
    { code: 'OOM' },
  );
});

test('options are checked before anything is loaded', async () => {
  const db = new Keylatch();
  const load = held();
  const wrong = [
    [{ ttl: 5 }, /no option 'ttl'/],
    [{ px: 5, ex: 5 }, /px or ex, not both/],
    [{ px: 0 }, /positive integer, got 0/],
    [-1, /positive integer/],
    [1.5, /positive integer/],
    [Number.NaN, /positive integer/],
    [{ px: '5' }, /positive integer/],
    [{ px: 5, jitter: 2 }, /jitter must be from 0 to 1/],
    [{ px: 5, as: 'yaml' }, /a codec is/],
    [null, /getOrSet takes/],
  ];
  for (const [life, message] of wrong)
    await assert.rejects(db.getOrSet('k', life, load.run), { name: 'TypeError', message });
  await assert.rejects(db.getOrSet('k', 5), /a function that loads/);
  await assert.rejects(db.getOrSet(null, 5, load.run), /argument 1 of GET/);
  assert.equal(load.calls, 0);
});

test('jitter takes a random part off the time to live', async () => {
  const db = new Keylatch({ now: () => 0 });
  const lives = new Set();
  for (let index = 0; index < 50; index += 1) {
    await db.getOrSet(`k${index}`, { px: 10_000, jitter: 0.5 }, () => 1);
    lives.add(db.pttl(`k${index}`));
  }
  assert.ok(lives.size > 10);
  for (const life of lives) assert.ok(life >= 5000 && life <= 10_000, `${life}`);
});

test('an abort rejects for its caller; the load is aborted with the last one', async () => {
  const db = new Keylatch();
  const load = held();
  const [one, two] = [new AbortController(), new AbortController()];
  const first = db.getOrSet('k', { px: 1000, signal: one.signal }, load.run);
  const second = db.getOrSet('k', { px: 1000, signal: two.signal }, load.run);
  one.abort(new Error('enough'));
  await assert.rejects(first, /enough/);
  assert.equal(load.signal.aborted, false);
  two.abort();
  await assert.rejects(second, { name: 'AbortError' });
  assert.equal(load.signal.aborted, true);
  const next = db.getOrSet('k', 1000, () => 'fresh');
  load.resolve('abandoned');
  assert.equal(await next, 'fresh');
  await sleep(1);
  assert.equal(db.get('k'), 'fresh');
  await assert.rejects(db.getOrSet('x', { px: 1, signal: AbortSignal.abort() }, load.run), { name: 'AbortError' });
  assert.equal(await db.getOrSet('k', { px: 1, signal: AbortSignal.abort() }, load.run), 'fresh', 'it was there');
  assert.equal(load.calls, 1);
});

test('closing the engine during a load rejects', async () => {
  const db = new Keylatch();
  const load = held();
  const waiting = db.getOrSet('k', 1000, load.run);
  db.close();
  load.resolve('late');
  await assert.rejects(waiting, ClosedError);
});
