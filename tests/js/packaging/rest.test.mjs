/** One handler of the REST protocol in Node, Bun, Deno, a Worker and a service worker: the same responses everywhere. */

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';

import { build as bundle } from 'esbuild';
import { Miniflare } from 'miniflare';

import { answersAt, startBrowser } from './support/browser.mjs';
import { outcomes } from './fixtures/rest/checks.js';
import { project, run, script } from './support/tarball.mjs';

const EXPECTED = {
  set: [200, { result: 'OK' }],
  path: [200, { result: 'é' }],
  base64: [200, [{ result: 'w6k=' }, { result: 1 }, { error: "ERR unknown command 'NOPE'" }]],
  transaction: [200, [{ result: 2 }, { result: '2' }]],
  kept: [
    [200, { result: 1 }],
    [200, { result: 1 }],
    [409, { error: 'ERR this request id belongs to a request with another token or body' }],
  ],
  refused: 401,
  head: 200,
  tooLong: 413,
  pushed: [200, { result: 1 }],
  waited: [200, { result: ['q', 'a'] }],
  nothing: [200, { result: null }],
  events: ['text/event-stream', 'data: subscribe,news,1\n\ndata: message,news,x\n\n'],
};

const platform = `${process.platform}-${process.arch}`;
let home;
before(() => {
  home = project('rest');
});

test('Node, by a listener of node:http', () => {
  assert.deepEqual(JSON.parse(run(process.execPath, ['node.js'], { cwd: home })), EXPECTED);
});

test('Bun', () => {
  assert.deepEqual(JSON.parse(run(script(`@oven/bun-${platform}/bin/bun`), ['bun.js'], { cwd: home })), EXPECTED);
});

test('Deno', () => {
  const deno = script(`@deno/${platform}${process.platform === 'linux' ? '-glibc' : ''}/deno`);
  const options = ['run', '--no-prompt', '--node-modules-dir=manual', '--no-lock', '--allow-net', '--allow-read'];
  assert.deepEqual(JSON.parse(run(deno, [...options, 'deno.js'], { cwd: home })), EXPECTED);
});

/** Bundles one of the fixture's modules into a folder of its own. */
async function bundled(names, conditions) {
  const outdir = join(home, `dist-${names[0]}`);
  await bundle({
    entryPoints: names.map((name) => join(home, `${name}.js`)),
    outdir,
    bundle: true,
    format: 'esm',
    conditions,
    loader: { '.wasm': 'copy' },
    logLevel: 'warning',
  });
  return outdir;
}

test('a Worker', async () => {
  const folder = await bundled(['worker'], ['workerd', 'worker']);
  const modules = readdirSync(folder).map((name) => {
    const type = name.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule';
    return { type, path: join(folder, name), contents: readFileSync(join(folder, name)) };
  });
  modules.sort((a, b) => Number(a.type === 'CompiledWasm') - Number(b.type === 'CompiledWasm'));
  const worker = new Miniflare({ modules, modulesRoot: folder, compatibilityDate: '2026-04-01' });
  try {
    const { href } = await worker.ready;
    assert.deepEqual(await outcomes((path, init) => fetch(new URL(path, href), init)), EXPECTED);
  } finally {
    await worker.dispose();
  }
});

const TYPES = { '.html': 'text/html', '.js': 'text/javascript' };

/** Serves the fixture: a service worker needs a real address. */
async function serveFiles(folder) {
  const server = createServer(async (request, response) => {
    const name = request.url === '/' ? 'index.html' : request.url.slice(1);
    const from = name === 'index.html' ? home : folder;
    const body = await readFile(join(from, name)).catch(() => undefined);
    response
      .writeHead(body === undefined ? 404 : 200, { 'content-type': TYPES[extname(name)] ?? 'text/plain' })
      .end(body);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('a service worker', async () => {
  const server = await serveFiles(await bundled(['service-worker', 'page'], []));
  const browser = await startBrowser();
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  try {
    assert.deepEqual(await answersAt(browser, `http://127.0.0.1:${server.address().port}/`), EXPECTED);
  } finally {
    await browser.close();
  }
});
