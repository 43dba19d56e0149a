// The end of a program with a store: exits, signals, traps, and what a call promises when it returns.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { failure, stub } from './support/file-system.mjs';
import { temporaryFolder, newestLog } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';
import { until } from './support/until.mjs';

const { ManualClock } = await entry('index');
const { open, memoryStore } = await entry('persist');

/** Makes each call into WebAssembly trap from now on. */
const TRAP = `
const Real = WebAssembly.Instance;
let traps = false;
const trapping = (call) => (...given) => {
  if (traps) throw new WebAssembly.RuntimeError('unreachable');
  return call(...given);
};
WebAssembly.Instance = function Instance(module, imports) {
  const { exports } = new Real(module, imports);
  const wrapped = Object.entries(exports).map(([name, value]) => [name, typeof value === 'function' ? trapping(value) : value]);
  return { exports: Object.fromEntries(wrapped) };
};
`;

/** Runs a program with an open folder `db`; resolves to its exit. */
async function program(t, dir, text, { options = '', head = '', signal } = {}) {
  const source = `${head}
    const { open } = await import(${JSON.stringify(`file://${packageFolder}/esm/persist.js`)});
    const db = await open({ dir: ${JSON.stringify(dir)}, ${options} });
    ${text}`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', source], { stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  let isSignalled = false;
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
    if (signal === undefined || isSignalled || !output.includes('ready')) return;
    isSignalled = true;
    child.kill(signal);
  });
  const [code, endedBy] = await once(child, 'exit');
  return { code, endedBy, output };
}

/** The value of a key after the end. */
async function found(dir, key) {
  const db = await open({ dir });
  const value = db.get(key);
  await db.close();
  return value;
}

const WAIT = `console.log('ready'); setInterval(() => {}, 1000);`;

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
  test(`${signal} with flushOnSignal: what was written is there, and the signal takes its course`, async (t) => {
    const dir = temporaryFolder();
    const { endedBy } = await program(
      t,
      dir,
      `console.log('ready'); setInterval(() => db.incr('n'), 1); db.set('k', 'v');
      for (let i = 0; ; i += 1) { db.set('last', i); if (i % 1000 === 0) await new Promise((r) => setImmediate(r)); }`,
      {
        options: 'flushOnSignal: true',
        signal,
      },
    );
    assert.equal(endedBy, signal);
    assert.equal(await found(dir, 'k'), 'v');
    assert.ok(!existsSync(join(dir, 'keylatch.lock')), 'the lock is released');
  });
}

test('with flushOnSignal a write right before the signal is there', async (t) => {
  const dir = temporaryFolder();
  const { endedBy } = await program(
    t,
    dir,
    `setInterval(() => {}, 1000); db.set('k', 'v'); process.kill(process.pid, 'SIGTERM');`,
    {
      options: 'flushOnSignal: true',
    },
  );
  assert.equal(endedBy, 'SIGTERM');
  assert.equal(await found(dir, 'k'), 'v');
});

test('a write beside a rewrite of a long log is appended, and there after a signal', async (t) => {
  const dir = temporaryFolder();
  const { endedBy } = await program(
    t,
    dir,
    `setInterval(() => {}, 1000); db.multi().set('filling', 'x'.repeat(2 ** 24)).del('filling').exec();
    void db.rewrite(); await null; db.set('k', 'v'); process.kill(process.pid, 'SIGTERM');`,
    { options: 'flushOnSignal: true' },
  );
  assert.equal(endedBy, 'SIGTERM');
  assert.equal(await found(dir, 'k'), 'v');
});

test('a program that handles the signal goes on, with its lock', async (t) => {
  const dir = temporaryFolder();
  const { code, output } = await program(
    t,
    dir,
    `process.once('SIGTERM', () => setTimeout(async () => {
      const { existsSync } = await import('node:fs');
      console.log('lock', existsSync(${JSON.stringify(join(dir, 'keylatch.lock'))}));
      db.set('later', '1'); await db.close(); process.exit(0);
    }, 50)); ${WAIT}`,
    { options: 'flushOnSignal: true', signal: 'SIGTERM' },
  );
  assert.equal(code, 0);
  assert.match(output, /lock true/);
  assert.equal(await found(dir, 'later'), '1');
});

test('a listener for one signal that was there before open goes on, too', async (t) => {
  const dir = temporaryFolder();
  const { code } = await program(t, dir, WAIT, {
    head: `process.once('SIGTERM', () => setTimeout(async () => {
      db.set('later', '1'); await db.close(); process.exit(0);
    }, 50));`,
    options: 'flushOnSignal: true',
    signal: 'SIGTERM',
  });
  assert.equal(code, 0);
  assert.equal(await found(dir, 'later'), '1');
});

test('two copies of the package in a program: both flush, and the signal takes its course', async (t) => {
  const [dir, other] = [temporaryFolder(), temporaryFolder()];
  const { endedBy } = await program(
    t,
    dir,
    `const { createRequire } = await import('node:module');
    const copy = createRequire('file:///')(${JSON.stringify(`${packageFolder}/cjs/persist.js`)});
    const second = await copy.open({ dir: ${JSON.stringify(other)}, flushOnSignal: true });
    setInterval(() => {}, 1000); db.set('k', 'v'); second.set('k', 'w'); process.kill(process.pid, 'SIGTERM');`,
    { options: 'flushOnSignal: true' },
  );
  assert.equal(endedBy, 'SIGTERM');
  assert.deepEqual([await found(dir, 'k'), await found(other, 'k')], ['v', 'w']);
  for (const home of [dir, other]) assert.ok(!existsSync(join(home, 'keylatch.lock')), 'the lock is released');
});

test('after close() nothing listens for signals any more', async () => {
  const counts = () => ['SIGTERM', 'SIGINT', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name));
  const before = counts();
  const [one, other] = [
    await open({ dir: temporaryFolder(), flushOnSignal: true }),
    await open({ dir: temporaryFolder(), flushOnSignal: true }),
  ];
  assert.notDeepEqual(counts(), before);
  await one.close();
  await other.close();
  assert.deepEqual(counts(), before);
});

test("acknowledge 'flushed': what a call wrote survives SIGKILL", async (t) => {
  const dir = temporaryFolder();
  await program(
    t,
    dir,
    `setInterval(() => {}, 1000); db.set('k', 'v'); db.multi().incr('n').incr('n').exec(); process.kill(process.pid, 'SIGKILL');`,
    {
      options: "acknowledge: 'flushed', fsync: 'no'",
    },
  );
  assert.equal(await found(dir, 'k'), 'v');
  assert.equal(await found(dir, 'n'), '2');
});

test('the call whose change cannot be written throws, and later writes are refused', async (t) => {
  for (const options of [{ acknowledge: 'flushed' }, { fsync: 'always' }]) {
    const dir = temporaryFolder();
    const db = await open({ dir, ...options });
    db.onPersistence(() => {});
    db.set('n', 0);
    const restore = stub(t, 'writeSync', () => {
      throw failure('ENOSPC');
    });
    const message = /the disk is full; .*; this change is in memory, not on the medium$/;
    assert.throws(() => db.incr('n'), { name: 'PersistenceError', code: 'FULL', message });
    assert.equal(db.get('n'), '1', 'the change is in memory');
    assert.throws(() => db.incr('n'), /^ReplyError: MISCONF/);
    assert.throws(() => db.multi().incr('n').exec(), /EXECABORT/);
    restore();
    await until(() => db.persistence.state === 'running', 'writing');
    db.incr('n');
    await db.close();
    assert.equal(await found(dir, 'n'), '2');
  }
});

test('a call that finds an expired key while writing fails returns', async (t) => {
  const dir = temporaryFolder();
  const clock = new ManualClock(Date.now());
  const db = await open({ dir, fsync: 'always', clock });
  db.onPersistence(() => {});
  db.set('n', 0);
  db.set('k', 'v', { px: 30 });
  const restore = stub(t, 'writeSync', () => {
    throw failure('ENOSPC');
  });
  assert.throws(() => db.incr('n'), { name: 'PersistenceError', code: 'FULL' });
  clock.advance(31);
  assert.equal(db.get('k'), null);
  assert.equal(db.exists('k'), 0);
  restore();
  await until(() => db.persistence.state === 'running', 'writing');
  await db.close();
  assert.equal(await found(dir, 'k'), null);
  assert.equal(await found(dir, 'n'), '1');
});

test('a change in time throws nothing into the timer', async (t) => {
  const dir = temporaryFolder();
  const db = await open({ dir, fsync: 'always' });
  db.onPersistence(() => {});
  const expired = [];
  db.on('expired', ({ key }) => expired.push(key));
  db.set('k', 'v', { px: 30 });
  const restore = stub(t, 'writeSync', () => {
    throw failure('ENOSPC');
  });
  await until(() => expired.length === 1, 'the expiry');
  assert.equal(db.persistence.state, 'failed');
  restore();
  await until(() => db.persistence.state === 'running', 'writing');
  await db.close();
});

test('options that contradict each other are refused', async () => {
  const dir = temporaryFolder();
  for (const options of [
    { dir, fsync: 'always', onFailure: 'continue' },
    { dir, acknowledge: 'flushed', onFailure: 'continue' },
  ])
    await assert.rejects(open(options), { name: 'TypeError', message: /refuse writes while the store fails/ });
  await assert.rejects(open({ store: memoryStore(), acknowledge: 'flushed' }), /acknowledge goes with dir/);
  await assert.rejects(open({ store: memoryStore(), flushOnSignal: true }), /flushOnSignal goes with dir/);
  await assert.rejects(open({ dir, acknowledge: 'soon' }), TypeError);
});

test('a trap: what was taken is written, the lock is released, and the code is not 0', async (t) => {
  const caught = `traps = true; try { db.get('k'); } catch {}`;
  const cases = {
    'an error that is not caught': `await db.flush(); traps = true; db.get('k');`,
    'a program that exits by itself': `await db.flush(); ${caught} process.exit(0);`,
    'a program with nothing left to do': `await db.flush(); ${caught}`,
    'a program whose engine holds effects': `db.log.flushNow(); db.set('late', '1'); ${caught} setTimeout(() => {}, 50);`,
  };
  for (const [name, text] of Object.entries(cases)) {
    const dir = temporaryFolder();
    const other = temporaryFolder();
    const { code, output } = await program(
      t,
      dir,
      `const second = await open({ dir: ${JSON.stringify(other)} });
      db.set('k', 'v'); process.on('exit', () => { console.log('next listener'); });
      ${text}`,
      { head: TRAP },
    );
    assert.notEqual(code, 0, name);
    assert.equal(await found(dir, 'k'), 'v', name);
    assert.match(output, /next listener/, name);
  }
});

test('a trap in a thread ends the thread, and its folder can be opened', async (t) => {
  const dir = temporaryFolder();
  const thread = `${TRAP}
    const { open } = await import(${JSON.stringify(`file://${packageFolder}/esm/persist.js`)});
    const db = await open({ dir: ${JSON.stringify(dir)} });
    db.set('k', 'v'); await db.flush(); traps = true; db.get('k');`;
  const { code, output } = await program(
    t,
    temporaryFolder(),
    `const { Worker } = await import('node:worker_threads');
    const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(thread)})));
    worker.on('error', (error) => console.log(error.name));
    worker.on('exit', async (code) => {
      console.log('thread ended with', code);
      const again = await open({ dir: ${JSON.stringify(dir)} });
      console.log('found', again.get('k'));
      await again.close();
      await db.close();
    });`,
  );
  assert.equal(code, 0, output);
  assert.match(output, /thread ended with 1\nfound v/);
});

test('an exit whose changes cannot be written has a code that says so', async (t) => {
  const dir = temporaryFolder();
  const { code } = await program(
    t,
    dir,
    `const fs = (await import('node:fs')).default; const { syncBuiltinESMExports } = await import('node:module');
    db.onPersistence(() => {});
    fs.writeSync = () => { throw Object.assign(new Error('full'), { code: 'ENOSPC' }); }; syncBuiltinESMExports();
    db.set('k', 'v');`,
  );
  assert.equal(code, 1);
  assert.equal(fs.statSync(newestLog(dir)).size, 0);
  assert.equal(readFileSync(newestLog(dir)).length, 0);
});
