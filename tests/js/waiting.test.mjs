// Blocking commands as promises: how they are served, how they end, and that no client is left.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { withFakeTime } from './support/fake-time.mjs';
import { entry, folder } from './support/package.mjs';

const { ClosedError, Keylatch, ManualClock, ReplyError, WaitingError } = await entry('index');

/** Clients the engine has, by CLIENT LIST. */
const clients = (db) => db.call('CLIENT', 'LIST').trim().split('\n').length;

/** State of a promise so far. */
async function state(promise) {
  const pending = Symbol('pending');
  const result = await Promise.race([promise.catch((error) => error.name), Promise.resolve(pending)]);
  return result === pending ? 'pending' : result;
}

test('what is there is answered, and what comes later too', async () => {
  const db = new Keylatch();
  db.rpush('jobs', 'first');
  assert.deepEqual(await db.blpop('jobs', 1), ['jobs', 'first']);
  const later = db.blpop(['urgent', 'jobs']);
  assert.equal(await state(later), 'pending');
  assert.equal(db.rpush('jobs', 'second', 'third'), 2);
  assert.deepEqual(await later, ['jobs', 'second']);
  assert.deepEqual(await db.brpop('jobs'), ['jobs', 'third']);
  assert.equal(clients(db), 1, 'the internal clients are disconnected');
});

test('the longest waiting comes first, and the caller goes on meanwhile', async () => {
  const db = new Keylatch();
  const order = [];
  const waits = ['a', 'b', 'c'].map((name) => db.blpop('line').then(([, value]) => order.push(name + value)));
  assert.equal(db.set('k', 'v'), 'OK');
  assert.equal(clients(db), 4);
  db.multi().rpush('line', 1).rpush('line', 2).exec();
  assert.equal(db.llen('line'), 0);
  db.rpush('line', 3);
  await Promise.all(waits);
  assert.deepEqual(order, ['a1', 'b2', 'c3']);
});

test('every command that waits', async () => {
  const db = new Keylatch();
  const waits = [
    db.brpop('a'),
    db.blmove('b', 'c', 'LEFT', 'RIGHT'),
    db.blmpop(['d', 'e'], 'RIGHT', 0, { count: 2 }),
    db.bzpopmin('f'),
    db.bzpopmax(['none', 'g']),
    db.bzmpop('h', 'MAX', 0, { count: 2 }),
    db.wait(0, 0),
  ];
  for (const list of ['a', 'b', 'e']) db.rpush(list, 1, 2, 3);
  for (const set of ['f', 'g', 'h']) db.zadd(set, { x: 1, y: 2.5, z: 'inf' });
  assert.deepEqual(await Promise.all(waits), [
    ['a', '3'],
    '1',
    ['e', ['3', '2']],
    ['f', 'x', 1],
    ['g', 'z', Infinity],
    [
      'h',
      [
        ['z', Infinity],
        ['y', 2.5],
      ],
    ],
    0,
  ]);
  assert.deepEqual(db.lrange('c', 0, -1), ['1']);
});

test('bytes, and the database of the client that asks', async () => {
  const db = new Keylatch();
  const client = db.client({ db: 3 });
  const wait = client.bytes.blpop('k');
  db.rpush('k', 'not here');
  assert.equal(await state(wait), 'pending');
  client.rpush('k', Uint8Array.of(0, 255));
  assert.deepEqual(await wait, [Uint8Array.of(107), Uint8Array.of(0, 255)]);
});

test('null when the time is over: one timer, and none behind it', () =>
  withFakeTime(async (time) => {
    const db = new Keylatch();
    const [short, long] = [db.blpop('a', 0.5), db.blpop('b', 2)];
    const endless = db.blpop('c');
    assert.deepEqual(
      [...time.timers.values()].map(({ at }) => at),
      [time.now + 500],
    );
    time.advance(499);
    assert.equal(await state(short), 'pending');
    time.advance(1);
    assert.equal(await short, null);
    assert.equal(await state(long), 'pending');
    assert.equal(time.timers.size, 1);
    time.advance(1500);
    assert.equal(await long, null);
    assert.equal(time.timers.size, 0);
    assert.equal(await state(endless), 'pending');
    db.rpush('c', 1);
    assert.deepEqual(await endless, ['c', '1']);
  }));

