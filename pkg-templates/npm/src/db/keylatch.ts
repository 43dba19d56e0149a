/** The database object: an engine, its default client, and the methods of the keyspace as a whole. */
import type { Argument } from '../base/argument.js';
import { Client } from '../client/client.js';
import { Connection, type ClientOptions } from '../client/connection.js';
import { SessionError } from '../base/errors.js';
import { Database } from './database.js';
import { INSPECT_KEY, inspectKey, type InspectedKey, type InspectKeyOptions } from './inspect-key.js';
import type { Host } from '../host/host.js';
import type { EngineModule } from '../host/module.js';
import { ObservableClient } from './observable.js';
import { engineOptions, type KeylatchOptions } from './options.js';
import { concat } from '../resp/concat.js';
import { textOf } from '../resp/reply.js';
import type { Streams } from '../host/streams.js';
import type { SaveRequests } from '../host/save-requests.js';
import { SESSION, type SessionOptions, type SessionReport } from '../session/session.js';
import { outlined } from '../session/session-lines.js';
import type { LoadResult, ReplayResult, SkipOptions } from './skipped.js';
import { checked, type Shape } from '../base/option-check.js';
import type { Tools } from './engine-tools.js';
import type { Unsubscribe } from '../client/subscriptions.js';
import { runWatched, TRANSACTION, type TransactionOptions } from '../client/watched-transaction.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { Encoder } from '../base/encoders.js';

/** Options of `inspectPage`. */
export interface KeyPageOptions {
  /** Cursor of the next page; '0' starts. */
  readonly cursor?: string | undefined;
  /** Approximate number of keys in the page. */
  readonly limit?: number | undefined;
  /** Number of the database, 0 unless given. */
  readonly db?: number | undefined;
}

/** A key with facts about its value. */
export interface KeyInfo<Key = string> {
  /** The key itself. */
  readonly key: Key;
  /** `string`, `list`, `set`, `zset`, `hash` or `stream`. */
  readonly type: string;
  /** Bytes of a string, elements of any other type. */
  readonly size: number;
  /** Deadline of the key in milliseconds since the epoch, or null. */
  readonly deadlineMs: number | null;
  /** Earliest deadline of the fields of a hash in milliseconds since the epoch, or null. */
  readonly fieldDeadlineMs: number | null;
}

/** Result of `inspectPage`. */
export interface KeyPage<Key = string> {
  /** Cursor of the next page; '0': this was the last one. */
  readonly cursor: string;
  /** Keys of the page, in no particular order. */
  readonly keys: readonly KeyInfo<Key>[];
  /** Number of keys in the database. Keys that are due count until they are removed, as in DBSIZE. */
  readonly total: number;
}

const PAGE: Shape<KeyPageOptions & { readonly buffer?: boolean | undefined }> = {
  cursor: 'text',
  limit: 'integer',
  db: 'integer',
  buffer: 'flag',
};

const encoder = /* @__PURE__ */ new Encoder();

export class Keylatch extends ObservableClient {
  /** @internal The engine of a class that has one. */
  static readonly builtIn: EngineModule | undefined = undefined;
  readonly #options: KeylatchOptions;
  readonly #database: Database;
  readonly #host: Host;

  /** Nothing is compiled or allocated before the first command. */
  constructor(given: KeylatchOptions = {}) {
    const options = engineOptions(given, new.target.builtIn);
    const database = new Database(options);
    super(database);
    this.#options = options;
    this.#database = database;
    this.#host = database.host;
  }

  /** An engine from a module the caller compiled: for strict content security policies, workers, shared modules. */
  static from(module: EngineModule, options: KeylatchOptions = {}): Keylatch {
    return new this({ ...engineOptions(options), module });
  }

