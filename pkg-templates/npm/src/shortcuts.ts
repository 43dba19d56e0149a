/**
 * The short way of the commands a program calls most: text into the scratch area, one call with numbers, text out of the
 * engine's memory. Everything here answers `undefined` when the command has to go the ordinary way, before anything was
 * done: other arguments than short text, somebody who listens, a transaction, and whatever else stands in the way.
 */
import type { Argument } from './argument.js';
import { ReplyError } from './errors.js';
import type { HotExports } from './glue.js';
import type { Host } from './host.js';
import type { Instance } from './instance.js';
import { Scratch, VALUE_AT } from './scratch.js';

// Names that cost nothing: the value of a constant of a module is looked up each time.

/** Answers of the engine that are no results, as src/wasm/hot.rs names them. */
const enum Answer {
  Ordinary = -1e18,
  Nil = -2e18,
  Output = -3e18,
  Time = -4e18,
  Value = -5e18,
  /** Every result is above. */
  NoResult = -1e17,
}

const enum Presence {
  Any = 0,
  Missing = 1,
  There = 2,
  /** As Missing, for Presence.Setnx. */
  Setnx = 3,
}

/** Told in place of a length: the value is written only if it is wanted. */
const NOT_WRITTEN = 0xffffffff;
/** Values up to so many characters are written at once, which costs less than a second call when they are wanted. */
const WRITTEN_AT_ONCE = 64;

/** Lifetimes beyond this are left to the command, which knows what to answer. */
const TTL_MAX_MS = 2 ** 45;
const MS_PER_SECOND = 1000;

/** The options of SET; those that are not named have no short way. */
export interface ShortSetOptions {
  readonly nx?: unknown;
  readonly xx?: unknown;
  readonly px?: unknown;
  readonly ex?: unknown;
  readonly exat?: unknown;
  readonly pxat?: unknown;
  readonly keepttl?: unknown;
  readonly get?: unknown;
  readonly ifeq?: unknown;
  readonly ifne?: unknown;
  readonly ifdeq?: unknown;
  readonly ifdne?: unknown;
}

export interface ShortDelexOptions {
  readonly nx?: unknown;
  readonly xx?: unknown;
  readonly ifeq?: unknown;
  readonly ifne?: unknown;
  readonly ifdeq?: unknown;
  readonly ifdne?: unknown;
}

/** Operations on one key. */
type KeyOperation = 'DEL' | 'EXISTS' | 'INCR' | 'EXPIRE' | 'TTL';

export class Shortcuts {
  readonly #instance: Instance;
  readonly #exports: HotExports;
  readonly #host: Host;
  readonly #scratch: Scratch;
  readonly #client: number;
  /** A key was given a lifetime, and none was given back since: the engine will ask for the time when this is. */
  #leased = false;

  constructor(host: Host, instance: Instance, client: number, scratch: Scratch) {
    this.#instance = instance;
    this.#exports = instance.hot;
    this.#host = host;
    this.#client = client;
    this.#scratch = scratch;
  }

  get(key: Argument, asBytes: boolean): string | Uint8Array | null | undefined {
    if (typeof key !== 'string') return undefined;
    const keyAt = this.#scratch.key(key);
    if (keyAt < 0) return undefined;
    const repeated = asBytes ? undefined : this.#scratch.repeated(keyAt, this.#client);
    if (repeated !== undefined) return repeated;
    const answer = this.#get(keyAt, key.length);
    if (answer >= 0) return asBytes ? this.#scratch.copy(keyAt, answer) : this.#scratch.text(keyAt, answer);
    return answer === Answer.Nil ? null : this.#other(answer, 'GET', asBytes);
  }

  set(key: Argument, value: Argument, options: ShortSetOptions | undefined): 'OK' | null | undefined {
    if (options === undefined) return this.#stored(this.#setPlain(key, value), 'SET');
    const { nx, xx, px, ex } = options;
    const ttlMs = px === undefined && ex === undefined ? 0 : lifetime(px, ex);
    if (ttlMs < 0 || (nx && xx) || hasMore(options)) return undefined;
    if (nx && ttlMs > 0) return this.#stored(this.#acquire(key, value, ttlMs), 'SET');
    return this.#stored(this.#set(key, value, nx ? Presence.Missing : xx ? Presence.There : Presence.Any, ttlMs), 'SET');
  }

