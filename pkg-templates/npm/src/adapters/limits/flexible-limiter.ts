/** A limiter with the interface of rate-limiter-flexible, which it does not import: points by key, in periods of seconds. */
import { CallerTypeError } from '../../base/caller-errors.js';
import { checked, refuse, type Shape } from '../../base/option-check.js';
import type { LockStore } from '../../locks/commander.js';
import { pause } from '../../locks/time.js';
import { Counters } from './counters.js';
import { RateLimiterRes } from './limiter-result.js';

/** Options of a call. */
export interface FlexibleCallOptions {
  /** Length of a period that begins with this call, in seconds; that of the limiter by default. */
  readonly customDuration?: number | undefined;
}

/** Methods of the interface. */
interface Methods {
  /** Takes points; rejects if they do not suffice. */
  consume(key: string | number, points?: number, options?: object): Promise<object>;
  /** Takes points without a refusal. */
  penalty(key: string | number, points?: number, options?: object): Promise<object>;
  /** Gives points back. */
  reward(key: string | number, points?: number, options?: object): Promise<object>;
  /** State of a key, or null. */
  get(key: string | number, options?: object): Promise<object | null>;
  /** Sets the consumed points. */
  set(key: string | number, points: number, secDuration: number, options?: object): Promise<object>;
  /** Blocks a key. */
  block(key: string | number, secDuration: number, options?: object): Promise<object>;
  /** Forgets a key. */
  delete(key: string | number, options?: object): Promise<boolean>;
}

/** A limiter of the interface, of this package or of the library. */
export interface FlexibleInsurance extends Methods {
  /** Seconds of a block; set to those of the insured limiter. */
  blockDuration: number;
  /** Whether calls are spread over the period; set to that of the insured limiter. */
  execEvenly: boolean;
}

/** Options of `FlexibleLimiter`, with the names and units of the library. */
export interface FlexibleLimiterOptions {
  /** A database of keylatch, or a client object of a server. */
  readonly storeClient: LockStore;
  /** Points of a key in a period. */
  readonly points: number;
  /** Length of a period in seconds; 0 for one without an end. */
  readonly duration: number;
  /** Seconds for which a key is blocked once it has consumed too much; 0 (default) until the end of its period. */
  readonly blockDuration?: number | undefined;
  /** True: calls are delayed, so that they are spread over the period. */
  readonly execEvenly?: boolean | undefined;
  /** Shortest delay of `execEvenly` in milliseconds; the period divided by the points by default. */
  readonly execEvenlyMinDelayMs?: number | undefined;
  /** Text in front of each key, with a colon behind it; `rlflx` by default. */
  readonly keyPrefix?: string | undefined;
  /** Limiter that is asked in place of a store that fails. */
  readonly insuranceLimiter?: FlexibleInsurance | undefined;
  /** Longest time to wait for the store in milliseconds; 2000 by default. */
  readonly timeout?: number | undefined;
}

const OPTIONS: Shape<FlexibleLimiterOptions> = {
  storeClient: 'object',
  points: 'integer',
  duration: 'number',
  blockDuration: 'number',
  execEvenly: 'flag',
  execEvenlyMinDelayMs: 'number',
  keyPrefix: 'text',
  insuranceLimiter: 'object',
  timeout: 'integer',
};

const MS_PER_SECOND = 1000;
/** Longest period: thirty thousand years, which Redis takes as a deadline in milliseconds. */
const SECONDS_MAX = 1e12;

type Key = string | number;

/**
 * A limiter in place of `RateLimiterRedis`, with the keys and counts of that. `consume` rejects with a RateLimiterRes if the
 * points do not suffice, and with an Error if the store fails.
 */
export class FlexibleLimiter implements FlexibleInsurance {
  /** Points of a key in a period. */
  points: number;
  /** Length of a period in seconds. */
  duration: number;
  /** Seconds of a block. */
  blockDuration: number;
  /** Whether calls are spread over the period. */
  execEvenly: boolean;
  /** Shortest delay of `execEvenly` in milliseconds. */
  execEvenlyMinDelayMs: number;
  /** Text in front of each key. */
  readonly keyPrefix: string;
  /** Limiter that is asked in place of a store that fails. */
  readonly insuranceLimiter: FlexibleInsurance | undefined;
  readonly #counters: Counters;

  /**
   * Lets the library's own classes (unions, queues, wrappers, insurance) take limiters of this class: pass
   * `RateLimiterCompatibleAbstract` of rate-limiter-flexible.
   */
  static register(base: { readonly prototype: object }): void {
    if (typeof base?.prototype !== 'object') refuse('register', 'the class', 'RateLimiterCompatibleAbstract', base);
    Object.setPrototypeOf(FlexibleLimiter.prototype, base.prototype);
  }

  constructor(options: FlexibleLimiterOptions) {
    const given = checked('FlexibleLimiter', options, OPTIONS);
    const { storeClient, points, duration, blockDuration = 0, execEvenly = false, insuranceLimiter } = given;
    const { keyPrefix = 'rlflx', timeout } = given;
    if (!Number.isSafeInteger(points)) refuse('FlexibleLimiter', 'points', 'a safe integer', points);
    this.points = points;
    this.duration = checkedSeconds('FlexibleLimiter', 'duration', duration);
    this.blockDuration = checkedSeconds('FlexibleLimiter', 'blockDuration', blockDuration);
    this.execEvenly = execEvenly;
    const spread = points > 0 ? Math.ceil((duration * MS_PER_SECOND) / points) : 0;
    this.execEvenlyMinDelayMs = given.execEvenlyMinDelayMs ?? spread;
    this.keyPrefix = keyPrefix;
    this.insuranceLimiter = insuranceLimiter;
    if (insuranceLimiter !== undefined) Object.assign(insuranceLimiter, { blockDuration, execEvenly });
    this.#counters = new Counters('FlexibleLimiter', storeClient, timeout);
  }

