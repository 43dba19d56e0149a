/** Addresses in the form of CLIENT LIST, and the creation of listeners. */
import { createServer, connect, type AddressInfo, type Server, type Socket } from 'node:net';
import { unlink } from 'node:fs/promises';
import type { ListenAddresses } from './options.js';

/** Delay after which dead peers are detected, as in Redis. */
const KEEP_ALIVE_MS = 300_000;
const OPTIONS = { noDelay: true, keepAlive: true, keepAliveInitialDelay: KEEP_ALIVE_MS };

export function shown(host: string | undefined, port: number | undefined): string {
  if (host === undefined) return '';
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

/** Both ends of a connection; on a Unix socket its path stands for both. */
export function endsOf(socket: Socket, path: string | undefined): [address: string, localAddress: string] {
  if (path !== undefined) return [`${path}:0`, `${path}:0`];
  return [shown(socket.remoteAddress, socket.remotePort), shown(socket.localAddress, socket.localPort)];
}

export type OnConnection = (socket: Socket, path: string | undefined) => void;

/** Listens on all addresses, or on none: if one fails, the opened listeners are closed again. */
export async function listenAt(addresses: ListenAddresses, onConnection: OnConnection): Promise<Server[]> {
  const listeners: Server[] = [];
  try {
    let { port } = addresses;
    for (const { name, optional } of port === undefined ? [] : addresses.hosts) {
      const listener = await open(onConnection, { host: name, port }).catch((error: unknown) => {
        if (optional && listeners.length > 0) return undefined;
        throw error;
      });
      if (listener !== undefined) listeners.push(listener);
      // Port 0 was given: the other addresses use the port that the first one got.
      if (listener !== undefined) port = (listener.address() as AddressInfo).port;
    }
    if (addresses.path !== undefined) {
      await removeAbandoned(addresses.path);
      listeners.push(await open(onConnection, { path: addresses.path }));
    }
    return listeners;
  } catch (error) {
    await Promise.all(listeners.map(closed));
    throw error;
  }
}

type Address = { readonly host: string; readonly port: number | undefined } | { readonly path: string };

function open(onConnection: OnConnection, address: Address): Promise<Server> {
  const path = 'path' in address ? address.path : undefined;
  const listener = createServer(OPTIONS, (socket) => onConnection(socket, path));
  return new Promise((resolve, reject) => {
    listener.once('error', reject);
    listener.listen(address, () => {
      listener.off('error', reject);
      resolve(listener);
    });
  });
}

/** Stops listening; open connections stay. */
export function closed(listener: Server): Promise<void> {
  return new Promise((resolve) => listener.close(() => resolve()));
}

/** Removes a socket file without a listener, left by a server that was killed. */
async function removeAbandoned(path: string): Promise<void> {
  const refused = await new Promise<boolean>((resolve) => {
    const probe = connect(path, () => {
      probe.destroy();
      resolve(false);
    });
    probe.once('error', (error: NodeJS.ErrnoException) => resolve(error.code === 'ECONNREFUSED'));
  });
  if (refused) await unlink(path);
}
