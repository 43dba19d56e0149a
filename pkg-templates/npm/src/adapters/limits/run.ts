/** One run of a request with an Idempotency-Key: from the lease of its key until its response is stored. */
import { ANSWER_MS } from '../../locks/bounds.js';
import { pause, SYSTEM_TIME } from '../../locks/time.js';
import { type HandlerResponse, type Kept, kept } from './kept-response.js';

/** Terms of a run. */
export interface RunTerms {
  readonly fingerprint: string;
  readonly maxBytes: number;
  readonly ttlMs: number;
  readonly keeps: (status: number) => boolean;
  readonly onError: ((error: unknown) => void) | undefined;
}

/** Ends a run without a response that is kept: the next request with the key runs. */
const NOT_KEPT = /* @__PURE__ */ Symbol('not kept');

/** A run. Every one that has begun must be ended. */
export class Run {
  readonly #terms: RunTerms;
  readonly #response: Promise<Kept>;
  #resolve!: (response: Kept) => void;
  #reject!: (reason: unknown) => void;
  #stored: Promise<unknown> = Promise.resolve();
  #isOver = false;
  #cancel = (): void => {};

  constructor(terms: RunTerms) {
    this.#terms = terms;
    this.#response = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Without a lease there is no task that waits for it.
    this.#response.catch(() => {});
  }

  /** Begins by a task that runs once. Resolves to undefined once it runs, or to the result of an earlier one. */
  begin(once: (task: () => Promise<Kept>) => Promise<Kept>): Promise<Kept | undefined> {
    return new Promise((resolve, reject) => {
      let hasBegun = false;
      this.#stored = once(() => {
        hasBegun = true;
        resolve(undefined);
        return this.#response;
      }).then(resolve, (error: unknown) => {
        if (!hasBegun) reject(error);
        else if (error !== NOT_KEPT) this.#terms.onError?.(error);
      });
    });
  }

  /**
   * Stores the response. Resolves once it is stored, or cannot be: the client of this request gets its response in any case,
   * and later than two seconds only by its handler.
   */
  async end(response: HandlerResponse): Promise<void> {
    const { fingerprint, maxBytes, keeps } = this.#terms;
    this.#close();
    if (keeps(response.status)) this.#resolve(kept(fingerprint, response, maxBytes));
    else this.#reject(NOT_KEPT);
    const isOver = new AbortController();
    await Promise.race([this.#stored, pause(SYSTEM_TIME, ANSWER_MS, isOver.signal)]);
    isOver.abort();
  }

  /** Ends without a response: the handler has thrown. */
  abandon(): void {
    this.#close();
    this.#reject(NOT_KEPT);
  }

  /** Gives the handler another lease to end, after its client has gone. One that never ends would hold the key for good. */
  clientGone(): void {
    if (!this.#isOver) this.#cancel = SYSTEM_TIME.after(this.#terms.ttlMs, () => this.abandon());
  }

  #close(): void {
    this.#isOver = true;
    this.#cancel();
  }
}
