/**
 * Requests that run once for each Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): the first one runs, later ones
 * get its response. Knows no framework.
 */
import { checked, refuse, type Shape } from '../../base/option-check.js';
import type { LockStore } from '../../locks/commander.js';
import { NeverAcquired } from '../../locks/errors.js';
import type { Locks } from '../../locks/manager.js';
import { locks } from '../../locks/open.js';
import { wholeNumber } from '../../locks/options.js';
import { fingerprintOf } from './fingerprint.js';
import { keyOf } from './idempotency-key.js';
import { isKept, type Kept, replayed } from './kept-response.js';
import { problem, type PlainResponse, retryAfter } from './plain-response.js';
import { Run } from './run.js';
import { failed, type StoreFailureOptions } from './store-failure.js';

/** Options of idempotency keys. `Request` is what the framework hands to its handlers. */
export interface IdempotencyOptions<Request> extends StoreFailureOptions {
  /** Client that the key belongs to, such as a user's id: responses are never replayed to another one. */
  readonly scope: (request: Request) => string | Promise<string>;
  /** True: a request without the header is refused with 400. */
  readonly required?: boolean | undefined;
  /** Methods of requests that are looked at; POST and PATCH by default. */
  readonly methods?: readonly string[] | undefined;
  /** How long responses are kept, in milliseconds; a day by default. */
  readonly keep?: number | undefined;
  /** Lease of a request that runs, in milliseconds; renewed while it runs. 30,000 by default. */
  readonly ttl?: number | undefined;
  /** Most bytes of a response that is kept; 1 MiB by default. */
  readonly maxBytes?: number | undefined;
  /** Whether a response is kept, by its status; all below 500 by default. */
  readonly keeps?: ((status: number) => boolean) | undefined;
  /** Text in front of each key; `idempotency:` by default. */
  readonly prefix?: string | undefined;
}

const OPTIONS: Shape<IdempotencyOptions<never>> = {
  scope: 'function',
  required: 'flag',
  methods: 'any',
  keep: 'integer',
  ttl: 'integer',
  maxBytes: 'integer',
  keeps: 'function',
  prefix: 'text',
  onFailure: ['open', 'closed'],
  onError: 'function',
};

const DAY_MS = 86_400_000;
const TTL_MS = 30_000;
const MAX_BYTES = 1 << 20;
/** Delay after which a client may ask for the response of a request that runs. */
const RUNNING_MS = 1000;

/** The parts of a request that decide about it. */
export interface IdempotentCall {
  readonly method: string;
  /** Path and query. */
  readonly address: string;
  readonly header: string | undefined;
  body(): Uint8Array | Promise<Uint8Array>;
}

/** A run that the handler's response ends, a response in place of it, or undefined for a request that just passes. */
export type Begun = Run | PlainResponse | undefined;

/** Begins requests. */
export class Idempotency<Request> {
  readonly #method: string;
  readonly #options: IdempotencyOptions<Request>;
  readonly #methods: readonly string[];
  readonly #lease: { readonly wait: 0; readonly ttl: number; readonly keep: number };
  readonly #locks: Locks;
  readonly maxBytes: number;

  constructor(method: string, store: LockStore, options: IdempotencyOptions<Request>) {
    const given = checked(method, options, OPTIONS as Shape<IdempotencyOptions<Request>>);
    const { scope, methods = ['POST', 'PATCH'], keep = DAY_MS, ttl = TTL_MS, maxBytes = MAX_BYTES } = given;
    if (scope === undefined) refuse(method, 'scope', 'a function of the request', scope);
    if (!Array.isArray(methods) || !methods.every((name) => typeof name === 'string'))
      refuse(method, 'methods', 'an array of strings', methods);
    this.#method = method;
    this.#options = given;
    this.#methods = methods;
    this.#lease = { wait: 0, ttl: wholeNumber(method, 'ttl', ttl, 1), keep: wholeNumber(method, 'keep', keep, 1) };
    this.maxBytes = wholeNumber(method, 'maxBytes', maxBytes, 0);
    this.#locks = locks(store, { prefix: given.prefix ?? 'idempotency:' });
  }

  /** Looks for the response of a request, and begins a run if there is none. */
  async begin(request: Request, call: IdempotentCall): Promise<Begun> {
    if (!this.#methods.includes(call.method)) return undefined;
    if (call.header === undefined)
      return this.#options.required ? problem(400, 'this request needs the header Idempotency-Key') : undefined;
    const key = keyOf(call.header);
    if (key === undefined) return problem(400, 'Idempotency-Key must be a string of at most 255 printable characters');
    const scope = await this.#options.scope(request);
    if (typeof scope !== 'string') refuse(this.#method, 'the scope', 'a string', scope);
    const fingerprint = await fingerprintOf(call.method, call.address, await call.body());
    // With its length in front, no scope and key have the text of others.
    return this.#once(`${scope.length}:${scope}:${key}`, fingerprint);
  }

  async #once(id: string, fingerprint: string): Promise<Begun> {
    const { keeps = (status) => status < 500, onError, onFailure = 'closed' } = this.#options;
    const run = new Run({ fingerprint, maxBytes: this.maxBytes, ttlMs: this.#lease.ttl, keeps, onError });
    try {
      const before = await run.begin((task) => this.#locks.once(id, this.#lease, task));
      return before === undefined ? run : answerOf(before, fingerprint);
    } catch (error) {
      // Another request runs: the store itself has not failed, so there is no cause.
      if (error instanceof NeverAcquired && error.cause === undefined)
        return problem(409, 'a request with this Idempotency-Key is being processed', retryAfter(RUNNING_MS));
      return failed(error, { onFailure, onError });
    }
  }
}

/** The response to a request with the key of an earlier one. */
function answerOf(before: Kept, fingerprint: string): PlainResponse {
  if (!isKept(before)) throw new Error('the key of the request holds something that is no response');
  if (before.fingerprint !== fingerprint)
    return problem(422, 'this Idempotency-Key was used for a request with another method, address or body');
  const tooLarge = 'the request was processed before; its response was too large to be kept';
  return replayed(before) ?? problem(409, tooLarge);
}
