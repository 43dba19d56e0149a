/**
 * The commands through ioredis, either on ioredis-mock in this process (`mock`) or on a real redis-server over
 * loopback. Each command is awaited before the next is sent, or a thousand are pipelined; keylatch is called
 * synchronously, as always. A plain Map is measured beside it.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import RedisMock from 'ioredis-mock';
import { serveRedis } from '../../tests/clients/support/redis.mjs';
import { entry } from '../../tests/js/support/package.mjs';
import { answer, effort, isWanted, quick, say } from './options.mjs';
import { summarise, takeRounds } from './shared/rounds.mjs';
import { Scope } from './support/scope.mjs';
import { processorNs, wallNs } from './support/time.mjs';

const KEYS = 1000;
const IN_FLIGHT = 1000;
const TTL_MS = 60_000;
const VALUE = 'x'.repeat(32);

// Created beforehand: creating a key takes about as long as a GET does.
const made = (prefix) => Array.from({ length: KEYS }, (_, number) => `${prefix}${number}`);
const [keys, counters] = [made('user:'), made('hits:')];
const key = (index) => keys[index % KEYS];
const counter = (index) => counters[index % KEYS];

/** Expected first result, and one turn in keylatch, through ioredis and in a Map. */
const OPERATIONS = {
  SET: {
    first: 'OK',
    keylatch: (store, index) => store.set(key(index), VALUE),
    ioredis: (client, index) => client.set(key(index), VALUE),
    map: (map, index) => map.set(key(index), VALUE),
  },
  GET: {
    first: VALUE,
    keylatch: (store, index) => store.get(key(index)),
    ioredis: (client, index) => client.get(key(index)),
    map: (map, index) => map.get(key(index)),
  },
  'SET NX PX': {
    first: null,
    keylatch: (store, index) => store.set(key(index), VALUE, { nx: true, px: TTL_MS }),
    ioredis: (client, index) => client.set(key(index), VALUE, 'PX', TTL_MS, 'NX'),
  },
  INCR: {
    first: 1,
    keylatch: (store, index) => store.incr(counter(index)),
    ioredis: (client, index) => client.incr(counter(index)),
    map: (map, index) => map.set(counter(index), String(Number(map.get(counter(index)) ?? 0) + 1)),
  },
};

async function oneByOne(run, store, count) {
  for (let index = 0; index < count; index += 1) await run(store, index);
}

async function inFlight(run, store, count) {
  for (let from = 0; from < count; from += IN_FLIGHT) {
    const length = Math.min(IN_FLIGHT, count - from);
    await Promise.all(Array.from({ length }, (_, index) => run(store, from + index)));
  }
}

function atOnce(run, store, count) {
  for (let index = 0; index < count; index += 1) run(store, index);
}

/** Rows of one client and keylatch; `take` measures a sample. */
async function measureClient(peer, client, take) {
  const { Keylatch } = await entry('index');
  const store = new Keylatch();
  const entries = new Map();
  for (const [operation, { first, keylatch, ioredis, map }] of Object.entries(OPERATIONS)) {
    const row = `${operation}, ${peer}`;
    assert.equal(keylatch(store, 0), first, row);
    assert.equal(await ioredis(client, 0), first, row);
    if (!isWanted(row)) continue;
    const columns = {
      keylatch: (count) => atOnce(keylatch, store, count),
      [`${peer}, one by one`]: (count) => oneByOne(ioredis, client, count),
      [`${peer}, 1000 in flight`]: (count) => inFlight(ioredis, client, count),
      ...(map && { Map: (count) => atOnce(map, entries, count) }),
    };
    const sample = (name, count) => take(() => columns[name](count));
    const names = Object.keys(columns);
    const times = await takeRounds({ ...effort, names, countMax: quick ? 100 : Infinity, sample });
    answer({ table: `Beside ${peer}`, row, unit: 'ns', ...summarise(names, times) });
  }
  client.disconnect();
}

/** A client of a real server that is closed with the scope. */
async function connect(scope) {
  const { port } = await serveRedis(scope);
  const client = new Redis({ port, host: '127.0.0.1' });
  await once(client, 'ready');
  return client;
}

const [way] = process.argv.slice(2);
say('Clients of Redis');
if (way === 'mock') {
  await measureClient('ioredis-mock', new RedisMock(), processorNs);
} else {
  const scope = new Scope();
  try {
    await measureClient('ioredis over loopback', await connect(scope), wallNs);
  } finally {
    await scope.close();
  }
}