  setnx(key: Argument, value: Argument): number | undefined {
    return this.#number(this.#set(key, value, Presence.Setnx, 0), 'SETNX');
  }

  del(key: Argument): number | undefined {
    return this.#onKey('DEL', key, 0);
  }

  /** DELEX with IFEQ alone. */
  delex(key: Argument, options: ShortDelexOptions): number | undefined {
    const { nx, xx, ifeq, ifne, ifdeq, ifdne } = options;
    if (nx || xx || ifne !== undefined || ifdeq !== undefined || ifdne !== undefined) return undefined;
    return this.#number(this.#deleteIfEqual(key, ifeq, 0), 'DELEX');
  }

  delifeq(key: Argument, value: Argument): number | undefined {
    return this.#number(this.#deleteIfEqual(key, value, 1), 'DELIFEQ');
  }

  exists(key: Argument): number | undefined {
    return this.#onKey('EXISTS', key, 0);
  }

  incr(key: Argument): number | bigint | undefined {
    return this.#onKey('INCR', key, 0);
  }

  expire(key: Argument, seconds: unknown): number | undefined {
    const ttlMs = lifetime(undefined, seconds);
    return ttlMs < 0 ? undefined : this.#onKey('EXPIRE', key, ttlMs);
  }

  ttl(key: Argument): number | undefined {
    const ms = this.#onKey('TTL', key, 0);
    if (typeof ms !== 'number' || ms < 0) return ms;
    // As TTL rounds.
    return Math.floor(ms / MS_PER_SECOND) + (ms % MS_PER_SECOND >= MS_PER_SECOND / 2 ? 1 : 0);
  }

  mget(keys: readonly Argument[]): (string | null)[] | undefined {
    if (keys.length === 0 || !this.#scratch.joined(keys)) return undefined;
    const repeated = this.#scratch.repeatedMany(keys.length, this.#client);
    if (repeated !== undefined) return repeated;
    const { engine } = this.#instance;
    const answer = this.#timed((now) => engine.hotMget(this.#client, keys.length, now));
    if (answer >= 0) return this.#scratch.texts(answer, engine.output(), keys.length);
    if (answer === Answer.Output) this.#scratch.forgetTexts();
    return this.#other(answer, 'MGET', false);
  }

  mset(pairs: readonly (readonly Argument[])[]): 'OK' | undefined {
    if (pairs.length === 0 || !this.#scratch.joinedPairs(pairs)) return undefined;
    const { engine } = this.#instance;
    return this.#stored(this.#timed((now) => engine.hotMset(this.#client, 2 * pairs.length, now)), 'MSET') as 'OK' | undefined;
  }

  /** SET without options. It is short, because the compiler puts no more than so much code into a caller. */
  #setPlain(key: Argument, value: Argument): number {
    if (typeof key !== 'string' || typeof value !== 'string') return Answer.Ordinary;
    const scratch = this.#scratch;
    if (scratch.isJoined(key, value)) {
      return scratch.both(key, value) ? this.#storePlain(0, key.length, key.length, value.length) : Answer.Ordinary;
    }
    const keyAt = scratch.key(key);
    const length = scratch.value(value);
    return keyAt < 0 || length < 0 ? Answer.Ordinary : this.#storePlain(keyAt, key.length, VALUE_AT, length);
  }

  #set(key: Argument, value: Argument, presence: Presence, ttlMs: number): number {
    if (typeof key !== 'string' || typeof value !== 'string') return Answer.Ordinary;
    const scratch = this.#scratch;
    const isCareful = (presence === Presence.Missing || presence === Presence.Setnx) && value.length > WRITTEN_AT_ONCE;
    if (!isCareful && scratch.isJoined(key, value)) {
      return scratch.both(key, value) ? this.#store(0, key.length, key.length, value.length, presence, ttlMs) : Answer.Ordinary;
    }
    const keyAt = presence === Presence.Missing ? scratch.keyOfLock(key) : scratch.key(key);
    if (keyAt < 0) return Answer.Ordinary;
    let length = isCareful ? NOT_WRITTEN : scratch.value(value);
    if (length < 0) return Answer.Ordinary;
    const answer = this.#store(keyAt, key.length, VALUE_AT, length, presence, ttlMs);
    if (answer !== Answer.Value) return answer;
    length = scratch.value(value);
    return length < 0 ? Answer.Ordinary : this.#store(keyAt, key.length, VALUE_AT, length, presence, ttlMs);
  }

