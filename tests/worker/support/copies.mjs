/** Copies of a namespace, and a real Redis that they are loaded into. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { redisCli, serveRedis } from '../../clients/support/redis.mjs';
import { temporaryFolder } from '../../js/support/folders.mjs';
import { template } from './build.mjs';
import { encode, replyEnd } from './sockets.mjs';

const { Keylatch } = await import(pathToFileURL(`${template}/node_modules/keylatch/esm/index.js`).href);

/** A copy that a Worker gives: its bytes, and the position in the log that it reaches. */
export async function copyOf({ send }, path, options = {}) {
  const response = await send(undefined, { path, method: 'GET', ...options });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`status ${response.status}: ${bytes}`);
  return { bytes, position: Number(response.headers.get('keylatch-position')), headers: response.headers };
}

/** An engine with the data of a snapshot, and of effects after it. */
export function engineOf(snapshot, effects = Buffer.alloc(0)) {
  const db = new Keylatch();
  db.load(snapshot);
  db.replay(effects);
  return db;
}

/** A redis-server that starts with a snapshot as its RDB file. */
export function redisWithSnapshot(t, snapshot) {
  const dir = temporaryFolder();
  writeFileSync(join(dir, 'dump.rdb'), snapshot);
  return serveRedis(t, '--dir', dir, '--dbfilename', 'dump.rdb');
}

/** A redis-server that starts with a snapshot and effects as its append-only files. */
export function redisWithLog(t, snapshot, effects) {
  const dir = temporaryFolder();
  const folder = join(dir, 'appendonlydir');
  mkdirSync(folder);
  writeFileSync(join(folder, 'appendonly.aof.1.base.rdb'), snapshot);
  writeFileSync(join(folder, 'appendonly.aof.1.incr.aof'), effects);
  const lines = ['file appendonly.aof.1.base.rdb seq 1 type b', 'file appendonly.aof.1.incr.aof seq 1 type i', ''];
  writeFileSync(join(folder, 'appendonly.aof.manifest'), lines.join('\n'));
  return serveRedis(t, '--dir', dir, '--appendonly', 'yes');
}

/** Runs requests by `redis-cli --pipe`; its last line. */
export async function pipeInto({ port }, requests) {
  const child = spawn(redisCli, ['-p', String(port), '--pipe'], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(requests);
  let output = '';
  for await (const text of child.stdout) output += text;
  return output.trim().split('\n').at(-1);
}

/** Replies of a redis-server, in RESP2. */
export async function repliesOf({ port }, commands) {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(encode(...commands));
  let [bytes, end, count] = [Buffer.alloc(0), 0, 0];
  for await (const chunk of socket) {
    bytes = Buffer.concat([bytes, chunk]);
    for (let next = replyEnd(bytes, end); next !== undefined && count < commands.length; next = replyEnd(bytes, end)) {
      end = next;
      count += 1;
    }
    if (count === commands.length) break;
  }
  socket.destroy();
  return bytes.toString('latin1');
}
