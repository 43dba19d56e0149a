/** `keylatch serve` in a separate process, and real servers for comparison. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const root = resolve(import.meta.dirname, '../../..');
/** The built package. */
export const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
export const entry = (name) => import(join(folder, 'esm', `${name}.js`));
export const program = join(folder, 'cli/keylatch.js');

/** Runs a program to its end; `{ code, output, errors }`. */
export async function run(name, args = [], { input = '', timeoutMs = 60_000, ...options } = {}) {
  const child = spawn(name, args, { ...options, stdio: 'pipe' });
  const kill = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
  const texts = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'])
    child[stream].setEncoding('latin1').on('data', (text) => {
      texts[stream] += text;
    });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code, signal] = await once(child, 'close');
  clearTimeout(kill);
  return { code: code ?? signal, output: texts.stdout, errors: texts.stderr };
}

/** Serves for the duration of the test; `{ port, addresses, pid, stop, exited, errors, status }`. */
export function serve(t, ...options) {
  return serveBuild(t, folder, ...options);
}

/** Serves by the package in a folder. */
export async function serveBuild(t, build, ...options) {
  const child = spawn(process.execPath, [join(build, 'cli/keylatch.js'), 'serve', '--port', '0', ...options], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (text) => {
    errors += text;
  });
  let output = '';
  child.stdout.on('data', (text) => {
    output += text;
  });
  const exited = once(child, 'exit');
  const line = await Promise.race([
    once(createInterface({ input: child.stdout }), 'line').then(([text]) => text),
    exited.then(([code]) => {
      throw new Error(`keylatch serve ended with ${code}: ${errors}`);
    }),
  ]);
  const addresses = / serves (.*) \(process \d+\)$/.exec(line)[1].split(', ');
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    const [code] = await exited;
    return code;
  };
  t.after(() => child.exitCode ?? stop());
  const port = Number(/:(\d+)$/.exec(addresses[0])?.[1] ?? 0);
  return {
    port,
    addresses,
    pid: child.pid,
    stop,
    exited: exited.then(([code]) => code),
    errors: () => errors,
    output: () => output,
    printed: (pattern) => until(() => pattern.test(output), String(pattern)),
    status: (name) => statusOf(child.pid, name),
  };
}

/** A figure of /proc/PID/status: kilobytes of `VmRSS`, numbers of context switches. Undefined on other systems. */
function statusOf(pid, name) {
  try {
    return Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  } catch {
    return undefined;
  }
}

/** A port that is free at the moment. */
export async function freePort() {
  const listener = createServer().listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address();
  listener.close();
  await once(listener, 'close');
  return port;
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until `check` returns a truthy value; fails after a timeout. */
export async function until(check, what = 'the condition', timeoutMs = 10_000) {
  const startedMs = Date.now();
  for (;;) {
    const result = await check();
    if (result) return result;
    if (Date.now() - startedMs > timeoutMs) throw new Error(`${what} did not come about within ${timeoutMs} ms`);
    await sleep(10);
  }
}
