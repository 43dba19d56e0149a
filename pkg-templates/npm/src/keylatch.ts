/** The database object: an engine, its default client, and the methods of the keyspace as a whole. */
import type { Argument } from './argument.js';
import { Client } from './client.js';
import { GuardedClock, ManualClock } from './clock.js';
import { CLIENT, Connection, type ClientOptions } from './connection.js';
import { LineError, LoadError, SessionError } from './errors.js';
import type { ErrorListener, EventListener, EventName, ListenOptions } from './events.js';
import { Host } from './host.js';
import { Instance } from './instance.js';
import { instantiate } from './module.js';
import { MESSAGES, Messages, type MessagesOptions } from './messages.js';
import { engineOptions, glueOptions, parametersOf, type EngineModule, type KeylatchOptions } from './options.js';
import { textOf } from './reply.js';
import { Streams } from './streams.js';
import { SESSION, type Report, type SessionOptions } from './session.js';
import { checked, type Shape } from './sugar/option-check.js';
import {
  SUBSCRIBE,
  Subscriptions,
  type MessageKind,
  type MessageListener,
  type SubscribeOptions,
  type Unsubscribe,
} from './subscriptions.js';

export interface InspectOptions {
  /** Cursor of the next page; '0' starts. */
  readonly cursor?: string | undefined;
  /** Approximate number of keys in the page. */
  readonly limit?: number | undefined;
  readonly db?: number | undefined;
}

export interface KeyInfo<Key = string> {
  readonly key: Key;
  readonly type: string;
  /** Bytes of a string, elements of any other type. */
  readonly size: number;
  /** Deadline of the key in milliseconds since the epoch, or null. */
  readonly deadlineMs: number | null;
}

export interface Inspection<Key = string> {
  /** Cursor of the next page; '0': this was the last one. */
  readonly cursor: string;
  readonly keys: readonly KeyInfo<Key>[];
}

/** Contents of a replayed log. */
export interface Replayed {
  /** Number of whole commands and transactions that were replayed. */
  readonly units: number;
  /** Bytes of a torn last unit that were dropped. */
  readonly droppedBytes: number;
  /** The latest instant in the log, in milliseconds since the epoch. */
  readonly lastNowMs: number | null;
}

const LISTEN: Shape<ListenOptions> = { buffer: 'flag' };
const INSPECT: Shape<InspectOptions & { readonly buffer?: boolean | undefined }> = {
  cursor: 'text',
  limit: 'integer',
  db: 'integer',
  buffer: 'flag',
};

const encoder = new TextEncoder();

export class Keylatch extends Client {
  /** @internal For entries that are bundled beside this one. */
  static readonly checkedOptions = checked;

  /** @internal The engine of a class that has one. */
  static readonly builtIn: EngineModule | undefined = undefined;
  readonly #options: KeylatchOptions;
  readonly #host: Host;
  #streams: Streams | undefined;
  #subscriptions: Subscriptions | undefined;

  /** Nothing is compiled or allocated before the first command. */
  constructor(given: KeylatchOptions = {}) {
    const options = engineOptions(given, new.target.builtIn);
    const { module } = options;
    if (module === undefined) throw new TypeError('this entry point contains no engine: use Keylatch.from(module)');
    const manual = options.clock instanceof ManualClock ? options.clock : undefined;
    // Date.now is looked up at every reading: fake timers may replace it at any time.
    const clock = new GuardedClock(options.now ?? (() => Date.now()));
    const settings = glueOptions(options);
    const parameters = parametersOf(options);
    const make = (floorMs?: number): Instance => {
      const given = settings();
      const floored =
        floorMs === undefined ? given : { ...given, floorMs: Math.max(floorMs, given.floorMs ?? floorMs) };
      return new Instance(instantiate(module), floored, clock.read, () => host.clockFailure(), parameters);
    };
    const host: Host = new Host(make, clock, manual);
    super(new Connection(host, {}));
    this.#options = options;
    this.#host = host;
  }

  /** An engine from a module the caller compiled: for strict content security policies, workers, shared modules. */
  static from(module: EngineModule, options: KeylatchOptions = {}): Keylatch {
    return new this({ ...engineOptions(options), module });
  }

