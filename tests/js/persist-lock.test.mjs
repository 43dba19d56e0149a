// The lock of a folder: owners that live, die, stop, or run in another container.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { temporaryFolder } from './support/folders.mjs';
import { entry, folder as packageFolder } from './support/package.mjs';
import { until } from './support/until.mjs';

const { open } = await entry('persist');
const { createServer: createRedisServer } = await entry('server');

const HEAD = `import { open } from ${JSON.stringify(`file://${packageFolder}/esm/persist.js`)};\n`;
const LOCK = 'keylatch.lock';

/** Text of a program that opens a folder, says so, and stays. */
const owning = (dir, then = '') =>
  `const db = await open({ dir: ${JSON.stringify(dir)} }); console.log('ready'); ${then} setInterval(() => {}, 1000);`;

/** Arguments of `unshare`: process ids of its own, as a container has, and an end with its parent. */
const CONTAINER = ['--fork', '--pid', '--mount-proc', '--kill-child'];
const hasContainers = spawnSync('unshare', [...CONTAINER, 'true']).status === 0;
const skip = hasContainers ? false : 'namespaces need root on Linux';

/** Runs a program in another process, or in a container; `says` resolves to its output when it has a word. */
function program(t, text, isContained = false) {
  const file = join(temporaryFolder(), 'program.mjs');
  writeFileSync(file, HEAD + text);
  const node = [process.execPath, file];
  const [command, ...args] = isContained ? ['unshare', ...CONTAINER, ...node] : node;
  const child = spawn(command, args);
  t.after(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    output += chunk;
  });
  // unshare complains when its program is killed.
  if (!isContained) child.stderr.pipe(process.stderr);
  const ended = once(child, 'exit');
  const says = async (pattern) => {
    await until(() => pattern.test(output) || child.exitCode !== null, `output ${pattern}`);
    assert.match(output, pattern);
    return output;
  };
  return { child, ended, says };
}

/** Id of the process in a container, as it is outside. The container ends with it. */
const containedIn = ({ pid }) => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'));

const lockOf = (dir) => JSON.parse(readFileSync(join(dir, LOCK), 'utf8'));
const socketsIn = (dir) => readdirSync(dir).filter((name) => name.endsWith('.sock'));

/** A lock as a killed process leaves it: the file, and the socket on which nothing listens. */
async function killedLock(t) {
  const dir = temporaryFolder();
  const { child, ended, says } = program(t, owning(dir));
  await says(/ready/);
  child.kill('SIGKILL');
  await ended;
  return dir;
}

test('the lock names a socket of its owner, and both go with it', async () => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  const { pid, id, socket } = lockOf(dir);
  assert.equal(pid, process.pid);
  assert.equal(socket, `keylatch-${id}.sock`);
  const status = statSync(join(dir, socket));
  assert.ok(status.isSocket());
  assert.equal(status.mode & 0o777, 0o666);
  assert.deepEqual(readdirSync(dir).sort(), ['appendonlydir', socket, LOCK].sort());
  await db.close();
  assert.deepEqual(readdirSync(dir), ['appendonlydir']);
  const snapshots = await createRedisServer({ port: 0, dir, appendonly: 'no' }).listen();
  await assert.rejects(open({ dir }), { code: 'IN_USE', message: /in use by this process/ });
  await snapshots.close();
});

test('two engines that open a folder at once: one gets it', async () => {
  const dir = temporaryFolder();
  const results = await Promise.allSettled(Array.from({ length: 5 }, () => open({ dir })));
  const got = results.filter(({ status }) => status === 'fulfilled');
  assert.equal(got.length, 1);
  for (const { reason } of results.filter(({ status }) => status === 'rejected')) {
    assert.equal(reason.code, 'IN_USE', reason.stack);
    assert.match(reason.message, /in use by this process/);
  }
  await got[0].value.close();
  assert.deepEqual(readdirSync(dir), ['appendonlydir']);
});

