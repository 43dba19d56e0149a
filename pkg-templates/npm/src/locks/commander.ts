/** Client objects that run the commands of locks: engines of this process, ioredis, node-redis, @upstash/redis and their like. */
import type { Argument } from '../base/argument.js';
import type { Client } from '../client/client.js';
import type { PrefixedClient } from '../client/prefix.js';
import { shown } from '../base/option-check.js';
import { onAbort, type AbortSignalLike } from '../base/abort.js';
import type { WaitOptions } from '../client/waits.js';
import type { TrackerSource } from './key-watcher.js';
import type { SubscriberSource } from './messages.js';
import { remoteSubscriber } from './subscriber.js';
import { callTransact, engineTransact, noTransact, sendTransact, type Transact } from './transaction.js';
import {
  closeConnection,
  connected,
  duplicated,
  engineTrackers,
  has,
  isCluster,
  isLocalEngine,
  LOSSES,
  remoteTrackers,
  type Duplicable,
  type Send,
} from './trackers.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** ioredis, `keylatch/ioredis`, or any object that runs a command by its name. */
export interface CallClient {
  /** Runs a command; rejects with the server's error. */
  call(command: string, ...args: string[]): Promise<unknown>;
}

/** node-redis, or any object that runs a command given as an array. */
export interface SendClient {
  /** Runs a command; rejects with the server's error. */
  sendCommand(args: string[]): Promise<unknown>;
}

/** A client object of @upstash/redis, which speaks HTTP. */
export interface ExecClient {
  /** Runs a command; rejects with the server's error. */
  exec(args: [command: string, ...args: string[]]): Promise<unknown>;
}

/** An engine of this process, one of its clients or views, or a client object of a server. */
export type LockStore = Client | PrefixedClient | CallClient | SendClient | ExecClient;

/** Runs commands on one client object. */
export interface Commander {
  /** Runs a command; rejects with the server's error. Sends it before it returns. */
  send(argv: readonly string[]): Promise<unknown>;
  readonly transact: Transact;
  /** Runs a command that may block, without delaying others. An abort ends it if it has not begun to reply. */
  sendBlocking?(argv: readonly string[], options: BlockingOptions): Promise<unknown>;
  /** Reports changes of keys. */
  readonly trackers?: TrackerSource | undefined;
  /** Receives messages of channels. */
  readonly subscriber?: SubscriberSource | undefined;
  /** True for a cluster, where keys of one script have to be on one node. */
  readonly isCluster?: boolean;
}

/** Options of a command that may block. */
export interface BlockingOptions {
  readonly signal: AbortSignalLike | undefined;
  /** True if the command has a limit of its own. */
  readonly timed: boolean;
}

/** Method of all engine clients that runs a blocking command. */
interface EngineClient {
  call(...argv: Argument[]): unknown;
  executeWaiting(argv: readonly Argument[], timeout: number, options: WaitOptions): Promise<unknown>;
}

const EXPECTED =
  'locks: the store must be a database of keylatch, or a client object of ioredis, node-redis or @upstash/redis';

/** Commanders by client object: all locks of one share its further connections. */
const commanders = new WeakMap<object, Commander>();

/** The commander of a client object. */
export function commanderOf(store: LockStore): Commander {
  if (typeof store !== 'object' || store === null) throw new CallerTypeError(`${EXPECTED}, got ${shown(store)}`);
  const known = commanders.get(store);
  if (known !== undefined) return known;
  const made = commanderFor(store);
  commanders.set(store, made);
  return made;
}

function commanderFor(store: LockStore): Commander {
  if (has(store, 'executeWaiting')) return engineCommander(store as unknown as EngineClient);
  if (has(store, 'createScript') && has(store, 'exec'))
    return { send: (argv) => (store as ExecClient).exec([...argv] as [string]), transact: noTransact };
  if (has(store, 'call')) return callCommander(store as CallClient);
  if (has(store, 'sendCommand')) return sendCommander(store as SendClient);
  throw new CallerTypeError(`${EXPECTED}, got ${shown(store)}`);
}

function engineCommander(client: EngineClient): Commander {
  return {
    // The command runs within this call.
    send: async (argv) => client.call(...argv),
    transact: engineTransact(client),
    sendBlocking: (argv, { timed, signal }) => client.executeWaiting(argv, timed ? 1 : 0, { signal }),
    trackers: isLocalEngine(client) ? engineTrackers(client) : undefined,
  };
}

function callCommander(client: CallClient): Commander {
  const { options } = client as { readonly options?: { readonly keyPrefix?: string } };
  if (options?.keyPrefix)
    throw new CallerTypeError(
      `locks: the client adds ${shown(options.keyPrefix)} to the keys of the commands it knows, and to no others; ` +
        'pass a client without keyPrefix, and the option prefix of locks',
    );
  return {
    send: (argv) => sent(client, argv),
    transact: callTransact(client),
    ...withConnections(client, (other, argv) => sent(other as CallClient, argv)),
  };
}

function sent(client: CallClient, [command = '', ...args]: readonly string[]): Promise<unknown> {
  return client.call(command, ...args);
}

function sendCommander(client: SendClient): Commander {
  const send: Send = has(client, 'nodeClient')
    ? (on, argv) => (on as ClusterClient).sendCommand(firstKey(argv), false, [...argv])
    : (on, argv) => (on as SendClient).sendCommand([...argv]);
  return {
    send: (argv) => send(client, argv),
    transact: sendTransact(client),
    ...withConnections(client, send),
  };
}

/** A cluster of node-redis: each command comes with the key that chooses its node. */
interface ClusterClient {
  sendCommand(firstKey: string | undefined, isReadonly: boolean, args: string[]): Promise<unknown>;
}

/** The first key of a command of locks. */
function firstKey([command = '', ...args]: readonly string[]): string | undefined {
  return /^(EVAL|FCALL)/.test(command) ? args[2] : args[0];
}

/** Blocking commands, tracking and messages on connections of their own, where the client object opens others. */
function withConnections(client: object, send: Send): Omit<Commander, 'send' | 'transact'> {
  const inCluster = isCluster(client);
  if (!has(client, 'duplicate')) return { isCluster: inCluster };
  return {
    isCluster: inCluster,
    subscriber: remoteSubscriber(client),
    sendBlocking: (argv, { signal }) => withConnection(client as Duplicable, signal, (other) => send(other, argv)),
    trackers: remoteTrackers(client, send),
  };
}

/** The connection of a blocking command was lost: whether it has run is not known. */
export class ConnectionLost extends Error {}

/**
 * Runs a function with another connection, which is closed at the end, and at an abort: a server drops the waiting
 * command of a connection that is gone.
 */
async function withConnection(
  client: Duplicable,
  signal: AbortSignalLike | undefined,
  run: (other: object) => Promise<unknown>,
): Promise<unknown> {
  const other = duplicated(client);
  const close = (): void => closeConnection(other);
  const loss = new Promise<never>((_, reject) => {
    for (const event of LOSSES)
      other.on?.(event, () => reject(new ConnectionLost('the connection of a wait was lost')));
  });
  const stopListening = onAbort(signal, close);
  try {
    return await Promise.race([connected(other).then(() => run(other)), loss]);
  } finally {
    stopListening();
    close();
  }
}