  /** Connects another client to the keyspace. */
  client(options?: ClientOptions): Client {
    return new Client(new Connection(this.#host, checked('client', options, CLIENT)));
  }

  /**
   * Listens to events of keys, `*` for all, `error` for errors of other listeners, `clock` for a clock that was set
   * back. Events are delivered when the outermost call has its reply and before it returns, in the order of the
   * changes. Returns a function that ends it.
   */
  on(event: 'error', listener: ErrorListener): () => void;
  on(event: EventName, listener: EventListener<Uint8Array>, options: { readonly buffer: true }): () => void;
  on(event: EventName, listener: EventListener, options?: ListenOptions): () => void;
  on(event: string, listener: (argument: never) => void, options?: ListenOptions): () => void {
    return this.#listen(event, listener, false, options);
  }

  /** Variant of `on` for the next such event only. */
  once(event: 'error', listener: ErrorListener): () => void;
  once(event: EventName, listener: EventListener<Uint8Array>, options: { readonly buffer: true }): () => void;
  once(event: EventName, listener: EventListener, options?: ListenOptions): () => void;
  once(event: string, listener: (argument: never) => void, options?: ListenOptions): () => void {
    return this.#listen(event, listener, true, options);
  }

  off(event: string, listener: (argument: never) => void): void {
    this.#host.removeListener(event, listener);
  }

  #listen(event: string, listener: (argument: never) => void, once: boolean, options?: ListenOptions): () => void {
    this.#host.addListener(event, listener, once, checked(once ? 'once' : 'on', options, LISTEN));
    return () => this.off(event, listener);
  }

  /**
   * Calls back with every message that is published to a channel, in the order of events and messages. Keyspace
   * notifications are such messages, once `CONFIG SET notify-keyspace-events` enables them. Returns a function that
   * ends it; `using` does too.
   */
  subscribe(channel: Argument, listener: MessageListener<Uint8Array>, options: { readonly buffer: true }): Unsubscribe;
  subscribe(channel: Argument, listener: MessageListener, options?: SubscribeOptions): Unsubscribe;
  subscribe(channel: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Unsubscribe {
    return this.#subscribe('message', channel, listener, options);
  }

  /** Variant of `subscribe` for all channels that match a glob pattern, which is the callback's third argument. */
  psubscribe(pattern: Argument, listener: MessageListener<Uint8Array>, options: { readonly buffer: true }): Unsubscribe;
  psubscribe(pattern: Argument, listener: MessageListener, options?: SubscribeOptions): Unsubscribe;
  psubscribe(pattern: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Unsubscribe {
    return this.#subscribe('pmessage', pattern, listener, options);
  }

  /** Variant of `subscribe` for a shard channel: messages of SPUBLISH. */
  ssubscribe(channel: Argument, listener: MessageListener<Uint8Array>, options: { readonly buffer: true }): Unsubscribe;
  ssubscribe(channel: Argument, listener: MessageListener, options?: SubscribeOptions): Unsubscribe;
  ssubscribe(channel: Argument, listener: MessageListener<never>, options?: SubscribeOptions): Unsubscribe {
    return this.#subscribe('smessage', channel, listener, options);
  }

  /**
   * Messages of a channel for `for await`, from this call on. A queue of bounded length holds unread messages; closing
   * the engine ends the iteration.
   */
  messages(channel: Argument, options: MessagesOptions & { readonly buffer: true }): Messages<Uint8Array>;
  messages(channel: Argument, options?: MessagesOptions & { readonly buffer?: false | undefined }): Messages<string>;
  messages(channel: Argument, options?: MessagesOptions): Messages<string> | Messages<Uint8Array> {
    const given = checked('messages', options, MESSAGES);
    return new Messages<string>(
      (listener, ended) => this.#subscribe('message', channel, listener, { buffer: given.buffer ?? false }, ended),
      given,
    );
  }

  #subscribe(
    kind: MessageKind,
    name: Argument,
    listener: MessageListener<never>,
    options?: SubscribeOptions,
    ended?: () => void,
  ): Unsubscribe {
    const given = checked(`${kind[0] === 'm' ? '' : kind[0]}subscribe`, options, SUBSCRIBE);
    this.#subscriptions ??= new Subscriptions(this.#host);
    return this.#subscriptions.add(kind, name, listener, given, ended);
  }

  /** The first instant at which something is due, in milliseconds since the epoch, or null. */
  nextExpiry(): number | null {
    return this.#host.nextExpiry();
  }

  /** Removes due keys, a bounded number at a time; true when more are due. Calling it is never necessary. */
  tick(): boolean {
    return this.#host.tick();
  }

  /** The time of the engine's clock. */
  now(): number {
    return this.#host.enter((instance) => {
      const now = instance.guarded(() => instance.engine.now());
      if (Number.isNaN(now)) throw this.#host.clockFailure();
      return now;
    });
  }

  /** A page of the keys with their type, size and deadline. Changes nothing, not even access times. */
  inspect(options: InspectOptions & { readonly buffer: true }): Inspection<Uint8Array>;
  inspect(options?: InspectOptions): Inspection;
  inspect(options: InspectOptions & { readonly buffer?: boolean | undefined } = {}): Inspection<string | Uint8Array> {
    const { cursor = '0', limit = 100, db = 0, buffer = false } = checked('inspect', options, INSPECT);
    if (!/^\d{1,20}$/.test(cursor)) throw new TypeError(`'${cursor}' is not a cursor`);
    if (!isBelow(limit, 2 ** 31)) throw new TypeError('limit must be a positive integer');
    if (!isBelow(db, 16)) throw new TypeError(`db must be from 0 to 15, found ${db}`);
    const page = this.#host.enter((instance) => instance.guarded(() => instance.engine.inspect(db, cursor, limit)));
    const keys = page.keys.map(({ key, type, size, deadlineMs }) => ({
      key: buffer ? key : textOf(key),
      type,
      size,
      deadlineMs,
    }));
    return { cursor: page.cursor, keys };
  }

