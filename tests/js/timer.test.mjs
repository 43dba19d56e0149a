// The one timer: when it is armed, that it keeps nothing alive, and that it follows faked timers.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { mock, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { withFakeTime } from './support/fake-time.mjs';
import { entry, folder } from './support/package.mjs';

const { Keylatch } = await entry('index');

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

test('a key expires by itself while there is a listener', async () => {
  const db = new Keylatch();
  const heard = [];
  db.on('expired', ({ key }) => heard.push(key));
  db.set('k', 1, { px: 20 });
  await sleep(80);
  assert.deepEqual(heard, ['k']);
  db.close();
});

test('it is armed only while there is a listener for more than errors, and only one', () =>
  withFakeTime((time) => {
    const db = new Keylatch();
    db.set('a', 1, { px: 500 });
    db.on('error', () => {});
    assert.equal(time.timers.size, 0);
    const end = db.on('expired', () => {});
    assert.equal(time.timers.size, 1);
    db.set('b', 1, { px: 100 });
    db.set('c', 1, { px: 900 });
    assert.deepEqual(
      [...time.timers.values()].map(({ at }) => at),
      [time.now + 101],
    );
    end();
    assert.equal(time.timers.size, 0);
    db.on('set', () => {});
    assert.equal(time.timers.size, 1);
    db.flushall();
    assert.equal(time.timers.size, 1, 'a later deadline leaves it armed');
    db.set('a', 1, { px: 500 });
    const other = new Keylatch();
    other.once('expire', () => {});
    other.set('a', 1, { px: 500 });
    assert.equal(time.timers.size, 1, "the other's listener heard what it waited for");
    db.close();
    assert.equal(time.timers.size, 0);
  }));

test('calls within the same millisecond leave it alone', () =>
  withFakeTime((time) => {
    const db = new Keylatch();
    db.on('expired', () => {});
    db.set('a', 1, { px: 500 });
    const [id] = time.timers.keys();
    for (let index = 0; index < 10; index += 1) db.get('a');
    assert.deepEqual([...time.timers.keys()], [id]);
  }));

test('waits beyond 2^31 - 1 ms are split', () =>
  withFakeTime((time) => {
    const db = new Keylatch();
    const heard = [];
    db.on('expired', ({ key }) => heard.push(key));
    const days = 24 * 3600 * 1000;
    db.set('k', 1, { px: 60 * days });
    time.advance(59 * days);
    assert.deepEqual(heard, []);
    time.advance(2 * days);
    assert.deepEqual(heard, ['k']);
    assert.equal(time.timers.size, 0);
  }));

test('timers faked late are followed from the next call on, and removed ones are left behind', async () => {
  const db = new Keylatch();
  const heard = [];
  db.on('expired', ({ key }) => heard.push(key));
  db.set('real', 1, { px: 3_600_000 });
  await withFakeTime((time) => {
    time.now = Date.UTC(2030, 0, 1);
    db.set('fake', 1, { px: 100 });
    assert.equal(time.timers.size, 1);
    time.advance(101);
    assert.deepEqual(heard, ['real', 'fake']);
    db.set('late', 1, { px: 10_000 });
  });
  db.set('again', 1, { px: 5 });
  assert.ok(db.pttl('late') > 10_000, 'the real clock is years behind');
  await sleep(50);
  assert.deepEqual(heard, ['real', 'fake', 'again']);
  db.close();
});

test('a clock set back makes it wait longer, one set forward makes the next call find what is due', () =>
  withFakeTime((time) => {
    const db = new Keylatch();
    const heard = [];
    db.on('expired', ({ key }) => heard.push(key));
    db.set('k', 1, { px: 5000 });
    time.now -= 10_000;
    time.advance(5001);
    assert.deepEqual(heard, []);
    time.advance(10_001);
    assert.deepEqual(heard, ['k']);
    db.set('k', 1, { px: 5000 });
    time.now += 60_000;
    db.ping();
    assert.deepEqual(heard, ['k', 'k']);
  }));

test("node's own fake timers work, without a word from us", () => {
  mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 1000 });
  const db = new Keylatch();
  const heard = [];
  db.on('expired', ({ key }) => heard.push(key));
  db.set('k', 1, { px: 500 });
  assert.equal(db.pttl('k'), 500);
  mock.timers.tick(500);
  assert.deepEqual(heard, []);
  mock.timers.tick(1);
  assert.deepEqual(heard, ['k']);
  mock.timers.reset();
  db.set('k', 1, { px: 500 });
  db.close();
});