  /** Connects another client to the keyspace. */
  client(options?: ClientOptions): Client {
    return new Client(this.#database.connection(options));
  }

  /**
   * Runs a function that reads, decides and writes, as one step: keys that it watches are unchanged until its EXEC, or the
   * function runs again. Its client is closed at the end. Rejects with WatchError after the last attempt.
   *
   * ```js
   * await db.transaction(async (client) => {
   *   client.watch('stock');
   *   const left = Number(client.get('stock'));
   *   if (left > 0) return client.multi().decr('stock').exec();
   * });
   * ```
   */
  transaction<T>(work: (client: Client) => T | Promise<T>, options?: TransactionOptions): Promise<T> {
    const given = checked('transaction', options, TRANSACTION);
    const begin = () => {
      const connection = new Connection(this.#host, { db: this.db });
      return { client: new Client(connection), isAborted: () => connection.isAborted };
    };
    return runWatched(begin, work, given);
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
    return this.#database.now();
  }

  /**
   * A page of the keys with their type, size and deadline. Changes nothing, not even access times.
   *
   * @example const { keys, cursor } = db.inspectPage({ limit: 50 });
   */
  inspectPage(options: KeyPageOptions & { readonly buffer: true }): KeyPage<Uint8Array>;
  /** Variant with keys as text. */
  inspectPage(options?: KeyPageOptions): KeyPage;
  inspectPage(options?: KeyPageOptions & { readonly buffer?: boolean | undefined }): KeyPage<string | Uint8Array> {
    const { cursor = '0', limit = 100, db = 0, buffer = false } = checked('inspectPage', options, PAGE);
    if (!/^\d{1,20}$/.test(cursor)) throw new CallerTypeError(`'${cursor}' is not a cursor`);
    if (!isBelow(limit, 2 ** 31)) throw new CallerTypeError('limit must be a positive integer');
    if (!isBelow(db, 16)) throw new CallerTypeError(`db must be from 0 to 15, found ${db}`);
    const page = this.#host.enter((instance) => instance.guarded(() => instance.engine.inspect(db, cursor, limit)));
    const keys = page.keys.map((info) => ({ ...info, key: buffer ? info.key : textOf(info.key) }));
    return { cursor: page.cursor, keys, total: page.total };
  }

  /**
   * A key with one page of its value, or null. Reads outside commands and clients: nothing is expired, counted as a hit,
   * marked as used or shown to monitors. In a set or hash, a later page takes longer.
   */
  inspectKey(key: Argument, options: InspectKeyOptions & { readonly buffer: true }): InspectedKey<Uint8Array> | null;
  inspectKey(key: Argument, options?: InspectKeyOptions): InspectedKey | null;
  inspectKey(key: Argument, options?: InspectKeyOptions): InspectedKey<string | Uint8Array> | null {
    return inspectKey(this.#host, key, checked('inspectKey', options, INSPECT_KEY));
  }

  /**
   * The name that `inspectPage` had before. Assertion libraries call a method of this name, with a depth and options, to
   * print the object.
   *
   * @internal
   */
  inspect(...given: readonly unknown[]): string {
    if (given.length >= 2) return this.inspectionText();
    throw new CallerTypeError(
      'db.inspect() is db.inspectPage() now: the old name belongs to consoles and test frameworks',
    );
  }

  /** @internal Functions of `keylatch/hints` and `keylatch/testing`. */
  get tools(): Tools {
    return {
      host: this.#host,
      printReply: (reply) => this.#database.input(reply, (engine, length) => engine.printReply(length)),
      splitLine: (line) => this.#database.splitLine(line),
      sessionLines: (text) =>
        outlined(
          text,
          this.#host.enter((instance) => instance.outline(encoder.encode(text))),
        ),
      runSession: (text, options) => this.#runSession(text, options),
      expectsReply: (step, reply) => this.#expectsReply(step, reply),
      takeFacts: (goesOn) => this.#host.enter((instance) => instance.guarded(() => instance.engine.takeFacts(goesOn))),
      loadFresh: (snapshot) =>
        this.#database.loading('loadFresh', snapshot, (engine, length) => engine.loadFresh(length)),
    };
  }

  #expectsReply(step: string, reply: Uint8Array): boolean {
    const text = encoder.encode(step);
    return this.#database.input(concat([text, reply]), (engine, length) => engine.expectsReply(length, text.length));
  }

  #runSession(text: string, options: SessionOptions): SessionReport {
    const manual = this.#host.manual;
    if (manual === undefined) throw new CallerTypeError('a session needs an engine created with a ManualClock');
    const { untilLine, brief = false, facts = false } = checked('runSession', options, SESSION);
    const result = this.#database.input(encoder.encode(text), (engine, length) =>
      engine.runSession(length, untilLine, brief, facts),
    );
    if (isSessionFailure(result)) throw new SessionError(result.message, result.line, result.column);
    manual.adopt((result as SessionReport).nowMs, this.#host);
    return result as SessionReport;
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

  /** @internal The keyspace, for parts of the package that need no client with methods. */
  get database(): Database {
    return this.#database;
  }

  /** @internal True once the engine has trapped. */
  get poisoned(): boolean {
    return this.#host.poisoned;
  }

  /** @internal Saves that commands request, for the engine's store. */
  get saves(): SaveRequests {
    return this.#host.saves;
  }

  /** Clients over byte streams. */
  get streams(): Streams {
    return this.#database.streams;
  }

  /** Starts or stops recording the log of effects. */
  record(on: boolean): void {
    this.#host.record(on);
  }

  /**
   * Calls back when effects are pending, and starts recording: the signal for a store, which needs no polling. The next call
   * comes after `takeEffects`, or when 64 KB more are pending. Returns a function that removes the listener; recording goes on.
   */
  onEffects(listener: () => void): Unsubscribe {
    const end = this.#host.onEffects(listener);
    return Object.assign(end, { [Symbol.dispose]: end });
  }

  /** @internal Makes the call in progress throw an error of the store: its change is in memory only. */
  failCall(error: Error): void {
    this.#host.failCall(error);
  }

  /** Effects since the last call, as a piece of an append-only file; empty when there were none. */
  takeEffects(): Uint8Array {
    this.#host.enter((instance) => instance.guarded(() => instance.engine.endScript('finish')));
    return this.#host.takeEffects();
  }

  /** @internal Variant of `takeEffects` that leaves the effects of a suspended script: they are taken when it has ended. */
  takeEndedEffects(): Uint8Array {
    return this.#host.takeEffects();
  }

  /**
   * Replays pieces of a log in their order. A torn last unit is dropped; damage, newer versions and commands of other
   * programs throw LoadError. With `skip: 'unsupported'` the latter are left out.
   */
  replay(log: Uint8Array, options?: SkipOptions): ReplayResult {
    return this.#database.replay(log, options);
  }

  /** All databases as bytes for `load`. */
  snapshot(): Uint8Array {
    return this.#database.snapshot();
  }

  /**
   * Replaces all databases by those of a snapshot, or of an RDB file of Redis. A value of a type that the engine lacks, such
   * as one of a module, throws LoadError. With `skip: 'unsupported'` such keys are left out, and listed in the result.
   *
   * @example
   * const { skipped } = db.load(readFileSync('dump.rdb'), { skip: 'unsupported' });
   */
  load(snapshot: Uint8Array, options?: SkipOptions): LoadResult {
    return this.#database.load(snapshot, options);
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
