/**
 * The socket of a lock: its owner listens on it, and the kernel ends it with the process. A blocked or stopped owner still
 * accepts, in every container of the machine.
 */
import { chmodSync, closeSync, openSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { codeOf } from './file-error.js';
import { remove } from './write.js';

/** Longest path that every system takes for a socket. Longer ones would be cut without an error. */
const PATH_BYTES_MAX = 100;

/** Time after which an owner that does not answer counts as alive. */
const PATIENCE_MS = 1000;

const NAME = /^keylatch-[0-9a-f]{1,32}\.sock$/;

/** A socket on which this process listens. */
export interface LockSocket {
  readonly name: string;
  /** Ends it, without waiting. */
  readonly close: () => void;
}

export function isSocketName(name: string): boolean {
  return NAME.test(name);
}

/** Listens in a folder. Undefined where the system or the file system has no such sockets. */
export async function listenIn(folder: string, id: string): Promise<LockSocket | undefined> {
  if (process.platform === 'win32') return undefined;
  const name = `keylatch-${id}.sock`;
  const server = createServer((client) => client.destroy());
  const close = (): void => {
    server.close();
    remove(join(folder, name));
  };
  try {
    await withPath(folder, name, (path) => listening(server, path));
    // Users that may read the folder may ask; each is disconnected at once.
    chmodSync(join(folder, name), 0o666);
  } catch {
    close();
    return undefined;
  }
  // Some file systems let a process listen, and others not find it.
  if (await isListening(folder, name)) return { name, close };
  close();
  return undefined;
}

/** Resolves when a server listens. It keeps no process alive, and no failed connection ends one. */
function listening(server: Server, path: string): Promise<void> {
  return new Promise((pass, fail) => {
    server.on('error', fail);
    // A shared handle would belong to the primary process of a cluster.
    server.listen({ path, exclusive: true }, pass);
    server.unref();
  });
}

/** False if the kernel ended the socket, or if it is missing. True for every other answer. */
export function isListening(folder: string, name: string): Promise<boolean> {
  return withPath(folder, name, answers).catch(() => true);
}

function answers(path: string): Promise<boolean> {
  return new Promise((pass) => {
    const client = connect({ path });
    const end = (isAlive: boolean): void => {
      client.destroy();
      pass(isAlive);
    };
    client.setTimeout(PATIENCE_MS, () => end(true));
    client.on('connect', () => end(true));
    client.on('error', (error) => end(!['ECONNREFUSED', 'ENOENT'].includes(codeOf(error))));
  });
}

/** Runs work with a path of a socket that is short enough. Linux has one by way of the folder's descriptor. */
async function withPath<T>(folder: string, name: string, work: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, name);
  if (Buffer.byteLength(path) <= PATH_BYTES_MAX) return work(path);
  if (process.platform !== 'linux') throw new Error('the path of the socket is too long');
  const fd = openSync(folder, 'r');
  try {
    return await work(`/proc/self/fd/${fd}/${name}`);
  } finally {
    closeSync(fd);
  }
}
