/// <reference lib="esnext.disposable" preserve="true" />
/**
 * One client of an engine: a database, transaction and watched keys of its own, in a keyspace shared with the others.
 */
import type { Argument } from './argument.js';
import type { Carried, Now } from './result-mode.js';
import type { Connection } from './connection.js';
import { ReplyError } from './errors.js';
import { NO_ROW } from './frame.js';
import type { Row } from './generated/convention.js';
import { Multi } from './multi.js';
import { decodeReplies, type Reply } from './reply.js';
import { FED_CLOSED, FED_MORE } from './streams.js';
import { Walks } from './sugar/walks.js';
import type { Unsubscribe } from './subscriptions.js';
import { TRACK, Tracking, type InvalidationListener, type TrackOptions } from './tracking.js';
import { checked } from './sugar/option-check.js';
import { runTransaction } from './transaction.js';
import { waitFor, type WaitOptions } from './waits.js';

/** Result of feeding a chunk of RESP. */
export interface Fed {
  readonly output: Uint8Array;
  /** True when reading stopped because too much output is pending: feed an empty chunk to continue. */
  readonly more: boolean;
  /** True when the client is to be disconnected. */
  readonly closed: boolean;
}

/** Runs commands immediately, and returns promises for blocking ones; bulk strings as Text. */
class Direct<Text extends string | Uint8Array> extends Walks<Text> {
  readonly #connection: Connection;
  readonly #asBytes: boolean;

  /** @internal */
  constructor(connection: Connection, asBytes: boolean) {
    super();
    this.#connection = connection;
    this.#asBytes = asBytes;
  }

  protected override execute<T>(argv: readonly Argument[]): Carried<Now, T> {
    const reply = this.#connection.reply(NO_ROW, argv, this.#asBytes);
    if (reply instanceof ReplyError) throw reply;
    return reply as Carried<Now, T>;
  }

  protected override run<T>(row: Row, argv: readonly Argument[]): Carried<Now, T> {
    const reply = this.#connection.reply(row, argv, this.#asBytes);
    if (reply instanceof ReplyError) throw reply;
    return reply as Carried<Now, T>;
  }

  protected override run1<T>(row: Row, first: Argument): Carried<Now, T> {
    const reply = this.#connection.reply1(row, first, this.#asBytes);
    if (reply instanceof ReplyError) throw reply;
    return reply as Carried<Now, T>;
  }

  protected override run2<T>(row: Row, first: Argument, second: Argument): Carried<Now, T> {
    const reply = this.#connection.reply2(row, first, second, this.#asBytes);
    if (reply instanceof ReplyError) throw reply;
    return reply as Carried<Now, T>;
  }

  protected override run3<T>(row: Row, first: Argument, second: Argument, third: Argument): Carried<Now, T> {
    const reply = this.#connection.reply3(row, first, second, third, this.#asBytes);
    if (reply instanceof ReplyError) throw reply;
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

  /** A transaction: queue commands on it, then `exec()`. */
  multi(): Multi<[], Text> {
    return new Multi<[], Text>((queue) => runTransaction(this.#connection, queue, this.#asBytes));
  }

  /** Watches keys: if one changes, the next transaction of this client returns null. */
  watch(...keys: Argument[]): 'OK' {
    return this.execute<'OK'>(['WATCH', ...keys]);
  }

  unwatch(): 'OK' {
    return this.execute<'OK'>(['UNWATCH']);
  }
}

/** A client with bulk strings as Uint8Array. */
export class BytesClient extends Direct<Uint8Array> {}

export class Client extends Direct<string> implements Disposable {
  readonly #connection: Connection;
  #bytes: BytesClient | undefined;
  #tracking: Tracking | undefined;

  /** @internal Use `db.client()`. */
  constructor(connection: Connection) {
    super(connection, false);
    this.#connection = connection;
  }

  /** This client with bulk strings as Uint8Array. */
  get bytes(): BytesClient {
    return (this.#bytes ??= new BytesClient(this.#connection, true));
  }

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

  get protocol(): 2 | 3 {
    return this.#connection.info().protocol;
  }

  /** True between MULTI and EXEC. */
  get inTransaction(): boolean {
    return this.#connection.info().inTransaction;
  }

  get closed(): boolean {
    return this.#connection.closed || this.#connection.host.closed;
  }

  /** Runs one command; its reply as RESP bytes, errors included. Empty when the client is blocked. */
  callRaw(...argv: Argument[]): Uint8Array {
    const id = this.#connection.id();
    return this.#connection.host.enter((instance) => {
      return instance.callRaw(id, argv);
    });
  }

  /** Feeds a chunk of RESP requests, cut anywhere, and returns their replies. */
  feed(chunk: Uint8Array): Fed {
    const id = this.#connection.id();
    return this.#connection.host.enter((instance) => {
      const output = instance.feed(id, chunk);
      if (output === undefined) throw this.#connection.host.clockFailure();
      const fed = instance.engine.fed();
      return { output, more: (fed & FED_MORE) !== 0, closed: (fed & FED_CLOSED) !== 0 };
    });
  }

  /** Messages and late replies for this client up to this instant, as RESP bytes. */
  takeOutbox(): Uint8Array {
    const id = this.#connection.id();
    return this.#connection.host.enter((instance) => {
      // No other call may have read the clock since: a timeout may have passed.
      if (instance.guarded(() => instance.engine.nextDeadline()) !== undefined) this.#connection.host.tick();
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
    if (typeof listener !== 'function') throw new TypeError('the callback of track must be a function');
    if (this.#tracking && !this.#tracking.over)
      throw new Error('this client already tracks keys: end that first or use another client');
    if (this.inTransaction) throw new Error('a client cannot begin to track between MULTI and EXEC');
    const tracking = new Tracking(this.#connection, listener, given);
    const end = tracking.start();
    this.#tracking = tracking;
    return end;
  }

  /** Disconnects the client and discards its transaction and watched keys. */
  close(): void {
    this.#connection.disconnect();
  }

  [Symbol.dispose](): void {
    this.close();
  }
}
