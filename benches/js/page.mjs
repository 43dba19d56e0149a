/** Script for the browser: a workbench that the driver calls by name. Bundled with the package and the peers. */
import KvJs from '@heyputer/kv.js';
import { Keylatch } from 'keylatch';
import { LRUCache } from 'lru-cache';
import { RespMap } from './shared/resp.mjs';
import { Workbench } from './shared/workbench.mjs';

const workbench = new Workbench({ Keylatch, KvJs, LRUCache, RespMap });

globalThis.bench = {
  prepare: (scenario) => workbench.prepare(scenario),
  ready: (row, store, count) => workbench.ready(row, store, count),
  finish: (row, store, count) => workbench.finish(row, store, count),
  /** Returns the elapsed time, at the resolution of the page's clock. */
  run: () => {
    const startMs = performance.now();
    workbench.run();
    return performance.now() - startMs;
  },
};
