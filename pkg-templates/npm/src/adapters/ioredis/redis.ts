/** The exports of ioredis over engines in this process: its classes, with a connector that needs no socket. */
import type { Duplex } from 'node:stream';
// @ts-expect-error ioredis is an optional peer dependency; without it the types of its exports are any.
import type * as ioredis from 'ioredis';
import type { Keylatch } from '../../db/built-in.js';
import { MemoryConnection } from './connection.js';
import { applyMockOptions, type MockOptions } from './data.js';
import { RefusedConnection, type SocketStandIn } from './socket.js';
import { loadRealModule, type Class } from './real-module.js';
import { serverOf, type AddressOptions, type InProcessServer } from './servers.js';
import type { TestClock } from '../../testing/clock.js';
import { CallerTypeError } from '../../base/caller-errors.js';

const ADDRESS = 'memory:0';
const MISSING =
  'keylatch/ioredis needs ioredis, which was not found: install it beside keylatch (npm install --save-dev ioredis). ' +
  'It runs the real client of that package over an engine in this process.';
const NO_CLUSTER =
  'keylatch/ioredis has no Cluster: an engine in this process is one server. Use new Redis() in tests, or make the ' +
  'client where the test can replace it.';

/** Interface that ioredis requires of a connector; an instance is created for each client. */
export interface Connector {
  /** Called by ioredis before it connects: true, since a refusal is reported by the connection. */
  check(): boolean;
  /** Connects a client; ioredis writes requests into the stream and reads replies from it. */
  connect(): Promise<Duplex>;
  /** Ends the connection. */
  disconnect(): void;
}

/** Connects clients by `open`, which throws if the engine is closed. */
abstract class MemoryConnector implements Connector {
  #connection: SocketStandIn | undefined;

  protected abstract open(): SocketStandIn;

  check(): boolean {
    return true;
  }

  async connect(): Promise<Duplex> {
    return (this.#connection = this.open());
  }

  disconnect(): void {
    this.#connection?.end();
  }
}

/**
 * A class for the option `Connector` of ioredis: `new Redis({ Connector: connector(db) })`. Duplicates and subscribers
 * made from such a client are further clients of the same engine.
 */
export function connector(db: Keylatch): new () => never {
  class EngineConnector extends MemoryConnector {
    protected open(): MemoryConnection {
      return new MemoryConnection((user) => db.streams.open(user, ADDRESS, ADDRESS));
    }
  }
  // ioredis declares its own base class here, on which this package does not depend; this type has the members it uses.
  return EngineConnector as unknown as new () => never;
}

/** Connector of the clients that `Redis` of this entry makes: the server is found by their options. */
class ServerConnector extends MemoryConnector {
  readonly #options: AddressOptions;

  constructor(options: AddressOptions) {
    super();
    this.#options = options;
  }

