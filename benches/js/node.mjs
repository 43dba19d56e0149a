/** All scenes in Node, each in a process of its own; time is what the process had of the processors. */
import { spawnSync } from 'node:child_process';
import KvJs from '@heyputer/kv.js';
import { LRUCache } from 'lru-cache';
import NodeCache from 'node-cache';
import { entry } from '../../tests/js/support/package.mjs';
import { say } from './options.mjs';
import { measureScene, sceneToPrepare, wantedScenes } from './scene.mjs';
import { RespMap } from './shared/resp.mjs';
import { Workbench } from './shared/workbench.mjs';
import { processorNs } from './support/time.mjs';

async function run(scene) {
  const { Keylatch } = await entry('index');
  const workbench = new Workbench({ Keylatch, KvJs, LRUCache, NodeCache, RespMap });
  workbench.prepare(sceneToPrepare(scene));
  await measureScene(scene, async (row, store, count) => {
    workbench.ready(row, store, count);
    const ns = await processorNs(() => workbench.run());
    workbench.finish(row, store, count);
    return ns;
  });
}

const scenes = wantedScenes('node');
const [wanted] = process.argv.slice(2);
if (wanted === undefined) {
  for (const [index, scene] of scenes.entries()) {
    say(`Node, scene ${index + 1} of ${scenes.length}: ${scene.name}`);
    const { status } = spawnSync(process.execPath, [import.meta.filename, scene.name], { stdio: ['ignore', 'inherit', 'inherit'] });
    if (status !== 0) process.exit(1);
  }
} else {
  await run(scenes.find((scene) => scene.name === wanted));
}
