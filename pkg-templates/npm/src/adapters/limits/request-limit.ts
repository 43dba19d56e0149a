/** Limits of requests: the decision about one, with its headers. Knows no framework. */
import { checked, refuse, type Shape } from '../../base/option-check.js';
import type { LockStore } from '../../locks/commander.js';
import type { LimitResult } from '../../locks/coordination.js';
import { AskedCoordination } from '../../locks/asked.js';
import { askLimit, limitQuestion, type LimitRule, RULE } from '../../locks/limit.js';
import { timeOf } from '../../locks/open.js';
import { wholeNumber } from '../../locks/options.js';
import { type Header, problem, type PlainResponse, retryAfter, secondsOf } from './plain-response.js';
import { failed, type StoreFailureOptions } from './store-failure.js';

/** Options of a limit of requests. `Request` is what the framework hands to its handlers. */
export interface RequestLimitOptions<Request> extends LimitRule, StoreFailureOptions {
  /** Key that requests are counted by: a user's id, a token, an address. */
  readonly key: (request: Request) => string | Promise<string>;
  /** True for requests that are neither counted nor refused. */
  readonly skip?: ((request: Request) => boolean | Promise<boolean>) | undefined;
  /** How much a request takes; 1 by default. */
  readonly cost?: number | ((request: Request) => number | Promise<number>) | undefined;
  /** Name of the policy in the headers; `default` by default. */
  readonly name?: string | undefined;
  /** Text in front of each key; `limit:` by default. */
  readonly prefix?: string | undefined;
  /** False: no headers RateLimit and RateLimit-Policy. */
  readonly headers?: boolean | undefined;
}

const OPTIONS: Shape<RequestLimitOptions<never>> = {
  ...RULE,
  key: 'function',
  skip: 'function',
  cost: 'any',
  name: 'text',
  prefix: 'text',
  headers: 'flag',
  onFailure: ['open', 'closed'],
  onError: 'function',
};

const PRINTABLE = /^[\x20-\x7e]+$/;

/** The decision about a request. */
export interface Decision {
  /** Headers of the response, whatever it is. */
  readonly headers: readonly Header[];
  /** The response in place of the handler's, if the request is refused. */
  readonly refusal?: PlainResponse | undefined;
}

const PASSES: Decision = /* @__PURE__ */ Object.freeze({ headers: [] });

/** Decides about requests by a limit for each key. */
export class RequestLimit<Request> {
  readonly #method: string;
  readonly #options: RequestLimitOptions<Request>;
  readonly #rule: LimitRule;
  readonly #policy: string;
  readonly #prefix: string;
  readonly #store: Parameters<typeof askLimit>[0];

  constructor(method: string, store: LockStore, options: RequestLimitOptions<Request>) {
    const given = checked(method, options, OPTIONS as Shape<RequestLimitOptions<Request>>);
    const { limit, period, kind, burst, timeout, key, name = 'default', prefix = 'limit:' } = given;
    if (key === undefined) refuse(method, 'key', 'a function of the request', key);
    if (!PRINTABLE.test(name)) refuse(method, 'name', 'printable ASCII characters', name);
    this.#method = method;
    this.#options = given;
    this.#rule = { limit, period, kind, burst, timeout };
    // Refuses wrong values when the server starts, and not with its first request.
    limitQuestion('', this.#rule);
    this.#policy = `"${name.replace(/["\\]/g, '\\$&')}"`;
    this.#prefix = prefix;
    const time = timeOf(store);
    this.#store = { coordination: new AskedCoordination(store, time), time };
  }

  /** Asks the store. */
  async decide(request: Request): Promise<Decision> {
    const { skip, key, onError, onFailure = 'open' } = this.#options;
    if (await skip?.(request)) return PASSES;
    const name = await key(request);
    if (typeof name !== 'string' || name === '') refuse(this.#method, 'the key', 'a string that is not empty', name);
    const cost = await this.#costOf(request);
    let result: LimitResult;
    try {
      result = await askLimit(this.#store, (one) => this.#prefix + one, name, { ...this.#rule, cost });
    } catch (error) {
      return { headers: [], refusal: failed(error, { onFailure, onError }) };
    }
    const headers = this.#headersOf(result);
    return result.allowed ? { headers } : { headers, refusal: refusalOf(result) };
  }

  async #costOf(request: Request): Promise<number> {
    const { cost = 1 } = this.#options;
    return wholeNumber(this.#method, 'cost', typeof cost === 'function' ? await cost(request) : cost, 1);
  }

  /** Headers of draft-ietf-httpapi-ratelimit-headers, in the form that it has since version 08. */
  #headersOf({ remaining, resetMs }: LimitResult): Header[] {
    const { limit, period } = this.#rule;
    if (this.#options.headers === false) return [];
    return [
      ['RateLimit-Policy', `${this.#policy};q=${limit};w=${secondsOf(period)}`],
      ['RateLimit', `${this.#policy};r=${remaining};t=${secondsOf(Math.max(resetMs, 0))}`],
    ];
  }
}

function refusalOf({ retryAfterMs }: LimitResult): PlainResponse {
  return problem(429, 'there were too many requests', retryAfter(retryAfterMs));
}
