/// <reference lib="esnext.disposable" preserve="true" />
/** Messages of a channel, or events of keys, as an async iterator with a queue of bounded length. */
import type { Shape } from '../base/option-check.js';
import { abortReason, onAbort, type AbortSignalLike } from '../base/abort.js';
import { CallerRangeError } from '../base/caller-errors.js';

/** Default length of the queue. */
const LIMIT = 1024;

/** Options of `messages`. */
export interface MessagesOptions {
  /** Messages as Uint8Array. */
  readonly buffer?: boolean | undefined;
  /** Length of the queue, 1024 by default. The iteration fails when it overflows. */
  readonly limit?: number | undefined;
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined;
}

/** @internal */
export const MESSAGES: Shape<MessagesOptions> = { limit: 'number', buffer: 'flag', signal: 'signal' };

interface Reader<Text> {
  readonly resolve: (result: IteratorResult<Text, undefined>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The queue between publisher and reader: unread messages, or a pending read. */
export class Messages<Text> implements AsyncIterableIterator<Text, undefined>, Disposable {
  readonly #limit: number;
  readonly #unsubscribe: () => void;
  readonly #stopListening: () => void;
  #queue: Text[] = [];
  #readers: Reader<Text>[] = [];
  #over = false;
  #failure: { readonly reason: unknown } | undefined;

  /** @internal `subscribe` registers callbacks for a message and for the end of the engine. */
  constructor(
    subscribe: (listener: (item: Text) => void, ended: () => void) => () => void,
    { limit = LIMIT, signal }: MessagesOptions,
  ) {
    if (!(limit >= 1)) throw new CallerRangeError('limit must be at least 1');
    if (signal?.aborted) throw abortReason(signal);
    this.#limit = limit;
    this.#unsubscribe = subscribe(
      (message) => this.#push(message),
      () => this.#end(),
    );
    this.#stopListening = onAbort(signal, () => this.#end({ reason: signal && abortReason(signal) }));
  }

  /** The next message; waits for one. */
  next(): Promise<IteratorResult<Text, undefined>> {
    if (this.#queue.length > 0) return Promise.resolve({ done: false, value: this.#queue.shift() as Text });
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) return Promise.reject(failure.reason);
    if (this.#over) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** Unsubscribes; unread messages are dropped. */
  return(): Promise<IteratorResult<Text, undefined>> {
    this.#queue = [];
    this.#end();
    this.#failure = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  /** This object, for `for await`. */
  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Ends the iteration. */
  [Symbol.dispose](): void {
    void this.return();
  }

  #push(message: Text): void {
    const reader = this.#readers.shift();
    if (reader) return reader.resolve({ done: false, value: message });
    if (this.#queue.length < this.#limit) this.#queue.push(message);
    else
      this.#end({
        reason: new CallerRangeError(`more than ${this.#limit} are unread: read faster, or set a larger limit`),
      });
  }

  /** Ends the queue: unread messages are read first, then the failure is thrown once, then the iteration is done. */
  #end(failure?: { readonly reason: unknown }): void {
    if (this.#over) return;
    this.#over = true;
    this.#unsubscribe();
    this.#stopListening();
    const [first, ...others] = this.#readers.splice(0);
    if (failure && first) first.reject(failure.reason);
    else if (failure) this.#failure = failure;
    else first?.resolve({ done: true, value: undefined });
    for (const other of others) other.resolve({ done: true, value: undefined });
  }
}