test('a failing clock or a failing timer never hurts a call', () =>
  withFakeTime((time) => {
    let now = () => time.now;
    const db = new Keylatch({ now: () => now() });
    const errors = [];
    db.on('error', (error) => errors.push(error.name));
    db.on('expired', () => {});
    db.set('k', 1, { px: 100 });
    now = () => NaN;
    time.advance(101);
    assert.deepEqual(errors, ['ClockError']);
    now = () => time.now;
    assert.equal(db.get('k'), null);
    globalThis.setTimeout = () => {
      throw new Error('not here');
    };
    assert.equal(db.set('k', 1, { px: 100 }), 'OK');
  }));

/** Runs a module in a separate process and returns its output. */
function inProcess(code, ...flags) {
  const index = JSON.stringify(pathToFileURL(`${folder}/esm/index.js`).href);
  const source = `import { Keylatch } from ${index};\n${code}`;
  return execFileSync(process.execPath, [...flags, '--input-type=module', '-e', source], {
    encoding: 'utf8',
    timeout: 60_000,
  });
}

test('it keeps no process alive', () => {
  inProcess("const db = new Keylatch(); db.on('expired', () => {}); db.set('k', 1, { px: 3600000 });");
});

test('it keeps no engine alive', () => {
  const printed = inProcess(
    `
    let gone = 0;
    const registry = new FinalizationRegistry(() => { gone += 1; });
    for (let index = 0; index < 20; index += 1) {
      const db = new Keylatch();
      db.on('expired', () => {});
      db.set('k', 1, { px: 3600000 });
      registry.register(db);
    }
    for (let round = 0; round < 20 && gone < 15; round += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
      gc();
    }
    console.log(gone);
  `,
    '--expose-gc',
  );
  assert.ok(Number(printed) >= 15, printed);
});

test('ten thousand engines, made and dropped in one job, do not exhaust memory', () => {
  // A weak reference would keep each of them until the end of the job.
  const printed = inProcess(
    `
    import { ManualClock } from ${JSON.stringify(pathToFileURL(`${folder}/esm/index.js`).href)};
    const limitBytes = 600 * 2 ** 20;
    let count = 0;
    for (; count < 10_000; count += 1) {
      const db = new Keylatch(count % 2 === 0 ? {} : { clock: new ManualClock() });
      db.on('set', () => {});
      db.set('k', count);
      if (count % 100 === 0 && process.memoryUsage.rss() > limitBytes) break;
    }
    console.log(count);
  `,
  );
  assert.equal(printed, '10000\n');
});

test('keys due together go in slices, and others have their turn between them', async () => {
  const db = new Keylatch();
  const count = 20_000;
  const expired = new Set();
  let most = 0;
  let inTurn = 0;
  db.on('expired', ({ key }) => {
    expired.add(key);
    inTurn += 1;
    most = Math.max(most, inTurn);
  });
  // At one instant, however long setting them takes.
  const at = Date.now() + 3000;
  for (let index = 0; index < count; index += 1) db.set(`k${index}`, 'v', { pxat: at });
  let turns = 0;
  const started = Date.now();
  while (expired.size < count && Date.now() - started < 60_000) {
    inTurn = 0;
    await new Promise((resolve) => setImmediate(resolve));
    if (expired.size > 0) turns += 1;
  }
  assert.equal(expired.size, count);
  // A tick removes 256 keys at most, and a turn of the event loop holds few ticks.
  assert.ok(turns >= 10, `all went in ${turns} turns`);
  assert.ok(most < count / 4, `${most} went in one turn`);
  assert.equal(db.dbsize(), 0);
  db.close();
});

test('an idle limit of years is a timer that does not fire at once', async (t) => {
  const { createServer } = await entry('server');
  const server = createServer({ port: 0 });
  const { port } = await server.listen();
  t.after(() => server.close());
  const delays = t.mock.method(globalThis, 'setTimeout');
  const socket = connect(port, '127.0.0.1');
  t.after(() => socket.destroy());
  socket.write('CONFIG SET timeout 2147483647\r\n');
  await once(socket, 'data');
  assert.ok(delays.mock.calls.every(({ arguments: [, delayMs = 0] }) => delayMs < 2 ** 31));
});
