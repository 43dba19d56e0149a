/**
 * Locks of a plain Redis or Valkey: one exclusive lock for each key, by commands that every server has, or that it said
 * it has. A waiting client polls. Whatever needs more throws NotSupported with the command that is missing.
 */
import { repeated } from './backoff.js';
import type { Commander } from './commander.js';
import type { AcquireRequest, Claim, Grant } from './coordination.js';
import { MutexOnly } from './mutex-only.js';
import { elapsedMs, instant, type Instant, type Time } from './time.js';

/** Commands by which a server compares an owner and acts in one step. */
export interface Features {
  readonly delex: boolean;
  readonly delifeq: boolean;
  readonly setIfeq: boolean;
  readonly eval: boolean;
}

/** Commands that change nothing and show whether the server has them; `key` has to be missing. */
const PROBES: Readonly<Record<keyof Features, (key: string) => string[]>> = {
  delex: (key) => ['DELEX', key, 'IFEQ', ''],
  delifeq: (key) => ['DELIFEQ', key, ''],
  setIfeq: (key) => ['SET', key, '', 'IFEQ', 'x', 'PX', '1'],
  eval: () => ['EVAL', 'return 1', '0'],
};

/** Errors of a server that lacks a command or an option, or of a user without the right to it. */
const LACKING = /unknown command|syntax error|NOPERM|not (available|supported|allowed|permitted)|disabled/i;

/** Whether a server has a command: asked by running it. Errors of other kinds pass through. */
export async function understands(commander: Commander, argv: readonly string[]): Promise<boolean> {
  try {
    await commander.send(argv);
    return true;
  } catch (error) {
    if (error instanceof Error && LACKING.test(error.message)) return false;
    throw error;
  }
}

/** Asks a server for the commands that locks can use. */
export async function featuresOf(commander: Commander, key: string): Promise<Features> {
  const names = Object.keys(PROBES) as (keyof Features)[];
  const answers = await Promise.all(names.map((name) => understands(commander, PROBES[name](key))));
  return Object.fromEntries(names.map((name, index) => [name, answers[index]])) as unknown as Features;
}

/** Sets the owner if the key is missing, or has that owner already, and counts the token in the same step. */
const ACQUIRE = `local owner = redis.call('GET', KEYS[1])
if owner and owner ~= ARGV[1] then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return redis.call('INCR', KEYS[2])`;

/** Extends the owner's lease and never shortens it. Returns what is left. */
const RENEW = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
return redis.call('PTTL', KEYS[1])`;

const RELEASE = `if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])`;

/** Key with the count of a lock's grants, in the hash slot of the lock. */
export function tokenKey(key: string): string {
  const open = key.indexOf('{');
  const hasTag = open !== -1 && key.indexOf('}', open + 1) > open + 1;
  return hasTag ? `${key}:token` : `{${key}}:token`;
}

const LIMITS =
  'the server does not have: a plain Redis or Valkey has exclusive locks of one key only; ' +
  "keylatch's server has the rest";

/** Locks as strings: the value is the owner. */
export class PlainCoordination extends MutexOnly {
  protected readonly limits = LIMITS;

  constructor(
    private readonly commander: Commander,
    private readonly features: Features,
    private readonly time: Time,
  ) {
    super();
  }

  async acquire(request: AcquireRequest): Promise<Grant | null> {
    const key = this.mutexOf(request);
    const { owner, ttlMs, waitMs, signal } = request;
    // A lock that can be neither renewed nor released by its owner alone is not begun.
    if (!this.features.eval && !this.features.setIfeq) this.lacking('EVAL', 'a lock');
    return repeated(this.time, { waitMs, signal }, async () => {
      const sent = instant(this.time);
      const token = await (this.features.eval
        ? this.#acquireByScript(key, owner, ttlMs)
        : this.#acquireBySet(key, owner, ttlMs, sent));
      return token === null ? null : { token, sent, validMs: ttlMs };
    });
  }

  async #acquireByScript(key: string, owner: string, ttlMs: number): Promise<number | null> {
    const token = await this.commander.send(['EVAL', ACQUIRE, '2', key, tokenKey(key), owner, String(ttlMs)]);
    return token === null || token === undefined ? null : Number(token);
  }

  /**
   * Without scripts the token is counted after the grant. A grant with a lease that has ended by then is dropped, so that a
   * slow owner does not hold a token beyond that of the next one.
   */
  async #acquireBySet(key: string, owner: string, ttlMs: number, sent: Instant): Promise<number | null> {
    const set = await this.commander.send(['SET', key, owner, 'NX', 'PX', String(ttlMs)]);
    // A client that lost the reply sends the command again, which then finds its own lock.
    if (set === null && (await this.commander.send(['GET', key])) !== owner) return null;
    const token = Number(await this.commander.send(['INCR', tokenKey(key)]));
    return elapsedMs(this.time, sent) < ttlMs ? token : null;
  }

  async renew({ keys: [key = ''], owner }: Claim, ttlMs: number, asShared = false): Promise<number> {
    if (asShared) this.lacking('LATCH.RENEW', 'a shared lock');
    if (this.features.eval) {
      return Math.max(0, Number(await this.commander.send(['EVAL', RENEW, '1', key, owner, String(ttlMs)])));
    }
    const set = await this.commander.send(['SET', key, owner, 'IFEQ', owner, 'PX', String(ttlMs)]);
    return set === null ? 0 : ttlMs;
  }

  async check({ keys: [key = ''], owner }: Claim): Promise<boolean> {
    return (await this.commander.send(['GET', key])) === owner;
  }

  async release({ keys: [key = ''], owner }: Claim): Promise<boolean> {
    const { delex, delifeq } = this.features;
    if (delex) return Number(await this.commander.send(['DELEX', key, 'IFEQ', owner])) === 1;
    if (delifeq) return Number(await this.commander.send(['DELIFEQ', key, owner])) === 1;
    if (this.features.eval) return Number(await this.commander.send(['EVAL', RELEASE, '1', key, owner])) === 1;
    return (await this.commander.send(['SET', key, '', 'IFEQ', owner, 'PX', '1'])) !== null;
  }
}
