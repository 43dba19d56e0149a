/** The options of an engine, checked. */
import { ManualClock } from '../host/clock.js';
import type { GlueOptions } from '../host/glue.js';
import { checked, type Shape } from '../base/option-check.js';
import type { EngineModule } from '../host/module.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Options of an engine. */
export interface KeylatchOptions {
  /** The engine. The main entry has one built in. */
  readonly module?: EngineModule | undefined;
  /** The clock: milliseconds since the epoch, read when a command needs the time. Default `() => Date.now()`. */
  readonly now?: (() => number) | undefined;
  /**
   * `system` follows `now` also backwards, `monotonic` never goes back, a ManualClock stands still until it is moved.
   * Default `system`.
   */
  readonly clock?: 'system' | 'monotonic' | ManualClock | undefined;
  /** Seed of all random choices, which makes them reproducible: an unsigned 64-bit number. Random by default. */
  readonly seed?: number | bigint | undefined;
  /** With `monotonic`: lower bound of the clock. */
  readonly floorMs?: number | undefined;
  /** Limit of the keys' memory: bytes, or text as redis.conf has it (`100mb`). Default 0: no limit. */
  readonly maxmemory?: number | string | undefined;
  /** Policy for keys to evict at the limit. Default `noeviction`: commands that would take more memory are refused. */
  readonly maxmemoryPolicy?: MaxmemoryPolicy | undefined;
}

const POLICIES = [
  'noeviction',
  'allkeys-lru',
  'allkeys-lrm',
  'allkeys-lfu',
  'allkeys-random',
  'volatile-lru',
  'volatile-lrm',
  'volatile-lfu',
  'volatile-random',
  'volatile-ttl',
] as const;

/** `maxmemory-policy` of redis.conf. */
export type MaxmemoryPolicy = (typeof POLICIES)[number];

const KEYLATCH: Shape<KeylatchOptions> = {
  maxmemory: 'any',
  maxmemoryPolicy: POLICIES,
  now: 'function',
  clock: 'any',
  seed: 'any',
  floorMs: 'integer',
  module: 'any',
};

/** A checked copy of the options, with the built-in engine where none is given. */
export function engineOptions(options: KeylatchOptions | undefined, builtIn?: EngineModule): KeylatchOptions {
  const given = checked('Keylatch', options, KEYLATCH);
  return given.module === undefined && builtIn !== undefined ? { ...given, module: builtIn } : given;
}

const SEED_MAX = 2n ** 64n - 1n;

/** @internal Checks the options immediately; a random seed is drawn only when the engine is created. */
export function glueOptions(options: KeylatchOptions): () => GlueOptions {
  const { now, clock = 'system', seed, floorMs } = options;
  const manual = clock instanceof ManualClock;
  if (now !== undefined && typeof now !== 'function') throw new CallerTypeError('now must be a function');
  if (now !== undefined && manual)
    throw new CallerTypeError('now cannot be combined with a ManualClock: omit one of them');
  if (!manual && clock !== 'system' && clock !== 'monotonic') {
    throw new CallerTypeError("clock must be 'system', 'monotonic' or a ManualClock");
  }
  if (floorMs !== undefined && !Number.isSafeInteger(floorMs))
    throw new CallerTypeError('floorMs must be whole milliseconds');
  const fixed = seed === undefined ? undefined : checkedSeed(seed);
  return () => ({
    seed: fixed ?? randomSeed(),
    monotonic: clock === 'monotonic',
    manual,
    ...(floorMs === undefined ? {} : { floorMs }),
  });
}

/** @internal Initial configuration of the engine, checked: names of redis.conf with their values. */
export function parametersOf({ maxmemory, maxmemoryPolicy }: KeylatchOptions): [string, string][] {
  const parameters: [string, string][] = [];
  if (maxmemory !== undefined) {
    if (!isMemory(maxmemory)) throw new CallerTypeError("maxmemory must be a number of bytes, or text such as '100mb'");
    parameters.push(['maxmemory', String(maxmemory)]);
  }
  if (maxmemoryPolicy !== undefined) {
    if (!POLICIES.includes(maxmemoryPolicy))
      throw new CallerTypeError(`maxmemoryPolicy must be one of ${POLICIES.join(', ')}`);
    parameters.push(['maxmemory-policy', maxmemoryPolicy]);
  }
  return parameters;
}

function isMemory(size: unknown): boolean {
  return typeof size === 'string'
    ? /^\d+(b|[kmg]b?)?$/i.test(size)
    : Number.isSafeInteger(size) && (size as number) >= 0;
}

function checkedSeed(seed: number | bigint): string {
  if (typeof seed === 'bigint' ? seed >= 0n && seed <= SEED_MAX : Number.isSafeInteger(seed) && seed >= 0) {
    return seed.toString();
  }
  throw new CallerTypeError('seed must be a safe integer or a bigint from 0 to 2^64 - 1');
}

function randomSeed(): string {
  return crypto.getRandomValues(new BigUint64Array(1)).toString();
}
