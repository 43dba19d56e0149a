/** Trackers of engines in this process, and of servers behind the client objects of ioredis and node-redis. */
import type { Client } from '../client/client.js';
import type { Tracker, TrackerEvents, TrackerSource } from './key-watcher.js';

/** The database object of an engine: with its clock, and clients that track keys. */
export type LocalEngine = Pick<Client, 'track'> & { now(): number; client(): Client };

/** A client object that opens another connection to its server. */
export interface Duplicable {
  duplicate(options?: object): Duplicable;
  connect?(): Promise<unknown>;
  disconnect?(): unknown;
  destroy?(): unknown;
  on?(event: string, listener: (...parameters: never[]) => void): unknown;
}

/** Parts of the client objects that subscriptions and tracking need. */
export interface Receiver extends Duplicable {
  subscribe(channel: string, listener?: (message: never) => void): Promise<unknown>;
  /** Of ioredis. */
  readonly stream?: { unref?(): unknown };
  /** Of node-redis. */
  unref?(): unknown;
}

/** Runs a command on one connection. */
export type Send = (on: object, argv: readonly string[]) => Promise<unknown>;

/** Channel of invalidation messages in RESP2. */
const CHANNEL = '__redis__:invalidate';
/** Options of ioredis and node-redis for RESP2; the latter has three more that only RESP3 allows. */
const RESP2 = {
  protocol: 2,
  RESP: 2,
  maintNotifications: 'disabled',
  clientSideCache: undefined,
  emitInvalidate: false,
};
/** Events of a connection that is lost, or cannot be made. */
export const LOSSES = ['error', 'close', 'end', 'reconnecting'];
/** Connections of a tracker are kept for the next lock. They do not keep the process alive. */
const LINGER_MS = 5000;

/** True for a method of an object. */
export const has = (store: object, name: string): boolean =>
  typeof (store as Record<string, unknown>)[name] === 'function';

/** True for the client objects of clusters: of ioredis, of node-redis. */
export const isCluster = (client: object): boolean => has(client, 'nodes') || has(client, 'nodeClient');

/** True for the database object of an engine in this process. That of `keylatch/tabs` has no `track`. */
export function isLocalEngine(store: unknown): store is LocalEngine {
  return typeof store === 'object' && store !== null && ['track', 'client', 'now'].every((name) => has(store, name));
}

/** Tracker of an engine: one of its clients. */
export function engineTrackers(engine: LocalEngine): TrackerSource {
  return {
    lingerMs: 0,
    async open({ changed }) {
      const client = engine.client();
      client.track(changed);
      return {
        send: async (argv) => client.call(...(argv as [string])),
        close: () => client.close(),
      };
    },
  };
}

/** Another connection of a client object. Without a listener, its event of errors would end the process. */
export function duplicated(client: Duplicable, options?: object): Duplicable {
  const other = client.duplicate(options);
  other.on?.('error', () => {});
  return other;
}

/** Waits until a connection is there; ioredis connects by itself. */
export async function connected(connection: Duplicable): Promise<void> {
  if (!has(connection, 'call')) await connection.connect?.();
}

/** Closes a connection. */
export function closeConnection(connection: Duplicable): void {
  try {
    if (has(connection, 'call')) connection.disconnect?.();
    else connection.destroy?.();
  } catch {
    // node-redis throws if the connection is closed already.
  }
}

/**
 * Trackers of a client object: one connection reads in the mode CLIENT TRACKING, another receives the messages, since
 * RESP2 has no pushes. Undefined where the object cannot open connections, and for clusters, which have no single server.
 */
export function remoteTrackers(client: object, send: Send): TrackerSource | undefined {
  if (!has(client, 'duplicate') || !has(client, 'subscribe') || isCluster(client)) return undefined;
  return { lingerMs: LINGER_MS, open: (events) => openRemote(client as Receiver, send, events) };
}

async function openRemote(client: Receiver, send: Send, events: TrackerEvents): Promise<Tracker> {
  const connections: Duplicable[] = [];
  const close = (): void => connections.splice(0).forEach(closeConnection);
  const fail = (): void => {
    if (connections.length === 0) return;
    close();
    events.failed();
  };
  const connect = async (): Promise<Receiver> => {
    const other = duplicated(client, RESP2) as Receiver;
    connections.push(other);
    // A connection that begins anew has another number, and tracks nothing.
    for (const event of LOSSES) other.on?.(event, fail);
    await connected(other);
    return other;
  };
  try {
    const receiver = await connect();
    const id = String(await send(receiver, ['CLIENT', 'ID']));
    await receive(receiver, events);
    const reader = await connect();
    await send(reader, ['CLIENT', 'TRACKING', 'ON', 'REDIRECT', id]);
    for (const other of [receiver, reader]) unref(other);
    return { send: (argv) => send(reader, argv), close };
  } catch (error) {
    close();
    throw error;
  }
}

/** Subscribes to invalidation messages, which hold arrays of keys in place of a text. */
async function receive(receiver: Receiver, { changed }: TrackerEvents): Promise<void> {
  if (!has(receiver, 'call')) {
    await receiver.subscribe(CHANNEL, changed);
    return;
  }
  receiver.on?.('messageBuffer', (_channel: unknown, keys: readonly { toString(): string }[] | null) => {
    changed(keys === null ? null : keys.map(String));
  });
  await receiver.subscribe(CHANNEL);
}

/** Lets the process end although a connection is open. */
export function unref(connection: Receiver): void {
  if (connection.unref) connection.unref();
  else connection.stream?.unref?.();
}