test('a stopped owner and a busy one keep the folder', async (t) => {
  const dir = temporaryFolder();
  const stopped = program(t, owning(dir));
  await stopped.says(/ready/);
  stopped.child.kill('SIGSTOP');
  for (let attempt = 0; attempt < 20; attempt += 1)
    await assert.rejects(open({ dir }), { code: 'IN_USE', message: new RegExp(`process ${stopped.child.pid}: close`) });
  stopped.child.kill('SIGKILL');
  await stopped.ended;
  const busy = program(t, owning(dir, 'for (const end = Date.now() + 10_000; Date.now() < end; );'));
  await busy.says(/ready/);
  for (const end = Date.now() + 2500; Date.now() < end; ) await assert.rejects(open({ dir }), { code: 'IN_USE' });
  busy.child.kill('SIGKILL');
});

test('a socket that takes no more connections is alive', async (t) => {
  const dir = temporaryFolder();
  const { child, says } = program(t, owning(dir));
  await says(/ready/);
  child.kill('SIGSTOP');
  const fill = `import { connect } from 'node:net';
    let full = 0;
    for (let i = 0; i < 1200; i += 1) connect(${JSON.stringify(join(dir, lockOf(dir).socket))})
      .on('error', ({ code }) => { if (code === 'EAGAIN' && (full += 1) === 1) console.log('full'); });
    setInterval(() => {}, 1000);`;
  const filler = program(t, fill);
  await filler.says(/full/);
  await assert.rejects(open({ dir }), { code: 'IN_USE', message: new RegExp(`process ${child.pid}: close`) });
});

test('a killed owner does not keep the folder, whatever process has its id', async (t) => {
  const dir = await killedLock(t);
  const { socket, ...lock } = lockOf(dir);
  assert.ok(existsSync(join(dir, socket)), 'a killed process leaves its socket');
  for (const text of [
    { ...lock, socket, pid: process.pid, started: null },
    { ...lock, socket: 'keylatch-00.sock', pid: process.pid, started: null },
  ]) {
    writeFileSync(join(dir, LOCK), JSON.stringify(text));
    const db = await open({ dir });
    assert.deepEqual(socketsIn(dir), [lockOf(dir).socket], 'dead sockets are deleted');
    await db.close();
  }
  // The kernel that would answer runs no more.
  writeFileSync(join(dir, LOCK), JSON.stringify({ ...lock, socket, boot: 'another', host: 'elsewhere' }));
  await assert.rejects(open({ dir }), /on elsewhere, another machine/);
});

test('a lock whose socket answers is alive, whatever its process id', async (t) => {
  const dir = await killedLock(t);
  const { socket, ...lock } = lockOf(dir);
  unlinkSync(join(dir, socket));
  const server = createServer().listen(join(dir, socket));
  await once(server, 'listening');
  t.after(() => server.close());
  writeFileSync(join(dir, LOCK), JSON.stringify({ ...lock, socket, host: 'container', started: '1' }));
  await assert.rejects(open({ dir }), { code: 'IN_USE', message: /in use by process \d+ on container: close it/ });
  for (const name of ['../x.sock', 7, 'keylatch-.sock', '']) {
    writeFileSync(join(dir, LOCK), JSON.stringify({ ...lock, socket: name }));
    await assert.rejects(open({ dir }), { code: 'IN_USE', message: /unknown process/ });
  }
});

test('a lock of an older version, without a socket, is judged by its process', async (t) => {
  const dir = await killedLock(t);
  const { socket, id, ...old } = lockOf(dir);
  const living = { ...old, pid: process.pid, started: null };
  writeFileSync(join(dir, LOCK), JSON.stringify(living));
  await assert.rejects(open({ dir }), { code: 'IN_USE', message: /in use by process \d+: close/ });
  for (const change of [{ started: '1' }, { boot: 'another' }, { pid: 2 ** 22 + 1 }]) {
    writeFileSync(join(dir, LOCK), JSON.stringify({ ...living, ...change }));
    await (await open({ dir })).close();
  }
});