  /** Takes points. Those that do not suffice are counted too, and the promise rejects. */
  consume(key: Key, points = 1, options: FlexibleCallOptions = {}): Promise<RateLimiterRes> {
    return this.#insured('consume', [key, points, options], async () => {
      const taken = await this.#add('consume', key, points, options);
      if (taken.consumedPoints > this.points) throw await this.#refusal(key, points, taken);
      return this.execEvenly ? this.#spread(taken) : taken;
    });
  }

  /** Takes points without a refusal. */
  penalty(key: Key, points = 1, options: FlexibleCallOptions = {}): Promise<RateLimiterRes> {
    return this.#insured('penalty', [key, points, options], () => this.#add('penalty', key, points, options));
  }

  /** Gives points back. */
  reward(key: Key, points = 1, options: FlexibleCallOptions = {}): Promise<RateLimiterRes> {
    return this.#insured('reward', [key, points, options], () => this.#add('reward', key, -points, options));
  }

  /** State of a key; null if nothing of it is counted. */
  get(key: Key): Promise<RateLimiterRes | null> {
    return this.#insured('get', [key], async () => {
      const found = await this.#counters.read(this.getKey(key));
      return found && new RateLimiterRes(this.points, found.count, found.leftMs, found.count === 0);
    });
  }

  /** Sets the consumed points for a number of seconds; 0 for good. */
  set(key: Key, points: number, secDuration: number): Promise<RateLimiterRes> {
    const duration = secDuration >= 0 ? secDuration : this.duration;
    return this.#insured('set', [key, points, duration], () => this.#write('set', key, points, duration));
  }

  /** Blocks a key for a number of seconds; 0 for good. */
  block(key: Key, secDuration: number): Promise<RateLimiterRes> {
    return this.#insured('block', [key, secDuration], () => this.#write('block', key, this.points + 1, secDuration));
  }

  /** Forgets a key; false if nothing of it was counted. */
  delete(key: Key): Promise<boolean> {
    return this.#insured('delete', [key], () => this.#counters.remove(this.getKey(key)));
  }

  /** The key in the store. */
  getKey(key: Key): string {
    return this.keyPrefix === '' ? String(key) : `${this.keyPrefix}:${key}`;
  }

  async #add(method: string, key: Key, points: number, options: FlexibleCallOptions): Promise<RateLimiterRes> {
    integer(method, points);
    const periodMs = periodOf(method, options.customDuration ?? this.duration);
    const { count, leftMs } = await this.#counters.add(this.getKey(key), points, periodMs);
    return new RateLimiterRes(this.points, count, leftMs, count === points);
  }

  async #write(method: string, key: Key, points: number, duration: number): Promise<RateLimiterRes> {
    integer(method, points);
    const periodMs = periodOf(method, duration);
    await this.#counters.write(this.getKey(key), points, periodMs);
    return new RateLimiterRes(0, points, periodMs === 0 ? -1 : periodMs);
  }

  /** The refusal of a consumption. The one that exceeds the points first begins a block. */
  async #refusal(key: Key, points: number, refused: RateLimiterRes): Promise<RateLimiterRes> {
    const { consumedPoints } = refused;
    if (this.blockDuration === 0 || consumedPoints > this.points + points) return refused;
    return this.#write('consume', key, consumedPoints, this.blockDuration);
  }

  /** Delays a consumption by its share of the period. */
  async #spread(result: RateLimiterRes): Promise<RateLimiterRes> {
    const { msBeforeNext, remainingPoints, consumedPoints, isFirstInDuration } = result;
    if (isFirstInDuration || msBeforeNext <= 0) return result;
    const share = Math.ceil(msBeforeNext / (remainingPoints + 2));
    const delayMs = share < this.execEvenlyMinDelayMs ? consumedPoints * this.execEvenlyMinDelayMs : share;
    await pause(this.#counters.time, delayMs, undefined);
    return new RateLimiterRes(this.points, consumedPoints, Math.max(msBeforeNext - delayMs, 0));
  }

  /** The answer of the store, or that of the insurance if the store fails. */
  async #insured<T>(method: keyof Methods, parameters: readonly unknown[], run: () => Promise<T>): Promise<T> {
    try {
      return await run();
    } catch (error) {
      const insurance = this.insuranceLimiter;
      const isAnswer = error instanceof RateLimiterRes || error instanceof CallerTypeError;
      if (insurance === undefined || isAnswer) throw error;
      return (insurance[method] as (...parameters: readonly unknown[]) => Promise<T>)(...parameters);
    }
  }
}

function integer(method: string, points: number): void {
  if (!Number.isSafeInteger(points)) refuse(method, 'the number of points', 'a safe integer', points);
}

/** A period in milliseconds: whole ones, and at least one unless it has no end. */
function periodOf(method: string, seconds: number): number {
  return Math.ceil(checkedSeconds(method, 'the duration', seconds) * MS_PER_SECOND);
}

function checkedSeconds(method: string, name: string, seconds: number): number {
  if (!(seconds >= 0 && seconds <= SECONDS_MAX)) refuse(method, name, 'a number of seconds, 0 for no end', seconds);
  return seconds;
}
