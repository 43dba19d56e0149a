/** `keylatch connect` with a port, in a process of its own. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

import { TOKEN } from './host.mjs';

const root = resolve(fileURLToPath(import.meta.url), '../../../..');
const folder = resolve(process.env.KEYLATCH_PACKAGE ?? join(root, 'target/npm/keylatch'));
const program = join(folder, 'cli/keylatch.js');

export const redisCli = process.env.REDIS_CLI ?? 'redis-cli';

/** Starts a bridge to an address, which ends after the test `t`. */
export async function bridge(t, url, { token = TOKEN, args = ['--port', '0'] } = {}) {
  const child = spawn(process.execPath, [program, 'connect', url, ...args], {
    env: { ...process.env, KEYLATCH_TOKEN: token },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    errors += text;
  });
  const exited = once(child, 'exit');
  const stop = async (signal = 'SIGTERM') => {
    child.kill(signal);
    const [code] = await exited;
    return code;
  };
  t.after(() => child.exitCode ?? stop('SIGKILL'));
  const failed = exited.then(([code]) => Promise.reject(new Error(`the bridge ended with ${code}: ${errors}`)));
  failed.catch(() => {});
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), failed]);
  const [, addresses, target] = / bridges (.*) to (\S+) \(process \d+\)$/.exec(line);
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(addresses)?.[1]);
  return { port, addresses, target, stop, errors: () => errors, memory: () => memoryOf(child.pid) };
}

/** Runs `keylatch connect` with lines as input, to its end. */
export async function connectPrints(url, { token = TOKEN, input = '' } = {}) {
  const child = spawn(process.execPath, [program, 'connect', url], {
    env: { ...process.env, KEYLATCH_TOKEN: token },
    stdio: 'pipe',
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of Object.keys(texts))
    child[name].setEncoding('utf8').on('data', (text) => {
      texts[name] += text;
    });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  return { code, output: texts.stdout, errors: texts.stderr };
}

/** Resident memory of a process in bytes; undefined on systems without /proc. */
function memoryOf(pid) {
  try {
    return 1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]);
  } catch {
    return undefined;
  }
}

/** Runs redis-cli with lines as input; what it prints as on a terminal. */
export async function redisCliPrints(port, args, input = '') {
  const env = { ...process.env, FAKETTY: '1' };
  const child = spawn(redisCli, ['-p', String(port), ...args], { env, stdio: 'pipe' });
  let printed = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  await once(child, 'close');
  return printed;
}