test('timers faked while a client is blocked are followed from the next call on', async () => {
  const db = new Keylatch();
  const wait = db.blpop('list', 60);
  const started = Date.now();
  await withFakeTime(async (time) => {
    time.now = started + 3_600_000;
    db.ping();
    assert.equal(await wait.catch(() => 'failed'), null, 'the clock jumped past the end');
    const again = db.blpop('list', 60);
    time.advance(60_000);
    assert.equal(await again, null);
  });
});

test('a ManualClock ends waiting by its advance alone', async () => {
  const clock = new ManualClock();
  const db = new Keylatch({ clock });
  const wait = db.bzpopmin('k', 10);
  clock.advance(9_999);
  assert.equal(await state(wait), 'pending');
  assert.equal(db.nextExpiry(), clock.now() + 1);
  clock.advance(1);
  assert.equal(await wait, null);
  const next = db.blpop('k', 1);
  assert.equal(clock.advanceToNextExpiry(), clock.now());
  assert.equal(await next, null);
});

test('a signal ends the waiting, and nothing is taken afterwards', async () => {
  const db = new Keylatch();
  const controller = new AbortController();
  const wait = db.blpop('k', 0, { signal: controller.signal });
  controller.abort();
  await assert.rejects(wait, { name: 'AbortError' });
  assert.equal(clients(db), 1);
  db.rpush('k', 1);
  assert.equal(db.llen('k'), 1);
  await assert.rejects(db.blpop('k', 0, { signal: controller.signal }), { name: 'AbortError' });
  assert.equal(db.llen('k'), 1, 'an aborted signal takes nothing');
  const reason = new Error('enough');
  await assert.rejects(db.blpop('k', 0, { signal: AbortSignal.abort(reason) }), reason);
});

test('a signal that comes too late changes nothing', async () => {
  const db = new Keylatch();
  const controller = new AbortController();
  const wait = db.blpop('k', 0, { signal: controller.signal });
  // The element is already taken when the listener receives the event.
  db.once('rpush', () => controller.abort());
  db.rpush('k', 'precious');
  assert.deepEqual(await wait, ['k', 'precious']);
});

test('closing the database or the client that asks ends the waiting', async () => {
  const db = new Keylatch();
  const client = db.client();
  const [own, other] = [client.blpop('a'), db.blpop('b', 100)];
  client.close();
  await assert.rejects(own, ClosedError);
  assert.equal(clients(db), 2);
  await assert.rejects(client.blpop('a'), ClosedError);
  db.close();
  await assert.rejects(other, (error) => error instanceof ClosedError && /engine/.test(error.message));
  await assert.rejects(db.blpop('a'), ClosedError);
});

test('errors: at once, later, and of arguments', async () => {
  const db = new Keylatch();
  db.set('text', 1);
  await assert.rejects(
    db.blpop('text'),
    (error) => error instanceof ReplyError && error.code === 'WRONGTYPE' && error.command === 'BLPOP',
  );
  const late = db.blmove('source', 'text', 'LEFT', 'LEFT');
  db.rpush('source', 1);
  await assert.rejects(late, { code: 'WRONGTYPE', command: 'BLMOVE' });
  assert.equal(db.llen('source'), 1);
  await assert.rejects(db.blpop('k', -1), { message: 'ERR timeout is negative' });
  await assert.rejects(db.blpop('k', NaN), TypeError);
  await assert.rejects(db.blpop(undefined), TypeError);
  assert.equal(clients(db), 1);
});

test('CLIENT UNBLOCK and CLIENT KILL reach them', async () => {
  const db = new Keylatch();
  const waits = [db.blpop('a'), db.blpop('b'), db.blpop('c')];
  const ids = db
    .call('CLIENT', 'LIST')
    .trim()
    .split('\n')
    .map((line) => /^id=(\d+)/.exec(line)[1])
    .filter((id) => Number(id) !== db.id);
  assert.equal(ids.length, 3);
  assert.equal(db.call('CLIENT', 'UNBLOCK', ids[0]), 1);
  assert.equal(db.call('CLIENT', 'UNBLOCK', ids[1], 'ERROR'), 1);
  assert.equal(db.call('CLIENT', 'KILL', 'ID', ids[2]), 1);
  assert.equal(await waits[0], null);
  await assert.rejects(waits[1], { code: 'UNBLOCKED' });
  await assert.rejects(waits[2], ClosedError);
  assert.equal(clients(db), 1);
});

test('a listener may wait, and wake others', async () => {
  const db = new Keylatch();
  const results = [];
  db.on('rpush', ({ key }) => {
    if (key === 'a') results.push(db.blpop('b'));
    if (key === 'b') db.rpush('c', 'third');
  });
  const third = db.blpop('c');
  db.rpush('a', 'first');
  db.rpush('b', 'second');
  assert.deepEqual(
    [await results[0], await third],
    [
      ['b', 'second'],
      ['c', 'third'],
    ],
  );
});

