/** A real Redis as the control: results of a client with it are the expected ones. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { resolve } from 'node:path';
import { freePort, until } from './server.mjs';

export const redisServer = process.env.REDIS_SERVER ?? 'redis-server';
export const redisCli = process.env.REDIS_CLI ?? 'redis-cli';
export const redisBenchmark = process.env.REDIS_BENCHMARK ?? 'redis-benchmark';

/**
 * True when the server at a port has loaded its data and is the one of this process: a port can change hands between two servers.
 */
function isReady(port, pid) {
  return new Promise((resolve) => {
    let reply = '';
    const socket = connect(port, '127.0.0.1', () => socket.end('INFO server persistence\r\n'));
    socket.setEncoding('latin1').on('data', (text) => {
      reply += text;
    });
    socket.on('close', () => resolve(reply.includes(`process_id:${pid}\r\n`) && reply.includes('\nloading:0\r\n')));
    socket.on('error', () => {});
  });
}

/** Starts a redis-server for the duration of the test; `{ port, pid, exited }`. */
export async function serveRedis(t, ...options) {
  for (let attempt = 0; attempt < 5; attempt += 1) {
    const port = await freePort();
    const child = spawn(redisServer, ['--port', String(port), '--save', '', '--appendonly', 'no', ...options], {
      stdio: 'ignore',
    });
    const exited = once(child, 'exit');
    t.after(() => {
      child.kill();
      return exited;
    });
    const hasEnded = () => child.exitCode !== null;
    await until(async () => hasEnded() || (await isReady(port, child.pid)), 'redis-server');
    if (!hasEnded()) return { port, pid: child.pid, exited: exited.then(([code]) => code) };
  }
  throw new Error('redis-server ended each time it was started');
}

/** Path of a Python with redis-py. */
export const python =
  process.env.KEYLATCH_PYTHON ?? resolve(import.meta.dirname, '../../../target/python/clients/bin/python');
