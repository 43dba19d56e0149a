/**
 * The Worker with a Durable Object on workerd, in turns beside objects of the same Worker that do nothing, or write one row a
 * call; one socket in turns beside one that echoes; and how long a namespace takes to wake. Needs the bundles of tests/worker/support/build.mjs.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as send } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { start, TOKEN } from '../../tests/worker/support/host.mjs';
import { encode } from '../../tests/worker/support/sockets.mjs';
import { answer, isWanted, quick, say } from './options.mjs';
import { median, summarise } from './shared/rounds.mjs';
import { exchange, openSocket } from './support/messages.mjs';
import { processNs } from './support/processes.mjs';
import { Scope } from './support/scope.mjs';

const TABLE = 'A Durable Object';
const CROWD = 32;
const ROUNDS = quick ? 1 : 7;
const WAKES = quick ? 1 : 7;
const NS_MS = 1e-6;
const NS_S = 1e9;
/** A file system in memory, where Linux has one: there a write costs no time on the medium. */
const MEMORY = '/dev/shm';

const NOTHING = { path: '/nothing' };
const ROW = { path: '/row' };
const GET = { path: '/get/k' };
let keys = 0;
const setnx = () => ({ path: '/', body: `["SETNX","key:${(keys += 1)}","v"]` });

