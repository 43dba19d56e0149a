/** Event listeners, and the delivery of events to them. Independent of the engine. */
import type { RawEvent } from './glue.js';
import { textOf } from './reply.js';

/** Event types, in the vocabulary of Redis keyspace notifications. */
export type EventName =
  | 'set'
  | 'append'
  | 'incrby'
  | 'incrbyfloat'
  | 'setrange'
  | 'setbit'
  | 'del'
  | 'expire'
  | 'expired'
  | 'persist'
  | 'evicted'
  | 'rename_from'
  | 'rename_to'
  | 'copy_to'
  | 'move_from'
  | 'move_to'
  | 'restore'
  | 'lpush'
  | 'rpush'
  | 'lpop'
  | 'rpop'
  | 'lset'
  | 'linsert'
  | 'lrem'
  | 'ltrim'
  | 'sadd'
  | 'srem'
  | 'spop'
  | 'sinterstore'
  | 'sunionstore'
  | 'sdiffstore'
  | 'hset'
  | 'hdel'
  | 'hincrby'
  | 'hincrbyfloat'
  | 'hexpire'
  | 'hexpired'
  | 'hpersist'
  | 'zadd'
  | 'zincr'
  | 'zrem'
  | 'zpopmin'
  | 'zpopmax'
  | 'zrangestore'
  | 'zinterstore'
  | 'zunionstore'
  | 'zdiffstore'
  | 'zremrangebyrank'
  | 'zremrangebyscore'
  | 'zremrangebylex'
  | 'clock'
  | (string & {});

export interface KeyEvent<Key = string> {
  readonly event: EventName;
  readonly key: Key;
  readonly db: number;
}

export type EventListener<Key = string> = (event: KeyEvent<Key>) => void;
export type ErrorListener = (error: unknown) => void;

export interface ListenOptions {
  /** Keys as Uint8Array instead of string. */
  readonly buffer?: boolean | undefined;
}

/** Any listener. */
export type Callback = (argument: never) => void;

interface Listener {
  readonly event: string;
  readonly callback: Callback;
  readonly once: boolean;
  readonly buffer: boolean;
}

export class Events {
  // Replaced, never modified in place: a delivery in progress continues with the list it started with.
  #listeners: readonly Listener[] = [];

  /** Names of the events with a listener, except errors, separated by blanks. */
  get wanted(): string {
    const names = new Set(this.#listeners.map(({ event }) => event));
    names.delete('error');
    return [...names].sort().join(' ');
  }

  add(event: string, callback: Callback, once: boolean, options: ListenOptions = {}): void {
    if (typeof callback !== 'function') throw new TypeError(`the listener of '${event}' must be a function`);
    const listener = { event, callback, once, buffer: options.buffer ?? false };
    this.#listeners = [...this.#listeners, listener];
  }

  /** Removes the newest registration of this callback. */
  remove(event: string, callback: Callback): void {
    const found = this.#listeners.findLast((listener) => listener.event === event && listener.callback === callback);
    if (found) this.#drop(found);
  }

  clear(): void {
    this.#listeners = [];
  }

  dispatch(raw: RawEvent): void {
    for (const listener of this.#listeners) {
      if (listener.event !== raw.event && listener.event !== '*') continue;
      // A `once` listener runs once, and a removed one not at all, also within this delivery.
      if (!this.#listeners.includes(listener)) continue;
      if (listener.once) this.#drop(listener);
      const key = listener.buffer ? raw.key : textOf(raw.key);
      const event: KeyEvent<string | Uint8Array> = { event: raw.event, key, db: raw.db };
      this.run(() => (listener.callback as EventListener<string | Uint8Array>)(event));
    }
  }

  /**
   * Passes an error to the listeners of 'error', or else to the global handler of uncaught errors: never into the call
   * in progress.
   */
  report(error: unknown): void {
    const listeners = this.#listeners.filter(({ event }) => event === 'error');
    if (listeners.length === 0) rethrowLater(error);
    for (const listener of listeners) {
      if (listener.once) this.#drop(listener);
      try {
        (listener.callback as ErrorListener)(error);
      } catch (second) {
        rethrowLater(second);
      }
    }
  }

  /** Runs a callback; its error is reported as `report` does. */
  run(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      this.report(error);
    }
  }

  #drop(listener: Listener): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener);
  }
}

function rethrowLater(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