  // The time is told only if the engine asks for it. An operation calls its export at a place of its own: where only one
  // export is called, the compiler puts the call into the caller.

  #get(keyAt: number, keyLength: number): number {
    const instance = this.#instance;
    const engine = instance.engine.__wbg_ptr;
    try {
      instance.inside = true;
      let answer = this.#exports.engine_hotGet(engine, this.#client, keyAt, keyLength, NaN);
      if (answer === Answer.Time) answer = this.#exports.engine_hotGet(engine, this.#client, keyAt, keyLength, this.#host.clock.read());
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  #storePlain(keyAt: number, keyLength: number, valueAt: number, length: number): number {
    const instance = this.#instance;
    const engine = instance.engine.__wbg_ptr;
    const client = this.#client;
    try {
      instance.inside = true;
      let answer = this.#exports.engine_hotSetPlain(engine, client, keyAt, keyLength, valueAt, length, NaN);
      if (answer === Answer.Time) {
        answer = this.#exports.engine_hotSetPlain(engine, client, keyAt, keyLength, valueAt, length, this.#host.clock.read());
      }
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  #store(keyAt: number, keyLength: number, valueAt: number, length: number, presence: Presence, ttlMs: number): number {
    const instance = this.#instance;
    const engine = instance.engine.__wbg_ptr;
    const client = this.#client;
    try {
      instance.inside = true;
      let now = NaN;
      if (ttlMs > 0) {
        now = this.#host.clock.read();
        this.#leased = true;
      }
      let answer = this.#exports.engine_hotSet(engine, client, keyAt, keyLength, valueAt, length, presence, ttlMs, now);
      if (answer === Answer.Time) {
        now = this.#host.clock.read();
        answer = this.#exports.engine_hotSet(engine, client, keyAt, keyLength, valueAt, length, presence, ttlMs, now);
      }
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  /** SET with NX and a lifetime. It is most likely a lock, which is given back with the key and the value that lie there then. */
  #acquire(key: Argument, value: Argument, ttlMs: number): number {
    if (typeof key !== 'string' || typeof value !== 'string') return Answer.Ordinary;
    if (value.length > WRITTEN_AT_ONCE) return this.#set(key, value, Presence.Missing, ttlMs);
    const keyAt = this.#scratch.keyOfLock(key);
    const length = this.#scratch.value(value);
    if (keyAt < 0 || length < 0) return Answer.Ordinary;
    const instance = this.#instance;
    const engine = instance.engine.__wbg_ptr;
    try {
      instance.inside = true;
      const now = this.#host.clock.read();
      this.#leased = true;
      const answer = this.#exports.engine_hotAcquire(engine, this.#client, keyAt, key.length, VALUE_AT, length, ttlMs, now);
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  #deleteIfEqual(key: Argument, value: unknown, asDelifeq: 0 | 1): number {
    if (typeof key !== 'string' || typeof value !== 'string') return Answer.Ordinary;
    const keyAt = this.#scratch.keyAgain(key);
    const length = this.#scratch.value(value);
    if (keyAt < 0 || length < 0) return Answer.Ordinary;
    const instance = this.#instance;
    const engine = instance.engine.__wbg_ptr;
    const client = this.#client;
    const { clock } = this.#host;
    try {
      instance.inside = true;
      let now = NaN;
      if (this.#leased) {
        this.#leased = false;
        now = clock.read();
        // Whether a failure matters, the engine knows.
        if (Number.isNaN(now)) clock.takeFailure();
      }
      let answer = this.#exports.engine_hotDelIfEqual(engine, client, keyAt, key.length, VALUE_AT, length, asDelifeq, now);
      if (answer === Answer.Time) {
        now = clock.read();
        answer = this.#exports.engine_hotDelIfEqual(engine, client, keyAt, key.length, VALUE_AT, length, asDelifeq, now);
      }
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  /** `given` is what the operation takes: milliseconds to live, or nothing. */
  #onKey(operation: KeyOperation, key: Argument, given: number): number | undefined {
    if (typeof key !== 'string') return undefined;
    const keyAt = this.#scratch.key(key);
    if (keyAt < 0) return undefined;
    const instance = this.#instance;
    let answer: number;
    try {
      instance.inside = true;
      answer = this.#call(operation, keyAt, key.length, given, NaN);
      if (answer === Answer.Time) answer = this.#call(operation, keyAt, key.length, given, this.#host.clock.read());
      instance.inside = false;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
    return this.#number(answer, operation);
  }

  #call(operation: KeyOperation, keyAt: number, keyLength: number, given: number, now: number): number {
    const engine = this.#instance.engine.__wbg_ptr;
    switch (operation) {
      case 'DEL': return this.#exports.engine_hotDel(engine, this.#client, keyAt, keyLength, now);
      case 'EXISTS': return this.#exports.engine_hotExists(engine, this.#client, keyAt, keyLength, now);
      case 'INCR': return this.#exports.engine_hotIncr(engine, this.#client, keyAt, keyLength, now);
      case 'EXPIRE': return this.#exports.engine_hotExpire(engine, this.#client, keyAt, keyLength, given, now);
      case 'TTL': return this.#exports.engine_hotTtl(engine, this.#client, keyAt, keyLength, now);
    }
  }

  /** Calls of other forms. */
  #timed(call: (now: number) => number): number {
    const instance = this.#instance;
    try {
      instance.inside = true;
      let answer = call(NaN);
      if (answer === Answer.Time) answer = call(this.#host.clock.read());
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  #stored(answer: number, command: string): 'OK' | null | undefined {
    if (answer === 1) return 'OK';
    return answer === 0 ? null : this.#other(answer, command, false);
  }

  #number(answer: number, command: string): number | undefined {
    return answer > Answer.NoResult ? answer : this.#other(answer, command, false);
  }

  /** No result: the reply is in the output, or the command goes the ordinary way, also when the clock failed. */
  #other(answer: number, command: string, asBytes: boolean): undefined {
    if (answer === Answer.Output) {
      const reply = this.#instance.readOutput(command, asBytes);
      if (reply instanceof ReplyError) throw reply;
      // A number that is none of JavaScript's, which the caller's type names.
      return reply as unknown as undefined;
    }
    if (answer === Answer.Time) this.#host.clock.takeFailure();
    return undefined;
  }
}

/** The milliseconds of PX or EX, one of them given; negative for what the command has to look at itself. */
function lifetime(px: unknown, ex: unknown): number {
  if (px !== undefined && ex !== undefined) return -1;
  const given = px ?? ex;
  if (typeof given !== 'number' || !Number.isInteger(given) || given <= 0) return -1;
  const ttlMs = px === undefined ? given * MS_PER_SECOND : given;
  return ttlMs <= TTL_MAX_MS ? ttlMs : -1;
}

/** Whether an option is set that has no short way. */
function hasMore({ exat, pxat, keepttl, get, ifeq, ifne, ifdeq, ifdne }: ShortSetOptions): boolean {
  return Boolean(get) || Boolean(keepttl) || exat !== undefined || pxat !== undefined
    || ifeq !== undefined || ifne !== undefined || ifdeq !== undefined || ifdne !== undefined;
}