test('folders whose path is longer than that of a socket may be', async (t) => {
  const short = temporaryFolder();
  const dir = join(short, 'x'.repeat(90), 'y'.repeat(90));
  mkdirSync(dir, { recursive: true });
  const { child, ended, says } = program(t, owning(dir));
  await says(/ready/);
  assert.equal(socketsIn(dir).length, process.platform === 'linux' ? 1 : 0);
  const byLink = join(short, 'link');
  symlinkSync(dir, byLink);
  for (const path of [dir, byLink]) await assert.rejects(open({ dir: path }), { code: 'IN_USE' });
  child.kill('SIGKILL');
  await ended;
  const db = await open({ dir });
  assert.deepEqual(readdirSync(short).sort(), ['link', 'x'.repeat(90)], 'no socket under a name that was cut');
  await db.close();
  assert.deepEqual(readdirSync(dir), ['appendonlydir']);
});

test('a worker thread that is terminated does not keep the folder', async () => {
  const long = join(temporaryFolder(), 'x'.repeat(120));
  mkdirSync(long);
  for (const dir of [temporaryFolder(), long]) {
    const text = `import(${JSON.stringify(`file://${packageFolder}/esm/persist.js`)}).then(async ({ open }) => {
      globalThis.db = await open({ dir: ${JSON.stringify(dir)} });
      require('node:worker_threads').parentPort.postMessage('ready');
      setInterval(() => {}, 1000);
    });`;
    const worker = new Worker(text, { eval: true });
    await once(worker, 'message');
    await assert.rejects(open({ dir }), { code: 'IN_USE', message: /in use by this process/ });
    await worker.terminate();
    assert.ok(existsSync(join(dir, LOCK)), 'a terminated thread leaves its lock');
    await (await open({ dir })).close();
    assert.deepEqual(readdirSync(dir), ['appendonlydir']);
  }
});

test('a worker of a cluster owns the folder by itself, also without its primary process', async (t) => {
  const dir = temporaryFolder();
  const text = `import cluster from 'node:cluster';
    if (cluster.isPrimary) cluster.fork();
    else { await open({ dir: ${JSON.stringify(dir)} }); console.log('ready'); setInterval(() => {}, 1000); }`;
  const { child, ended, says } = program(t, text);
  await says(/ready/);
  const { pid } = lockOf(dir);
  process.kill(pid, 'SIGSTOP');
  t.after(() => {
    // Its output would keep this process alive.
    if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
  });
  child.kill('SIGKILL');
  await ended;
  await assert.rejects(open({ dir }), { code: 'IN_USE', message: new RegExp(`process ${pid}: close`) });
  process.kill(pid, 'SIGKILL');
  // The worker is no child of this process: its end is seen by what it leaves.
  let db;
  for (const end = Date.now() + 20_000; db === undefined && Date.now() < end; await sleep(20))
    db = await open({ dir }).catch(() => undefined);
  await db.close();
});

test('the socket keeps no process alive, and a process that ends by itself releases the folder', async (t) => {
  const dir = temporaryFolder();
  const { child, ended } = program(t, `await open({ dir: ${JSON.stringify(dir)} });`);
  await ended;
  assert.equal(child.exitCode, 0);
  assert.deepEqual(readdirSync(dir), ['appendonlydir']);
});

test('a release leaves the lock of another owner alone', async () => {
  const dir = temporaryFolder();
  const db = await open({ dir });
  renameSync(join(dir, LOCK), join(dir, 'moved'));
  const other = await open({ dir });
  await db.close();
  assert.deepEqual(socketsIn(dir), [lockOf(dir).socket]);
  await assert.rejects(open({ dir }), { code: 'IN_USE' });
  await other.close();
  rmSync(join(dir, 'moved'));
  assert.deepEqual(readdirSync(dir), ['appendonlydir']);
});

test('twenty kills, and each next process opens the folder by itself', async (t) => {
  const dir = temporaryFolder();
  for (let round = 0; round < 20; round += 1) {
    const text = `const db = await open({ dir: ${JSON.stringify(dir)} });
      db.incr('n'); await db.flush(); console.log('n=' + db.get('n') + ';'); setInterval(() => {}, 1000);`;
    const isContained = hasContainers && round % 2 === 1;
    const { child, ended, says } = program(t, text, isContained);
    await says(new RegExp(`n=${round + 1};`));
    process.kill(isContained ? containedIn(child) : child.pid, 'SIGKILL');
    await ended;
  }
});

test('a process that takes over keeps others away', async (t) => {
  const dir = await killedLock(t);
  const text = readFileSync(join(dir, LOCK), 'utf8');
  const guard = join(dir, await guardOf(text));
  const home = temporaryFolder();
  const db = await open({ dir: home });
  const { socket, ...lock } = lockOf(home);
  await db.close();
  writeFileSync(guard, JSON.stringify({ ...lock, started: null }));
  await assert.rejects(open({ dir }), { code: 'IN_USE', file: guard });
  assert.equal(readFileSync(join(dir, LOCK), 'utf8'), text);
  writeFileSync(guard, JSON.stringify({ ...lock, socket }));
  await (await open({ dir })).close();
  assert.deepEqual(readdirSync(dir), ['appendonlydir']);
});

test('processes that race for the lock of a dead one, also one that died while it took over: one gets it', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    const dir = await killedLock(t);
    // Guard and draft of a process that was killed meanwhile.
    if (round > 0) {
      const text = readFileSync(join(dir, LOCK), 'utf8');
      writeFileSync(join(dir, `${LOCK}.draft-00`), text);
      writeFileSync(join(dir, await guardOf(text)), text.replace(/"id":"./, '"id":"x'));
    }
    const text = `console.log('up');
      await new Promise((ready) => process.stdin.once('data', ready));
      try { await open({ dir: ${JSON.stringify(dir)} }); console.log('GOT'); }
      catch (error) { console.log(error.code); }
      setInterval(() => {}, 1000);`;
    const racers = Array.from({ length: 6 }, (_, index) => program(t, text, hasContainers && index % 2 === 0));
    await Promise.all(racers.map(({ says }) => says(/up/)));
    for (const { child } of racers) child.stdin.write('go\n');
    const said = await Promise.all(racers.map(({ says }) => says(/GOT|IN_USE/)));
    assert.equal(said.filter((output) => output.includes('GOT')).length, 1, said.join());
    await until(() => socketsIn(dir).length === 1, 'one socket');
    assert.deepEqual(readdirSync(dir).sort(), ['appendonlydir', ...socketsIn(dir), LOCK].sort());
    for (const { child } of racers) child.kill('SIGKILL');
  }
});

/** Name of the guard of a lock, which holds the checksum of its contents. */
async function guardOf(text) {
  const { crc32 } = await import('node:zlib');
  return `${LOCK}.takeover-${crc32(text).toString(16)}`;
}

test('one container has the folder while another tries, and its end frees it', { skip }, async (t) => {
  const dir = temporaryFolder();
  const first = program(t, owning(dir, "db.set('k', 'v'); await db.flush();"), true);
  await first.says(/ready/);
  assert.equal(lockOf(dir).pid, 1);
  const tries = `try { await open({ dir: ${JSON.stringify(dir)} }); console.log('GOT'); } catch (error) { console.log(error.code); }`;
  await program(t, tries, true).says(/IN_USE/);
  await program(t, tries).says(/IN_USE/);
  process.kill(containedIn(first.child), 'SIGKILL');
  await first.ended;
  const again = `const db = await open({ dir: ${JSON.stringify(dir)} }); console.log('GOT ' + db.get('k'));`;
  await program(t, again, true).says(/GOT v/);
});
