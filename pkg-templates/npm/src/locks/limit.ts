/** Rate limits: how often something may happen, counted in the store. */
import { checked, type Shape } from '../base/option-check.js';
import { ANSWER_MS, answered } from './bounds.js';
import type { Coordination, LimitRequest, LimitResult } from './coordination.js';
import { namesOf, wholeNumber } from './options.js';
import type { Time } from './time.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** How much is allowed, and how that is counted. */
export interface LimitRule {
  /** How much is allowed in a period. */
  readonly limit: number;
  /** Length of a period in milliseconds. */
  readonly period: number;
  /**
   * `smooth` (default) allows a burst and then spreads the rest evenly, `fixed` counts in periods that follow each other,
   * `sliding` counts the period before now exactly, for limits up to 10,000.
   */
  readonly kind?: 'smooth' | 'fixed' | 'sliding' | undefined;
  /** How much `smooth` allows at once; `limit` by default. */
  readonly burst?: number | undefined;
  /** Longest time to wait for the store in milliseconds, 2000 by default; then the call rejects with `NoAnswer`. */
  readonly timeout?: number | undefined;
}

/** Options of `limit`. */
export interface LimitOptions extends LimitRule {
  /** How much this request takes; 1 by default. */
  readonly cost?: number | undefined;
  /** True: shows the answer and takes nothing. */
  readonly peek?: boolean | undefined;
}

/** @internal */
export const RULE: Shape<LimitRule> = {
  limit: 'integer',
  period: 'integer',
  kind: ['smooth', 'fixed', 'sliding'],
  burst: 'integer',
  timeout: 'integer',
};

const LIMIT: Shape<LimitOptions> = { ...RULE, cost: 'integer', peek: 'flag' };

/** A question to a limiter, and the longest time for its answer. */
interface LimitQuestion {
  readonly request: LimitRequest;
  readonly limitMs: number;
}

/** @internal The question of checked options. */
export function limitQuestion(key: string, options: LimitOptions): LimitQuestion {
  const { limit, period, kind = 'smooth', burst, cost = 1, peek = false, timeout = ANSWER_MS } = options;
  if (burst !== undefined && kind !== 'smooth')
    throw new CallerTypeError(`limit: burst is an option of the kind 'smooth', not of '${kind}'`);
  const request: LimitRequest = {
    key,
    limit: wholeNumber('limit', 'limit', limit, 1),
    periodMs: wholeNumber('limit', 'period', period, 1),
    burst: burst === undefined ? undefined : wholeNumber('limit', 'burst', burst, 1),
    cost: wholeNumber('limit', 'cost', cost, 1),
    kind,
    peek,
  };
  return { request, limitMs: wholeNumber('limit', 'timeout', timeout, 1) };
}

/** @internal Asks the limiter of a name. */
export async function askLimit(
  { coordination, time }: { readonly coordination: Coordination; readonly time: Time },
  keyOf: (name: string) => string,
  name: string,
  options: LimitOptions,
): Promise<LimitResult> {
  const [only = ''] = namesOf('limit', name);
  const { request, limitMs } = limitQuestion(keyOf(only), checked('limit', options, LIMIT));
  return answered(coordination, time, { limitMs, ask: () => coordination.limit(request) });
}