function ask(agent, url, { path, body }) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${TOKEN}`,
      ...(body ? { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } : {}),
    };
    const asked = send(new URL(path, url), { agent, method: body ? 'POST' : 'GET', headers }, (response) => {
      if (response.statusCode !== 200) reject(new Error(`status ${response.statusCode} of ${path}`));
      response.resume().on('end', resolve);
    });
    asked.on('error', reject).end(body);
  });
}

/** Sends requests over a number of connections; processor time of workerd and time that passed, in nanoseconds each. */
async function load({ url, pid }, make, connections, requests) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const before = processNs(pid);
  const begin = process.hrtime.bigint();
  let left = requests;
  const client = async () => {
    for (; left > 0; ) {
      left -= 1;
      await ask(agent, url, make());
    }
  };
  await Promise.all(Array.from({ length: connections }, client));
  const passed = Number(process.hrtime.bigint() - begin);
  agent.destroy();
  return { processor: (processNs(pid) - before) / requests, rate: (requests / passed) * NS_S };
}

/** One row: loads by name take turns in rounds; `figure` is the field of their results. */
async function compare(worker, row, { loads, connections, requests, figure, unit }) {
  const names = Object.keys(loads);
  const figures = new Map(names.map((name) => [name, []]));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length];
      const result = await load(worker, loads[name], connections, requests);
      if (round > 0 || quick) figures.get(name).push(result[figure]);
    }
  }
  answer({ table: TABLE, row, unit, ...summarise(names, figures) });
}

/** Rows of one medium. */
async function measureOn(place, folder) {
  const reads = place === 'disk' ? ['GET'] : [];
  const rows = [...reads, `SETNX, ${CROWD} connections, ${place}`, `SETNX, 1 connection, ${place}`];
  const wanted = rows.filter(isWanted);
  if (wanted.length === 0) return;
  const scope = new Scope();
  const storage = mkdtempSync(join(folder, 'keylatch-bench-'));
  try {
    const worker = await start(scope, { folder: storage, bundle: 'beside' });
    await worker.call('SET', 'k', 'v');
    for (const row of wanted) {
      const connections = row === `SETNX, 1 connection, ${place}` ? 1 : CROWD;
      const requests = quick ? 64 : connections === 1 ? 150 : 1000;
      if (row === 'GET') {
        const loads = { keylatch: () => GET, nothing: () => NOTHING };
        await compare(worker, row, { loads, connections, requests, figure: 'processor', unit: 'ns' });
      } else {
        const loads = { keylatch: setnx, nothing: () => NOTHING, 'one row': () => ROW };
        await compare(worker, row, { loads, connections, requests, figure: 'rate', unit: '/s' });
      }
    }
  } finally {
    await scope.close();
    rmSync(storage, { recursive: true });
  }
}

const IN_FLIGHT = 100;
const PIPELINE = Array.from({ length: IN_FLIGHT }, () => ['GET', 'k']);
/** One command a message, or a hundred; `messages` are those of a round. */
const SOCKET_ROWS = {
  [`socket GET, ${IN_FLIGHT} in flight`]: { message: encode(['GET', 'k']), answerBytes: 7, messages: 20_000 },
  [`socket SET, ${IN_FLIGHT} in flight, disk`]: {
    message: encode(['SET', 'n', 'v']),
    answerBytes: 5,
    messages: 10_000,
  },
  [`socket GET, ${IN_FLIGHT} a message`]: {
    message: encode(...PIPELINE),
    answerBytes: 7 * IN_FLIGHT,
    messages: 4000,
    inFlight: 1,
    commands: IN_FLIGHT,
  },
};

/** Commands a second over one socket, beside messages a second of an object that sends each one back. */
async function measureSockets() {
  const wanted = Object.entries(SOCKET_ROWS).filter(([row]) => isWanted(row));
  if (wanted.length === 0) return;
  const scope = new Scope();
  const storage = mkdtempSync(join(tmpdir(), 'keylatch-bench-'));
  try {
    const worker = await start(scope, { folder: storage, bundle: 'beside' });
    await worker.call('SET', 'k', 'v');
    const [ours, echo] = [await openSocket(scope, worker, '/'), await openSocket(scope, worker, '/echo')];
    for (const [row, load] of wanted) answer(await besideEcho(row, { ours, echo }, load));
  } finally {
    await scope.close();
    rmSync(storage, { recursive: true });
  }
}

async function besideEcho(row, sockets, { message, answerBytes, messages, inFlight = IN_FLIGHT, commands = 1 }) {
  const single = encode(['GET', 'k']);
  const count = quick ? IN_FLIGHT : messages;
  const loads = {
    keylatch: async () => commands * (await exchange(sockets.ours, { message, answerBytes, inFlight, count })),
    echo: () =>
      exchange(sockets.echo, { message: single, answerBytes: single.length, inFlight: IN_FLIGHT, count: 2 * count }),
  };
  const names = Object.keys(loads);
  const figures = new Map(names.map((name) => [name, []]));
  // The first round warms up.
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length];
      const rate = await loads[name]();
      if (round > 0 || quick) figures.get(name).push(rate);
    }
  }
  return { table: TABLE, row, unit: '/s', ...summarise(names, figures) };
}

/** Fills namespaces: 1,000 keys with a row of the log each, 100,000 keys with a row for 20. */
async function fill(folder, namespaces) {
  const scope = new Scope();
  const { post } = await start(scope, { folder, bundle: 'beside' });
  try {
    for (const [namespace, { count, perRow }] of Object.entries(namespaces)) {
      for (let first = 0; first < count; first += perRow) {
        const commands = Array.from({ length: perRow }, (_, index) => ['SET', `key:${first + index}`, 'v'.repeat(20)]);
        await post(commands, { path: `/namespace/${namespace}/pipeline` });
      }
    }
  } finally {
    await scope.close();
  }
}

/** Milliseconds of processor time until a namespace has answered its first request, in a process of its own. */
async function wake(folder, namespace, count) {
  const scope = new Scope();
  try {
    const { post, pid } = await start(scope, { folder, bundle: 'beside' });
    // The Worker is there, and no object.
    await post(['PING'], { token: null });
    const before = processNs(pid);
    const { json } = await post(['DBSIZE'], { path: `/namespace/${namespace}` });
    const passed = (processNs(pid) - before) * NS_MS;
    if (json.result !== count) throw new Error(`${json.result} keys instead of ${count}`);
    return passed;
  } finally {
    await scope.close();
  }
}

async function measureWakes() {
  const namespaces = {
    'wake, 1,000 keys': { namespace: 'thousand', count: quick ? 20 : 1000, perRow: 1 },
    'wake, 100,000 keys': { namespace: 'many', count: quick ? 40 : 100_000, perRow: 20 },
  };
  const wanted = Object.entries(namespaces).filter(([row]) => isWanted(row));
  if (wanted.length === 0) return;
  const folder = mkdtempSync(join(tmpdir(), 'keylatch-bench-'));
  try {
    await fill(folder, Object.fromEntries(wanted.map(([, layout]) => [layout.namespace, layout])));
    for (const [row, { namespace, count }] of wanted) {
      const times = new Map([
        ['keylatch', []],
        ['empty', []],
      ]);
      for (let round = 0; round < WAKES; round += 1) {
        times.get('keylatch').push(await wake(folder, namespace, count));
        times.get('empty').push(await wake(folder, 'empty', 0));
      }
      const [ours, empty] = [median(times.get('keylatch')), median(times.get('empty'))];
      answer({ table: TABLE, row, unit: 'ms', figures: { keylatch: ours, empty }, ratios: { empty: ours / empty } });
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
}

say(TABLE);
await measureOn('disk', tmpdir());
await measureOn('memory', process.platform === 'linux' ? MEMORY : tmpdir());
await measureSockets();
await measureWakes();
