/** All scenarios in Node, each in processes of its own; time is processor time of the process. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import KvJs from '@heyputer/kv.js';
import { LRUCache } from 'lru-cache';
import NodeCache from 'node-cache';
import { entry } from '../../tests/js/support/package.mjs';
import { landedFolder } from './options.mjs';
import { answerScenarios, measureScenario, scenarioToPrepare, wantedScenarios } from './scenario.mjs';
import { RespMap } from './shared/resp.mjs';
import { Workbench } from './shared/workbench.mjs';
import { processorNs } from './support/time.mjs';

async function loadLanded() {
  if (landedFolder === undefined) return undefined;
  return (await import(pathToFileURL(join(landedFolder, 'esm/index.js')).href)).Keylatch;
}

async function run(scenario) {
  const { Keylatch } = await entry('index');
  const workbench = new Workbench({ Keylatch, Landed: await loadLanded(), KvJs, LRUCache, NodeCache, RespMap });
  workbench.prepare(scenarioToPrepare(scenario));
  return measureScenario(scenario, async (row, store, count) => {
    workbench.ready(row, store, count);
    const ns = await processorNs(() => workbench.run());
    workbench.finish(row, store, count);
    return ns;
  });
}

/** Measures a scenario in a new process. */
function runApart(scenario) {
  const { status, stdout } = spawnSync(process.execPath, [import.meta.filename, scenario.name], {
    stdio: ['ignore', 'pipe', 'inherit'],
    encoding: 'utf8',
  });
  if (status !== 0) process.exit(1);
  return JSON.parse(stdout);
}

const SUITE = 'node';
const [wanted] = process.argv.slice(2);
if (wanted === undefined) {
  await answerScenarios(SUITE, runApart);
} else {
  const rows = await run(wantedScenarios(SUITE).find((scenario) => scenario.name === wanted));
  process.stdout.write(JSON.stringify(rows));
}
