/** A real workerd with the bundled template in it, and a client for its HTTP interface. */

import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { Miniflare } from 'miniflare';

import { output } from './build.mjs';

/** A folder for the objects' SQLite files, removed after the test `t`. */
export async function storageFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), 'keylatch-worker-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/**
 * Starts the Worker. `folder`: folder of the objects, so that a second start finds them again. `bundle`: `shipped` or
 * `faulty`. `bindings`: variables and secrets. Stopping kills workerd without a shutdown of the objects.
 */
export async function start(t, { folder, bundle = 'shipped', bindings = {} } = {}) {
  const miniflare = new Miniflare({
    modules: await modules(bundle),
    compatibilityDate: '2026-04-01',
    bindings,
    durableObjects: { SHARD: { className: 'Shard', useSQLite: true } },
    durableObjectsPersist: folder ?? (await storageFolder(t)),
    handleRuntimeStdio: drain,
  });
  let running = true;
  const stop = async () => {
    if (running) await miniflare.dispose();
    running = false;
  };
  t.after(stop);
  const url = await miniflare.ready;
  return { url, stop, ...client(url) };
}

/**
 * `post(body, { path, headers, method })` gives the response's status, headers and JSON. `call(...command)` runs a command in
 * the default namespace and gives its result; a server's error is thrown with its text as message.
 */
function client(url) {
  const post = async (body, { path = '/', headers = {}, method = 'POST' } = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
    const response = await fetch(new URL(path, url), { method, headers, body: raw ? body : JSON.stringify(body) });
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: method === 'HEAD' ? null : JSON.parse(text),
    };
  };
  const call = async (...command) => {
    const { json } = await post(command);
    if ('error' in json) throw new Error(json.error);
    return json.result;
  };
  return { post, call };
}

async function modules(bundle) {
  const folder = join(output, bundle);
  const names = (await readdir(folder)).filter((name) => /\.(js|wasm)$/.test(name));
  // The first module is the entry.
  names.sort((left, right) => Number(right === 'worker.js') - Number(left === 'worker.js'));
  return Promise.all(
    names.map(async (name) => ({
      type: name.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule',
      path: name,
      contents: await readFile(join(folder, name)),
    })),
  );
}

/** The tests provoke failures on purpose, so the Worker's log is hidden. KEYLATCH_TEST_LOG=1 prints it. */
function drain(stdout, stderr) {
  for (const stream of [stdout, stderr]) {
    if (process.env.KEYLATCH_TEST_LOG) stream.pipe(process.stderr);
    else stream.resume();
  }
}
