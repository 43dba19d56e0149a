/** A real workerd with a bundled Worker in it, and a client for its HTTP interface. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

import workerd from 'workerd';

import { COMPATIBILITY_DATE, output } from './build.mjs';

/** The token that tests send, and the Worker expects, unless they say otherwise. */
export const TOKEN = 'correct horse';

let starts = 0;

/** A folder for the objects' SQLite files, removed after the test `t`. */
export async function storageFolder(t) {
  const folder = await mkdtemp(join(tmpdir(), 'keylatch-worker-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** Files of the objects in a folder. The platform's own for alarms is always there. */
export async function objectFiles(folder) {
  const names = await readdir(folder, { recursive: true });
  return names.filter((name) => name.endsWith('.sqlite') && !name.endsWith('metadata.sqlite'));
}

/**
 * Starts the Worker. `folder`: folder of the objects, so that a second start finds them again. `bundle`: `shipped`, `faulty`
 * `sleeping` or `scripting`. `bindings`: variables and secrets. `port`: that of an earlier start, which clients know. `logs`:
 * `logged()` gives the lines of JSON that the Worker has logged. Stopping kills workerd without a shutdown of the objects.
 */
export async function start(
  t,
  { folder, bundle = 'shipped', bindings = { KEYLATCH_TOKEN: TOKEN }, port = 0, logs = false } = {},
) {
  const config = join(output, bundle, `config-${process.pid}-${(starts += 1)}.capnp`);
  await writeFile(config, await configuration(bundle, folder ?? (await storageFolder(t)), bindings, port));
  const stdio = ['ignore', ...logging(logs), 'pipe'];
  const options = bundle === 'sleeping' ? ['--experimental'] : [];
  const child = spawn(workerd.default, ['serve', '--control-fd=3', ...options, config], { stdio });
  const ended = once(child, 'exit');
  const lines = logs ? linesOf(child.stdout, child.stderr) : [];
  const stop = async () => {
    child.kill('SIGKILL');
    await ended;
    await rm(config, { force: true });
  };
  t.after(stop);
  const bound = await listening(child, ended);
  const url = `http://127.0.0.1:${bound}/`;
  const logged = () => lines.filter((line) => line.startsWith('{"level"')).map((line) => JSON.parse(line));
  return { url, port: bound, stop, pid: child.pid, lines, logged, ...client(url) };
}

async function listening(child, ended) {
  const failed = ended.then(([code]) => {
    throw new Error(`workerd ended with ${code}; KEYLATCH_TEST_LOG=1 shows why`);
  });
  failed.catch(() => {});
  const [line] = await Promise.race([once(createInterface({ input: child.stdio[3] }), 'line'), failed]);
  return JSON.parse(line).port;
}

/**
 * `post(body, { path, headers, method, token })` gives the response's status, headers and JSON; the token null sends none.
 * `call(...command)` runs a command in the default namespace and gives its result; a server's error is thrown with its text as
 * message.
 */
function client(url) {
  const send = (body, { path = '/', headers = {}, method = 'POST', token = TOKEN, signal } = {}) => {
    const raw = typeof body === 'string' || body instanceof Uint8Array || body === undefined;
    const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
    return fetch(new URL(path, url), {
      method,
      headers: { ...authorization, ...headers },
      body: raw ? body : JSON.stringify(body),
      signal,
    });
  };
  const post = async (body, options) => {
    const response = await send(body, options);
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === '' ? null : JSON.parse(text),
    };
  };
  const call = async (...command) => {
    const { json } = await post(command);
    if ('error' in json) throw new Error(json.error);
    return json.result;
  };
  return { send, post, call };
}

async function configuration(bundle, folder, bindings, port) {
  const text = JSON.stringify;
  const names = (await readdir(join(output, bundle))).filter((name) => /\.(js|wasm)$/.test(name));
  // The first module is the entry.
  names.sort((left, right) => Number(right === 'worker.js') - Number(left === 'worker.js'));
  const modules = names.map(
    (name) => `(name = ${text(name)}, ${name.endsWith('.wasm') ? 'wasm' : 'esModule'} = embed ${text(name)})`,
  );
  const values = Object.entries(bindings).map(
    ([name, value]) => `(name = ${text(name)}, text = ${text(String(value))})`,
  );
  return `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "main", worker = .main),
    (name = "disk", disk = (path = ${text(folder)}, writable = true)),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", http = (), service = "main")],
);
const main :Workerd.Worker = (
  compatibilityDate = ${text(COMPATIBILITY_DATE)},
  compatibilityFlags = [${bundle === 'sleeping' ? text('unsafe_module') : ''}],
  modules = [${modules.join(', ')}],
  durableObjectNamespaces = [(className = "KeylatchObject", uniqueKey = "keylatch", enableSql = true)],
  durableObjectStorage = (localDisk = "disk"),
  bindings = [${['(name = "KEYLATCH", durableObjectNamespace = "KeylatchObject")', ...values].join(', ')}],
);
`;
}

/** The tests provoke failures on purpose, so the Worker's log is hidden. KEYLATCH_TEST_LOG=1 prints it. */
function logging(areRead) {
  if (areRead) return ['pipe', 'pipe'];
  return process.env.KEYLATCH_TEST_LOG ? ['inherit', 'inherit'] : ['ignore', 'ignore'];
}

/** Lines of some streams, as they come. */
function linesOf(...streams) {
  const lines = [];
  for (const input of streams) createInterface({ input }).on('line', (line) => lines.push(line));
  return lines;
}
