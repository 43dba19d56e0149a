/** Weight of single exports in a bundle: the code that they need, and no other. */

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';

import { build } from 'esbuild';
import { project } from './support/tarball.mjs';

const KB = 1024;

/** Entries of pages, by the files that have their exports. */
const ENTRIES = {
  keylatch: 'index',
  'keylatch/core': 'core',
  'keylatch/hints': 'hints',
  'keylatch/keyv': 'keyv',
  'keylatch/limits': 'limits',
  'keylatch/locks': 'locks',
  'keylatch/persist': 'persist-browser',
  'keylatch/remote': 'remote',
  'keylatch/tabs': 'tabs',
  'keylatch/testing': 'testing-browser',
  'keylatch/upstash': 'upstash',
};
/** Exports of more than 6 KB with gzip, in KB: locks and limits, what has the methods of all commands, and what needs a database. */
const LARGER = {
  locks: 21,
  redlock: 22,
  FlexibleLimiter: 7,
  RateLimitStore: 7,
  expressLimit: 17,
  fastifyLimit: 17,
  honoLimit: 17,
  expressIdempotency: 25,
  fastifyIdempotency: 25,
  honoIdempotency: 25,
  handleUpstashRequest: 12,
  upstashListener: 12,
  Commands: 14,
  BytesClient: 18,
  Client: 24,
  SharedClient: 18,
  SharedKeylatch: 25,
  RemoteKeylatch: 24,
  connect: 32,
  Keylatch: 38,
  PersistentKeylatch: 39,
  open: 49,
  share: 58,
  assertSession: 39,
  runSession: 39,
  assertSameKeys: 39,
  exploreRace: 47,
  adoptClients: 23,
};
const OTHERS_KB = 6;
/** Kept of a file by a bundler that does not know of `sideEffects`, with gzip: tables of texts, and objects that repeat others. */
const KEPT_BYTES_MAX = 900;
/** Files with effects: they define an element, and load the real ioredis. */
const WITH_EFFECTS = ['element.js', 'ioredis.js'];

let home;
let esm;
before(() => {
  home = project('weight', 'node');
  esm = join(home, 'node_modules/keylatch/esm');
});

async function weighed(contents, plugins = []) {
  const stdin = { contents, resolveDir: home };
  const options = { bundle: true, minify: true, write: false, format: 'esm', plugins };
  // The engine is weighed elsewhere.
  const { outputFiles } = await build({ ...options, stdin, external: ['*/engine.js', 'node:*', '*.wasm'] });
  const [{ contents: bytes }] = outputFiles;
  return bytes.length === 0 ? 0 : gzipSync(bytes, { level: 9 }).length;
}

for (const [entry, file] of Object.entries(ENTRIES)) {
  test(`each export of ${entry} alone`, async (t) => {
    const names = Object.keys(await import(pathToFileURL(join(esm, `${file}.js`)).href));
    assert.ok(names.length > 0);
    for (const name of names) {
      const bytes = await weighed(`export { ${name} } from '${entry}';`);
      t.diagnostic(`${name}: ${bytes} bytes`);
      assert.ok(bytes > 0 && bytes <= (LARGER[name] ?? OTHERS_KB) * KB, `${name}: ${bytes} bytes`);
    }
  });
}

test('of a file that is imported for nothing, next to nothing is kept', async (t) => {
  const effects = {
    name: 'effects',
    setup: (bundle) =>
      bundle.onResolve({ filter: /^\.\// }, ({ path, importer }) =>
        importer === '<stdin>'
          ? { path: join(esm, path), sideEffects: true }
          : { path, external: true, sideEffects: false },
      ),
  };
  const files = readdirSync(esm).filter((name) => name.endsWith('.js') && !WITH_EFFECTS.includes(name));
  for (const name of files) {
    const bytes = await weighed(`import './${name}';`, [effects]);
    if (bytes > 0) t.diagnostic(`${name}: ${bytes} bytes`);
    assert.ok(bytes <= KEPT_BYTES_MAX, `${name}: ${bytes} bytes`);
  }
});
