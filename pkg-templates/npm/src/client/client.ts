/// <reference lib="esnext.disposable" preserve="true" />
/**
 * One client of an engine: a database, transaction and watched keys of its own, in a keyspace shared with the others.
 */
import type { Argument } from '../base/argument.js';
import type { Carried, Now } from '../base/result-mode.js';
import type { Connection, FeedResult } from './connection.js';
import { isReplyError } from '../base/errors.js';
import type { Row } from '../host/generated/convention.js';
import { inspectionText, printsItself } from './inspection-text.js';
import { CodedValues, JSON_CODEC, readThrough, type Codec, type Loader, type LoadOptions } from './json.js';
import { PrefixedClient } from './prefix.js';
import { decodeReplies, type Reply } from '../resp/reply.js';
import type { Site } from './single-flight.js';
import { fromCaller } from '../base/stack.js';
import type { Unsubscribe } from './subscriptions.js';
import { TRACK, Tracking, type InvalidationListener, type TrackOptions } from './tracking.js';
import { checked } from '../base/option-check.js';
import { runTransaction } from './transaction.js';
import { TransactionCommands } from './transaction-commands.js';
import { waitFor, type WaitOptions } from './waits.js';
import { CallerTypeError } from '../base/caller-errors.js';

const SHARED_WATCH =
  'the client of the database is shared by the whole program, so WATCH on it would lose updates: ' +
  'use db.transaction(async (client) => ...), or watch on a db.client() of your own';

/** Runs commands immediately, and returns promises for blocking ones; bulk strings as Text. */
class Direct<Text extends string | Uint8Array> extends TransactionCommands<Text> {
  readonly #connection: Connection;
  readonly #asBytes: boolean;

  /** @internal */
  constructor(connection: Connection, asBytes: boolean) {
    super();
    this.#connection = connection;
    this.#asBytes = asBytes;
  }

  protected override execute<T>(argv: readonly Argument[]): Carried<Now, T> {
    const reply = this.#connection.reply(argv, this.#asBytes);
    if (isReplyError(reply)) throw reply;
    return reply as Carried<Now, T>;
  }

  /** @internal */
  protected override run<T>(row: Row, argv: readonly Argument[]): Carried<Now, T> {
    const reply = this.#connection.reply(argv, this.#asBytes, row);
    if (isReplyError(reply)) throw reply;
    return reply as Carried<Now, T>;
  }

  /** @internal */
  protected override run1<T>(row: Row, first: Argument): Carried<Now, T> {
    const reply = this.#connection.reply1(row, first, this.#asBytes);
    if (isReplyError(reply)) throw reply;
    return reply as Carried<Now, T>;
  }

  /** @internal */
  protected override run2<T>(row: Row, first: Argument, second: Argument): Carried<Now, T> {
    const reply = this.#connection.reply2(row, first, second, this.#asBytes);
    if (isReplyError(reply)) throw reply;
    return reply as Carried<Now, T>;
  }

  /** @internal */
  protected override run3<T>(row: Row, first: Argument, second: Argument, third: Argument): Carried<Now, T> {
    const reply = this.#connection.reply3(row, first, second, third, this.#asBytes);
    if (isReplyError(reply)) throw reply;
    return reply as Carried<Now, T>;
  }

