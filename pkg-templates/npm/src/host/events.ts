/** Event listeners, and the delivery of events to them. Independent of the engine. */
import type { EventKind } from './generated/events.js';
import type { RawEvent } from './glue.js';
import { bytesOf, type Argument } from '../base/argument.js';
import { globMatcher } from '../base/glob.js';
import { textOf } from '../resp/reply.js';
import type { Shape } from '../base/option-check.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Name of an event to listen to: a kind of event, or `*` for all. */
export type EventName = EventKind | '*';

/** A change of a key, made by a command or by the passing of time. */
export interface KeyEvent<Key = string> {
  /** Kind of the change. */
  readonly event: EventKind;
  /** The key; '' (or no bytes) for events of the engine itself, such as `clock`. */
  readonly key: Key;
  /** Number of the key's database. */
  readonly db: number;
}

/** Listener of `on`: called with each event, when the command that caused it has its reply. */
export type EventListener<Key = string> = (event: KeyEvent<Key>) => void;

/** Listener of `on('error')`: called with the errors that other listeners throw. */
export type ErrorListener = (error: unknown) => void;

/** Options of `on` and `once`. */
export interface ListenOptions {
  /** Keys as Uint8Array instead of string. */
  readonly buffer?: boolean | undefined;
  /** Only keys that match this glob pattern, as KEYS has it: `user:*`. */
  readonly match?: Argument | undefined;
}

/** @internal */
export const LISTEN: Shape<ListenOptions> = { buffer: 'flag', match: 'argument' };

/** @internal Any listener. */
export type Callback = (argument: never) => void;

interface Listener {
  readonly event: string;
  readonly callback: Callback;
  readonly once: boolean;
  readonly buffer: boolean;
  readonly matches: ((key: Uint8Array) => boolean) | undefined;
  /** Called when the engine is closed. */
  readonly ended: (() => void) | undefined;
}

/** @internal */
export class Events {
  // Replaced, never modified in place: a delivery in progress continues with the list it started with.
  #listeners: readonly Listener[] = [];

  /** Names of the events with a listener, except errors, separated by blanks. */
  get wanted(): string {
    const names = new Set(this.#listeners.map(({ event }) => event));
    names.delete('error');
    return [...names].sort().join(' ');
  }

  /** Adds a listener. Returns a function that removes it. */
  add(event: string, callback: Callback, once: boolean, options: ListenOptions = {}, ended?: () => void): () => void {
    if (typeof callback !== 'function') throw new CallerTypeError(`the listener of '${event}' must be a function`);
    const { buffer = false, match } = options;
    const matches = match === undefined ? undefined : globMatcher(bytesOf(match, 1, 'match'));
    const listener: Listener = { event, callback, once, buffer, matches, ended };
    this.#listeners = [...this.#listeners, listener];
    return () => this.#drop(listener);
  }

  /** Removes the newest registration of this callback. */
  remove(event: string, callback: Callback): void {
    const found = this.#listeners.findLast((listener) => listener.event === event && listener.callback === callback);
    if (found) this.#drop(found);
  }

  /** Removes all listeners, and ends iterations. */
  clear(): void {
    const listeners = this.#listeners;
    this.#listeners = [];
    for (const { ended } of listeners) ended?.();
  }

  dispatch(raw: RawEvent): void {
    for (const listener of this.#listeners) {
      if (listener.event !== raw.event && listener.event !== '*') continue;
      // A `once` listener runs once, and a removed one not at all, also within this delivery.
      if (!this.#listeners.includes(listener)) continue;
      if (listener.matches !== undefined && !listener.matches(raw.key)) continue;
      if (listener.once) this.#drop(listener);
      const key = listener.buffer ? raw.key : textOf(raw.key);
      const event: KeyEvent<string | Uint8Array> = { event: raw.event as EventKind, key, db: raw.db };
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
