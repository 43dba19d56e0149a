/// <reference lib="esnext.disposable" preserve="true" />
/** Messages of a channel as an async iterator, with a queue of bounded length between publisher and reader. */
import type { MessageListener, Unsubscribe } from './subscriptions.js';
import { abortReason, type AbortSignalLike } from './waits.js';

/** So many messages may wait to be read by default. */
const LIMIT = 1024;

export interface MessagesOptions {
  /** Messages as Uint8Array. */
  readonly buffer?: boolean;
  /** How many messages may wait to be read, 1024 by default: with one more the iteration fails. */
  readonly limit?: number;
  /** Ends the iteration with the signal's reason. */
  readonly signal?: AbortSignalLike | undefined;
}

interface Reader<Text> {
  readonly resolve: (result: IteratorResult<Text, undefined>) => void;
  readonly reject: (reason: unknown) => void;
}

/** The queue between: what came and was not read, or who reads and waits. */
export class Messages<Text> implements AsyncIterableIterator<Text, undefined>, Disposable {
  readonly #limit: number;
  readonly #unsubscribe: Unsubscribe;
  readonly #stopListening: () => void;
  #queue: Text[] = [];
  #readers: Reader<Text>[] = [];
  #over = false;
  #failure: { readonly reason: unknown } | undefined;

  /** @internal `subscribe` is told what to do with a message, and what when the engine ends. */
  constructor(
    subscribe: (listener: MessageListener<Text>, ended: () => void) => Unsubscribe,
    { limit = LIMIT, signal }: MessagesOptions,
  ) {
    if (!(limit >= 1)) throw new RangeError('limit must be at least 1');
    if (signal?.aborted) throw abortReason(signal);
    this.#limit = limit;
    this.#unsubscribe = subscribe(
      (message) => this.#push(message),
      () => this.#end(),
    );
    const abort = (): void => this.#end({ reason: signal && abortReason(signal) });
    signal?.addEventListener('abort', abort);
    this.#stopListening = () => signal?.removeEventListener('abort', abort);
  }

  next(): Promise<IteratorResult<Text, undefined>> {
    if (this.#queue.length > 0) return Promise.resolve({ done: false, value: this.#queue.shift() as Text });
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure) return Promise.reject(failure.reason);
    if (this.#over) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve, reject) => this.#readers.push({ resolve, reject }));
  }

  /** Stops listening; what was not read is dropped. */
  return(): Promise<IteratorResult<Text, undefined>> {
    this.#queue = [];
    this.#end();
    this.#failure = undefined;
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    void this.return();
  }

  #push(message: Text): void {
    const reader = this.#readers.shift();
    if (reader) return reader.resolve({ done: false, value: message });
    if (this.#queue.length < this.#limit) this.#queue.push(message);
    else this.#end({ reason: new RangeError(`more than ${this.#limit} messages are unread`) });
  }

  /** What came before is still read; then the failure, once, then nothing. */
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
