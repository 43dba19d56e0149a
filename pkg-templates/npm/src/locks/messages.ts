/** Messages of the locks of a client object: on one channel, received by one connection, each for one owner. */
import { hasCode } from './errors.js';
import { Reopening } from './reopening.js';
import { newOwner, type Time } from './time.js';

/** A connection that receives the messages of a channel. */
export interface Subscription {
  close(): void;
}

/** Events of a subscription. */
export interface SubscriptionEvents {
  message(text: string): void;
  /** The connection is gone: no messages arrive any more. */
  failed(): void;
}

/** Opens subscriptions. */
export interface SubscriberSource {
  /** Resolves when messages arrive. */
  open(channel: string, events: SubscriptionEvents): Promise<Subscription>;
}

/** Gets the milliseconds until the owner should look at its lock; negative: its lease was stolen. */
export type LookListener = (lookMs: number) => void;

/** The connection is kept for the next lock. */
const LINGER_MS = 5000;

const boxes = new WeakMap<SubscriberSource, Messages>();

/** The messages of a source: any number of locks need one connection. */
export function messagesOf(source: SubscriberSource, time: Time): Messages {
  const known = boxes.get(source) ?? new Messages(source, time);
  boxes.set(source, known);
  return known;
}

/**
 * Listeners by owner. Each is called when messages begin to arrive, at first and after the connection was lost: those of
 * the time before are missing.
 */
export class Messages {
  readonly #name = `keylatch:${newOwner()}`;
  readonly #source: SubscriberSource;
  readonly #time: Time;
  readonly #listeners = new Map<string, Set<LookListener>>();
  #subscription: Promise<Subscription> | undefined;
  readonly #reopening: Reopening;
  #isRefused = false;
  #cancelClose = (): void => {};

  constructor(source: SubscriberSource, time: Time) {
    this.#source = source;
    this.#time = time;
    this.#reopening = new Reopening(time, () => this.open());
  }

  /** The channel; undefined once the server has refused the subscription. */
  get channel(): string | undefined {
    return this.#isRefused ? undefined : this.#name;
  }

  /** Calls back for each message to an owner, if the connection is open. */
  listen(owner: string, listener: LookListener): () => void {
    const listeners = this.#listeners.get(owner) ?? new Set();
    this.#listeners.set(owner, listeners.add(listener));
    this.#cancelClose();
    return () => this.#remove(owner, listener);
  }

  /** Opens the connection, unless it is open. */
  open(): void {
    if (this.#subscription !== undefined || this.#isRefused) return;
    const opening = this.#source.open(this.#name, {
      message: (text) => this.#received(text),
      failed: () => {
        if (this.#subscription === opening) this.#lost();
      },
    });
    this.#subscription = opening;
    opening.then(
      () => this.#opened(opening),
      (error: unknown) => this.#refused(opening, error),
    );
  }

  #opened(opening: Promise<Subscription>): void {
    if (this.#subscription !== opening) return;
    this.#reopening.end();
    this.#lookAll();
  }

  #refused(opening: Promise<Subscription>, error: unknown): void {
    if (this.#subscription !== opening) return;
    if (!hasCode(error, 'NOPERM')) return this.#lost();
    // Without the right to the channel, waiting clients ask again.
    this.#isRefused = true;
    this.#subscription = undefined;
    this.#lookAll();
  }

  #lost(): void {
    this.#close();
    if (this.#listeners.size > 0) this.#reopening.lost();
  }

  #received(text: string): void {
    const end = text.indexOf(' ');
    const lookMs = Number(text.slice(0, end));
    for (const listener of [...(this.#listeners.get(text.slice(end + 1)) ?? [])]) listener(lookMs);
  }

  #lookAll(): void {
    for (const listeners of [...this.#listeners.values()]) for (const listener of [...listeners]) listener(0);
  }

  #remove(owner: string, listener: LookListener): void {
    const listeners = this.#listeners.get(owner);
    if (listeners === undefined || !listeners.delete(listener)) return;
    if (listeners.size === 0) this.#listeners.delete(owner);
    if (this.#listeners.size > 0) return;
    this.#reopening.end();
    if (this.#subscription === undefined) return;
    this.#cancelClose();
    this.#cancelClose = this.#time.after(LINGER_MS, () => this.#close());
  }

  #close(): void {
    const subscription = this.#subscription;
    this.#subscription = undefined;
    subscription?.then((open) => open.close()).catch(() => {});
  }
}