  protected override executeWaiting<T>(
    argv: readonly Argument[],
    timeout: number,
    { signal }: WaitOptions,
  ): Promise<T> {
    const request = { argv, asBytes: this.#asBytes, timed: timeout > 0, signal };
    return waitFor(this.#connection, request) as Promise<T>;
  }

  /** @internal */
  protected override transact(queue: readonly (readonly Argument[])[]): unknown {
    return runTransaction(this.#connection, queue, this.#asBytes);
  }

  /**
   * Watches keys: if one changes, the next transaction of this client returns null. Only for clients of `db.client()` and
   * `db.transaction()`: on the database itself another part of the program could run EXEC in between.
   */
  override watch(...keys: Argument[]): 'OK' {
    if (this.#connection.isShared) throw fromCaller(new Error(SHARED_WATCH));
    return super.watch(...keys);
  }
}

/** A client with bulk strings as Uint8Array. */
export class BytesClient extends Direct<Uint8Array> {}

/** A client: a connection to the keyspace with a database, a transaction and watched keys of its own. */
export class Client extends Direct<string> implements Disposable {
  /** @internal */
  static readonly isPrinted: boolean = /* @__PURE__ */ printsItself(this);
  readonly #connection: Connection;
  readonly #site: Site;
  #bytes: BytesClient | undefined;
  #json: CodedValues | undefined;
  #tracking: Tracking | undefined;

  /** @internal Use `db.client()`. */
  constructor(connection: Connection) {
    super(connection, false);
    this.#connection = connection;
    this.#site = { connection, absolute: (key) => key };
  }

  /** This client with bulk strings as Uint8Array. */
  get bytes(): BytesClient {
    return (this.#bytes ??= new BytesClient(this.#connection, true));
  }

  /** Values as JSON: `db.json.set('k', { a: [1] })`, `db.json.get('k')`. `db.json.with(codec)` has another form. */
  get json(): CodedValues {
    return (this.#json ??= new CodedValues(this, this.#site, JSON_CODEC));
  }

  /**
   * The value of a key; loads and stores it if the key is missing. `life` is the time to live in milliseconds, or options.
   * Concurrent callers of one engine share one load. A failed load is not stored and rejects for all of them. Null and
   * undefined are returned and not stored. If the key is written during the load, that value is kept and returned.
   */
  getOrSet<T>(
    key: Argument,
    life: LoadOptions & { readonly as: 'json' | 'bytes' | Codec },
    load: Loader<T>,
  ): Promise<T>;
  getOrSet<T extends Argument | null | undefined>(
    key: Argument,
    life: number | (LoadOptions & { readonly as?: 'text' }),
    load: Loader<T>,
  ): Promise<string | Extract<T, null | undefined>>;
  getOrSet<T>(key: Argument, life: number | LoadOptions, load: Loader<T>): Promise<T> {
    return readThrough(this, this.#site, key, life, load);
  }

  /** A view of this client in which each key gets a prefix: `db.prefix('user:').get('1')` reads `user:1`. */
  prefix(text: string): PrefixedClient {
    return new PrefixedClient(this.#connection, text);
  }

  /** Number of the client, as CLIENT ID returns it. */
  get id(): number {
    return this.#connection.id();
  }

  /** Name of the client, or ''. */
  get name(): string {
    return this.#connection.info().name;
  }

  /** Database of the client. */
  get db(): number {
    return this.#connection.info().db;
  }

  /** Protocol of `callRaw` and `feed`: 2 for RESP2, 3 for RESP3. */
  get protocol(): 2 | 3 {
    return this.#connection.info().protocol;
  }

  /** True between MULTI and EXEC. */
  get inTransaction(): boolean {
    return this.#connection.info().inTransaction;
  }

  /** True once the client or the engine was closed. */
  get closed(): boolean {
    return this.#connection.closed || this.#connection.host.closed;
  }

  /** Runs one command; its reply as RESP bytes, errors included. Empty when the client is blocked or its replies are off. */
  callRaw(...argv: Argument[]): Uint8Array {
    return this.#connection.replyBytes(argv);
  }

  /** Feeds a chunk of RESP requests, cut anywhere, and returns their replies. */
  feed(chunk: Uint8Array): FeedResult {
    return this.#connection.feed(chunk);
  }

  /** Messages and late replies for this client up to this instant, as RESP bytes. */
  takeOutbox(): Uint8Array {
    const id = this.#connection.id();
    return this.#connection.host.enter((instance) => {
      // No other call may have read the clock since: a timeout may have passed.
      if (instance.guarded(() => instance.engine.nextDeadline(false)) !== undefined) this.#connection.host.tick();
      return instance.guarded(() => instance.engine.outbox(id));
    });
  }

  /** Messages and late replies as `takeOutbox` has them, decoded. */
  takePushes(): Reply[] {
    return decodeReplies(this.takeOutbox());
  }

  /**
   * Calls back when copies of keys that this client has read since are out of date, each key once until it is read
   * again; with `bcast` when any key changes. Returns a function that ends it; `using` does too.
   */
  track(listener: InvalidationListener<Uint8Array>, options: TrackOptions & { readonly buffer: true }): Unsubscribe;
  track(listener: InvalidationListener, options?: TrackOptions): Unsubscribe;
  track(listener: InvalidationListener<never>, options?: TrackOptions): Unsubscribe {
    const given = checked('track', options, TRACK);
    if (typeof listener !== 'function') throw new CallerTypeError('the callback of track must be a function');
    if (this.#tracking && !this.#tracking.over)
      throw fromCaller(new Error('this client already tracks keys: end that first or use another client'));
    if (this.inTransaction) throw fromCaller(new Error('a client cannot begin to track between MULTI and EXEC'));
    const tracking = new Tracking(this.#connection, listener, given);
    const end = tracking.start();
    this.#tracking = tracking;
    return end;
  }

  /** Disconnects the client and discards its transaction and watched keys. */
  close(): void {
    this.#connection.disconnect();
  }

  /** Closes the client at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.close();
  }

  /** Facts for `JSON.stringify`, which has no access to the data. */
  toJSON(): { name: string; closed: boolean } {
    return { name: this.constructor.name, closed: this.closed };
  }

  /** @internal */
  inspectionText(): string {
    const id = this.#connection.knownId;
    return inspectionText(this.constructor.name, { id, closed: this.closed });
  }
}