  protected open(): SocketStandIn {
    const server = serverOf(this.#options);
    if (server.isDown) return new RefusedConnection(server.host, server.port);
    return new MemoryConnection((user) => server.connect(user));
  }
}

const real = loadRealModule();

/** Arguments of a client's constructor, with this entry's connector unless they have one. */
function withConnector(args: readonly unknown[]): unknown[] {
  const given = args.filter((arg) => arg !== null && arg !== undefined);
  const options = given.find((arg) => typeof arg === 'object');
  const connected = { Connector: ServerConnector, ...options };
  return options === undefined ? [...given, connected] : given.map((arg) => (arg === options ? connected : arg));
}

/**
 * A class with the prototype and the static members of a real one, so that `instanceof`, subclasses and spies on the
 * prototype work; `construct` makes its objects.
 */
function standIn(name: string, parent: Class | undefined, construct: (args: unknown[], made: Class) => object): Class {
  function StandIn(this: unknown, ...args: unknown[]): object {
    if (new.target === undefined)
      throw new CallerTypeError(`Class constructor ${name} cannot be invoked without 'new'`);
    const made = new.target as unknown as Class;
    return construct(args, made === (StandIn as unknown) && parent !== undefined ? parent : made);
  }
  Object.defineProperty(StandIn, 'name', { value: name });
  if (parent !== undefined) {
    Object.setPrototypeOf(StandIn, parent);
    StandIn.prototype = parent.prototype;
  }
  return StandIn as unknown as Class;
}

interface Constructed {
  readonly options: AddressOptions & MockOptions & { readonly Connector?: unknown };
}

const RedisStandIn = standIn('Redis', real?.Redis, (args, made) => {
  if (real === undefined) throw new Error(MISSING);
  const redis = Reflect.construct(real.Redis, withConnector(args), made) as Constructed;
  const { Connector, data, notifyKeyspaceEvents } = redis.options;
  if (Connector === ServerConnector && (data ?? notifyKeyspaceEvents)) {
    applyMockOptions(serverOf(redis.options), redis.options);
  }
  return redis;
});

const ClusterStandIn = standIn('Cluster', real?.Cluster, () => {
  throw new Error(NO_CLUSTER);
});

/** The class of ioredis; clients with the same host and port, or the same URL, share the keys of one engine. */
export const Redis: typeof ioredis.Redis = RedisStandIn as never;
export type Redis = ioredis.Redis;
/** Refused by its constructor. */
export const Cluster: typeof ioredis.Cluster = ClusterStandIn as never;
export type Cluster = ioredis.Cluster;
/** `Command` of ioredis. */
export const Command: typeof ioredis.Command = real?.['Command'] as never;
/** `ScanStream` of ioredis. */
export const ScanStream: typeof ioredis.ScanStream = real?.['ScanStream'] as never;
/** `Pipeline` of ioredis. */
export const Pipeline: typeof ioredis.Pipeline = real?.['Pipeline'] as never;
/** `AbstractConnector` of ioredis. */
export const AbstractConnector: typeof ioredis.AbstractConnector = real?.['AbstractConnector'] as never;
/** `SentinelConnector` of ioredis. */
export const SentinelConnector: typeof ioredis.SentinelConnector = real?.['SentinelConnector'] as never;
/** `SentinelIterator` of ioredis. */
export const SentinelIterator: typeof ioredis.SentinelIterator = real?.['SentinelIterator'] as never;
/** `ReplyError` of ioredis. */
export const ReplyError: typeof ioredis.ReplyError = real?.['ReplyError'] as never;

/** Callback that prints a result, as ioredis has it. */
export function print(error: Error | null, reply?: unknown): void {
  console.log(error ? `Error: ${error}` : `Reply: ${reply}`);
}

/** Static members of the class: the main module of ioredis is its class, with the other exports as static members. */
const MEMBERS = {
  default: RedisStandIn,
  Redis: RedisStandIn,
  Cluster: ClusterStandIn,
  Command,
  ScanStream,
  Pipeline,
  AbstractConnector,
  SentinelConnector,
  SentinelIterator,
  ReplyError,
  print,
  createClient: (...args: never[]): object => new RedisStandIn(...args),
};

// Defined, not assigned: the real class has some of them without setters once its main module was loaded.
for (const [name, value] of Object.entries(MEMBERS)) {
  Object.defineProperty(RedisStandIn, name, { value, writable: true, enumerable: true, configurable: true });
}

/** A client, or the options of one. */
export type ServerOfClient = AddressOptions | { readonly options: AddressOptions };

/**
 * The server that clients reach by a host and port, by a URL, or by a client's options: its clock, its faults, and its
 * engine as `db`. `localhost:6379` unless given.
 */
export function serverAt(where?: string | ServerOfClient, port?: number): InProcessServer {
  if (typeof where === 'object') return serverOf('options' in where ? where.options : where);
  if (where === undefined || !where.includes('://')) return serverOf({ host: where, port });
  const url = new URL(where);
  return serverOf({ host: url.hostname.replace(/^\[|\]$/g, ''), port: url.port === '' ? port : Number(url.port) });
}

/** Clock of the server that `serverAt` finds: `clockOf().advance(60_000)`. */
export function clockOf(where?: string | ServerOfClient, port?: number): TestClock {
  return serverAt(where, port).clock;
}