test('a waiting command by call stays with its client, and says how to await it', () => {
  const db = new Keylatch();
  const client = db.client();
  assert.throws(
    () => client.call('BLPOP', 'k', 0),
    (error) => error instanceof WaitingError && /await the method blpop\(\)/.test(error.message),
  );
  assert.throws(
    () => client.get('k'),
    (error) => error instanceof WaitingError && !/await/.test(error.message),
  );
  db.rpush('k', 'v');
  assert.deepEqual(client.takePushes(), [['k', 'v'], null]);
});

test('its wait ends in time for a later read', async () => {
  const db = new Keylatch();
  assert.throws(() => db.call('BLPOP', 'k', 0.05), WaitingError);
  assert.deepEqual(db.takePushes(), []);
  await new Promise((resolve) => setTimeout(resolve, 70));
  assert.deepEqual(db.takePushes(), [null]);
});

/** Runs a module in a separate process and returns its output. */
function inProcess(code, ...flags) {
  const index = JSON.stringify(pathToFileURL(`${folder}/esm/index.js`).href);
  const source = `import { Keylatch } from ${index};\n${code}`;
  return execFileSync(process.execPath, [...flags, '--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 20_000,
  });
}

test('a process lives until an awaited time is over, and no longer', () => {
  const printed = inProcess(`
    const db = new Keylatch();
    db.set('k', 1, { px: 3600000 });
    db.blpop('endless');
    const controller = new AbortController();
    db.blpop('aborted', 3600, { signal: controller.signal }).catch(() => {});
    controller.abort();
    console.log(await db.blpop('k2', 0.2), db.get('k'));
  `);
  assert.equal(printed, 'null 1\n');
});

test('an engine that only a promise refers to is kept until the promise is fulfilled', () => {
  const printed = inProcess(
    `
    const wait = (() => new Keylatch().blpop('k', 0.3))();
    const garbage = setInterval(gc, 20);
    console.log(await wait);
    clearInterval(garbage);
  `,
    '--expose-gc',
  );
  assert.equal(printed, 'null\n');
});

test('one signal for many waits is one listener, and warns of nothing', async () => {
  const script = `
    const { Keylatch } = await import(${JSON.stringify(pathToFileURL(`${folder}/esm/index.js`).href)});
    const { locks } = await import(${JSON.stringify(pathToFileURL(`${folder}/esm/locks.js`).href)});
    process.on('warning', (warning) => console.log(warning.name));
    const db = new Keylatch();
    const controller = new AbortController();
    const { signal } = controller;
    await locks(db).acquire('held');
    const refused = [];
    for (let index = 0; index < 30; index += 1) {
      refused.push(db.blpop('jobs', 0, { signal }), db.getOrSet('k', { signal }, () => new Promise(() => {})));
      refused.push(db.messages('news', { signal }).next(), locks(db).acquire('held', { wait: 10_000, signal }));
      refused.push(db.transaction((client) => new Promise(() => {}), { signal }).catch(() => { throw 0; }));
    }
    setTimeout(() => controller.abort(), 20);
    const waits = refused.filter((_, index) => index % 5 !== 4);
    const results = await Promise.allSettled(waits);
    console.log(results.filter(({ reason }) => reason?.name === 'AbortError').length);
    process.exit(0);
  `;
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.equal(output, '120\n');
});

test('listeners of a signal end with their waits, and an abort reaches each wait', async () => {
  const db = new Keylatch();
  const counts = { added: 0, removed: 0 };
  let abort;
  const signal = {
    aborted: false,
    addEventListener(_, listener) {
      abort = listener;
      counts.added += 1;
    },
    removeEventListener() {
      counts.removed += 1;
    },
  };
  const waits = Array.from({ length: 5 }, (_, index) => db.blpop(`q${index}`, 0, { signal }));
  assert.deepEqual(counts, { added: 1, removed: 0 });
  db.rpush('q0', 'a');
  assert.deepEqual(await waits[0], ['q0', 'a']);
  signal.aborted = true;
  abort();
  const results = await Promise.allSettled(waits.slice(1));
  assert.deepEqual(
    results.map(({ reason }) => reason?.name),
    Array(4).fill('AbortError'),
  );
  assert.deepEqual(counts, { added: 1, removed: 1 });
  assert.equal(clients(db), 1);
});
