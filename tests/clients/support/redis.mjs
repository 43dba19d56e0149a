/** A real Redis beside ours, as the control: what a client makes of its replies is what it must make of ours. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { freePort, until } from './server.mjs';

export const redisServer = process.env.REDIS_SERVER ?? 'redis-server';
export const redisCli = process.env.REDIS_CLI ?? 'redis-cli';
export const redisBenchmark = process.env.REDIS_BENCHMARK ?? 'redis-benchmark';

function answers(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}

/** Starts a redis-server until the test is over; `{ port }`. */
export async function serveRedis(t, ...options) {
  const port = await freePort();
  const child = spawn(redisServer, ['--port', String(port), '--save', '', '--appendonly', 'no', ...options], {
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  t.after(() => {
    child.kill();
    return exited;
  });
  await until(() => answers(port), 'redis-server');
  return { port, pid: child.pid };
}

/** A Python that has redis-py. */
export const python =
  process.env.KEYLATCH_PYTHON ?? resolve(import.meta.dirname, '../../../target/python/clients/bin/python');
