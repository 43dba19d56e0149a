/** Time of a fresh process to load a package, and from there to the first reply. */
import { spawnSync } from 'node:child_process';
import { effort, answer, isWanted, say } from './options.mjs';
import { entry } from '../../tests/js/support/package.mjs';
import { summarise } from './shared/rounds.mjs';
import { processorNs } from './support/time.mjs';

const NS_MS = 1e-6;

/** How each package is loaded, and its first command. */
const PACKAGES = {
  keylatch: [() => entry('index'), ({ Keylatch }) => new Keylatch().set('lock', 'me', { nx: true, px: 30_000 })],
  'lru-cache': [
    () => import('lru-cache'),
    ({ LRUCache }) => new LRUCache({ max: 1000, ttl: 30_000 }).set('lock', 'me'),
  ],
  'node-cache': [() => import('node-cache'), ({ default: NodeCache }) => new NodeCache().set('lock', 'me', 30)],
  'kv.js': [
    () => import('@heyputer/kv.js'),
    ({ default: KvJs }) => new KvJs().set('lock', 'me', { NX: true, PX: 30_000 }),
  ],
  'ioredis-mock': [
    () => import('ioredis-mock'),
    ({ default: Redis }) => new Redis().set('lock', 'me', 'PX', 30_000, 'NX'),
  ],
};

async function measure(name) {
  const [load, begin] = PACKAGES[name];
  let module;
  const loading = await processorNs(async () => {
    module = await load();
  });
  const beginning = await processorNs(() => begin(module));
  return { loading, beginning };
}

function measureApart(name) {
  const child = spawnSync(process.execPath, [import.meta.filename, name], { stdio: ['ignore', 'pipe', 'inherit'] });
  if (child.status !== 0) throw new Error(`starting ${name} failed`);
  return JSON.parse(child.stdout);
}

const ROWS = { 'loading the package': 'loading', 'from there to the first reply': 'beginning' };

const [name] = process.argv.slice(2);
if (name !== undefined) {
  process.stdout.write(JSON.stringify(await measure(name)));
  process.exit();
}
const rows = Object.entries(ROWS).filter(([row]) => isWanted(row));
if (rows.length > 0) {
  say('Starting');
  const names = Object.keys(PACKAGES);
  const times = Object.fromEntries(Object.values(ROWS).map((kind) => [kind, new Map(names.map((each) => [each, []]))]));
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const each of names) {
      for (const [kind, ns] of Object.entries(measureApart(each))) times[kind].get(each).push(ns * NS_MS);
    }
  }
  for (const [row, kind] of rows)
    answer({ table: 'A fresh process', row, unit: 'ms', ...summarise(names, times[kind]) });
}