  /** A reply as redis-cli prints it, lines joined by line feeds. */
  printReply(reply: Uint8Array): string {
    return this.#input(reply, (engine, length) => engine.printReply(length));
  }

  /** Splits a typed line into arguments, with the quotes and escapes of redis-cli. */
  splitLine(line: string): Uint8Array[] {
    const split = this.#input(encoder.encode(line), (engine, length) => engine.splitLine(length));
    if (Array.isArray(split)) return split;
    throw new LineError(split.message, split.column);
  }

  /**
   * Runs a session on this engine, which must have a ManualClock: the session moves it. `runSession` of the package
   * runs one on a fresh engine.
   */
  runSession(text: string, options: SessionOptions = {}): Report {
    const manual = this.#host.manual;
    if (manual === undefined) throw new TypeError('a session needs an engine created with a ManualClock');
    const { untilLine } = checked('runSession', options, SESSION);
    const result = this.#input(encoder.encode(text), (engine, length) => engine.runSession(length, untilLine));
    if (isSessionFailure(result)) throw new SessionError(result.message, result.line, result.column);
    manual.adopt((result as Report).nowMs, this.#host);
    return result as Report;
  }

  /**
   * Releases memory to the system. WebAssembly memory never shrinks: deleted memory is reused, but stays with the
   * engine. So all data is copied to a fresh instance behind this object, with the clients' numbers, names and
   * databases, the configuration, listeners, cursors of SCAN and pending effects. Statistics begin anew. Takes about as
   * long as `snapshot` and `load`. Returns the number of bytes released.
   *
   * Throws, and changes nothing, within another call; while a client is between MULTI and EXEC, watches keys, is
   * subscribed, tracks, is a monitor, is blocked, has messages to read or has replies off (CLIENT REPLY); while clients
   * are paused (CLIENT PAUSE); while the engine is served to others; and when memory is exhausted. The error names the
   * reason.
   */
  compact(): number {
    return this.#host.compact();
  }

  /** Ends the engine and its timer; every later call throws ClosedError. */
  override close(): void {
    this.#host.close();
  }

  // For hosts that serve the engine to others, or persist the data. Not stable before 1.0.

  /** Clients over byte streams. */
  get streams(): Streams {
    return (this.#streams ??= new Streams(this.#host));
  }

  /** Starts or stops recording the log of effects. */
  record(on: boolean): void {
    this.#host.record(on);
  }

  /** Effects since the last call, as a piece of an append-only file; empty when there were none. */
  takeEffects(): Uint8Array {
    return this.#host.takeEffects();
  }

  /** Replays pieces of a log in their order. A torn last unit is dropped; damage and newer versions throw LoadError. */
  replay(log: Uint8Array): Replayed {
    return this.#load(log, (engine, length) => engine.replay(length));
  }

  /** All databases as bytes for `load`. */
  snapshot(): Uint8Array {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.snapshot()));
  }

  /** Replaces all databases by those of a snapshot. */
  load(snapshot: Uint8Array): void {
    this.#load(snapshot, (engine, length) => engine.load(length));
  }

  /** A second engine with the same data and the same options. */
  fork(): Keylatch {
    const fork = new (this.constructor as typeof Keylatch)(this.#options);
    fork.load(this.snapshot());
    return fork;
  }

  /** Sixteen hexadecimal digits; equal for equal data. */
  digestAll(): string {
    return this.#host.enter((instance) => instance.guarded(() => instance.engine.digest()));
  }

  #input<T>(bytes: Uint8Array, use: (engine: Instance['engine'], length: number) => T): T {
    return this.#host.enter((instance) => instance.withInput(bytes, (length) => use(instance.engine, length)));
  }

  #load<T>(bytes: Uint8Array, use: (engine: Instance['engine'], length: number) => T): T {
    try {
      return this.#input(bytes, use);
    } catch (error) {
      throw error instanceof Error && error.name === 'Error' ? new LoadError(error.message) : error;
    }
  }
}

/** Checks numbers that the bindings would otherwise truncate silently. */
function isBelow(value: number, end: number): boolean {
  return Number.isInteger(value) && value >= 0 && value < end;
}

interface SessionFailure {
  readonly message: string;
  readonly line: number;
  readonly column: number;
}

function isSessionFailure(result: unknown): result is SessionFailure {
  return typeof result === 'object' && result !== null && 'column' in result;
}
