/**
 * The short way of the commands a program calls most: text into the scratch area, one call with numbers, text out of the
 * engine's memory. Everything here answers DETOUR when the command has to go the ordinary way, before anything was done:
 * other arguments than short text, somebody who listens, a transaction, and whatever else stands in the way.
 */
import type { Argument } from './argument.js';
import type { ReplyError } from './errors.js';
import type { Host } from './host.js';
import type { Instance } from './instance.js';
import { REFUSED, Scratch, VALUE_AT } from './scratch.js';

/** Go the ordinary way. */
export const DETOUR = Symbol('detour');
export type Detour = typeof DETOUR;

/** Answers of the engine that are no results, as src/wasm/hot.rs names them. */
const NO_RESULT = -1e17;
const ORDINARY = -1e18;
const NIL = -2e18;
const OUTPUT = -3e18;
const TIME = -4e18;
const VALUE = -5e18;

const ALWAYS = 0;
const IF_MISSING = 1;
const IF_THERE = 2;
const SETNX = 3;
/** Told in place of a length: the value is written only if it is wanted. */
const NOT_WRITTEN = 0xffffffff;
/** Values up to so many characters are written at once, which costs less than a second call. */
const WRITTEN_AT_ONCE = 24;

/** Lifetimes beyond this are left to the command, which knows what to answer. */
const TTL_MAX_MS = 2 ** 45;
const MS_PER_SECOND = 1000;

export interface ShortSetOptions {
  readonly nx?: unknown;
  readonly xx?: unknown;
  readonly px?: unknown;
  readonly ex?: unknown;
}

export interface ShortDelexOptions {
  readonly nx?: unknown;
  readonly xx?: unknown;
  readonly ifeq?: unknown;
  readonly ifne?: unknown;
  readonly ifdeq?: unknown;
  readonly ifdne?: unknown;
}

export class Shortcuts {
  readonly #instance: Instance;
  readonly #host: Host;
  readonly #scratch: Scratch;
  readonly #client: number;

  constructor(host: Host, instance: Instance, client: number, scratch: Scratch) {
    this.#instance = instance;
    this.#host = host;
    this.#client = client;
    this.#scratch = scratch;
  }

  get(key: Argument, asBytes: boolean): string | Uint8Array | null | ReplyError | Detour {
    const length = typeof key === 'string' ? this.#scratch.key(key) : REFUSED;
    if (length === REFUSED) return DETOUR;
    const answer = this.#get(length);
    if (answer >= 0) return asBytes ? this.#scratch.copy(answer) : this.#scratch.text(answer);
    return answer === NIL ? null : (this.#other(answer, 'GET', asBytes) as string | Uint8Array | ReplyError | Detour);
  }

  set(key: Argument, value: Argument, options?: ShortSetOptions): 'OK' | null | ReplyError | Detour {
    if (options === undefined) return this.#stored(this.#set(key, value, ALWAYS, 0), 'SET');
    const ttlMs = lifetime(options);
    if (ttlMs < 0) return DETOUR;
    const { nx, xx } = options;
    if (nx && xx) return DETOUR;
    return this.#stored(this.#set(key, value, nx ? IF_MISSING : xx ? IF_THERE : ALWAYS, ttlMs), 'SET');
  }

  setnx(key: Argument, value: Argument): number | ReplyError | Detour {
    return this.#number(this.#set(key, value, SETNX, 0), 'SETNX');
  }

  del(key: Argument): number | ReplyError | Detour {
    const length = typeof key === 'string' ? this.#scratch.key(key) : REFUSED;
    if (length === REFUSED) return DETOUR;
    const { engine } = this.#instance;
    return this.#number(this.#timed((now) => engine.hotDel(this.#client, length, now)), 'DEL');
  }

  /** DELEX with IFEQ alone. */
  delex(key: Argument, options: ShortDelexOptions): number | ReplyError | Detour {
    const { nx, xx, ifeq, ifne, ifdeq, ifdne } = options;
    if (nx || xx || ifne !== undefined || ifdeq !== undefined || ifdne !== undefined) return DETOUR;
    return this.#deleteIfEqual(key, ifeq, false);
  }

  delifeq(key: Argument, value: Argument): number | ReplyError | Detour {
    return this.#deleteIfEqual(key, value, true);
  }

  exists(key: Argument): number | ReplyError | Detour {
    const length = typeof key === 'string' ? this.#scratch.key(key) : REFUSED;
    if (length === REFUSED) return DETOUR;
    const { engine } = this.#instance;
    return this.#number(this.#timed((now) => engine.hotExists(this.#client, length, now)), 'EXISTS');
  }

  incr(key: Argument): number | bigint | ReplyError | Detour {
    const length = typeof key === 'string' ? this.#scratch.key(key) : REFUSED;
    if (length === REFUSED) return DETOUR;
    const { engine } = this.#instance;
    return this.#number(this.#timed((now) => engine.hotIncr(this.#client, length, now)), 'INCR');
  }

  expire(key: Argument, seconds: unknown): number | ReplyError | Detour {
    const ttlMs = typeof seconds === 'number' && Number.isInteger(seconds) ? seconds * MS_PER_SECOND : 0;
    const length = typeof key === 'string' && ttlMs > 0 && ttlMs <= TTL_MAX_MS ? this.#scratch.key(key) : REFUSED;
    if (length === REFUSED) return DETOUR;
    const { engine } = this.#instance;
    return this.#number(this.#timed((now) => engine.hotExpire(this.#client, length, ttlMs, now)), 'EXPIRE');
  }

  ttl(key: Argument): number | ReplyError | Detour {
    const length = typeof key === 'string' ? this.#scratch.key(key) : REFUSED;
    if (length === REFUSED) return DETOUR;
    const { engine } = this.#instance;
    const ms = this.#number(this.#timed((now) => engine.hotTtl(this.#client, length, now)), 'TTL');
    if (typeof ms !== 'number' || ms < 0) return ms;
    // As TTL rounds.
    return Math.floor(ms / MS_PER_SECOND) + (ms % MS_PER_SECOND >= MS_PER_SECOND / 2 ? 1 : 0);
  }

  mget(keys: readonly Argument[]): (string | null)[] | ReplyError | Detour {
    if (keys.length === 0 || !areTexts(keys) || !this.#scratch.joined(keys)) return DETOUR;
    const { engine } = this.#instance;
    const answer = this.#timed((now) => engine.hotMget(this.#client, keys.length, now));
    return answer >= 0 ? this.#scratch.texts(answer, keys.length) : (this.#other(answer, 'MGET', false) as ReplyError | Detour);
  }

  /** Keys and values by turns. */
  mset(words: readonly Argument[]): 'OK' | ReplyError | Detour {
    if (words.length === 0 || !areTexts(words) || !this.#scratch.joined(words)) return DETOUR;
    const { engine } = this.#instance;
    return this.#stored(this.#timed((now) => engine.hotMset(this.#client, words.length, now)), 'MSET') as 'OK' | ReplyError | Detour;
  }

  #deleteIfEqual(key: Argument, value: unknown, asDelifeq: boolean): number | ReplyError | Detour {
    if (typeof key !== 'string' || typeof value !== 'string') return DETOUR;
    const length = this.#scratch.key(key);
    const valueLength = length === REFUSED ? REFUSED : this.#scratch.value(value);
    if (valueLength === REFUSED) return DETOUR;
    const answer = this.#timed((now) => this.#instance.engine.hotDelIfEqual(this.#client, length, VALUE_AT, valueLength, asDelifeq, now));
    return this.#number(answer, asDelifeq ? 'DELIFEQ' : 'DELEX');
  }

  #set(key: Argument, value: Argument, presence: number, ttlMs: number): number {
    if (typeof key !== 'string' || typeof value !== 'string') return ORDINARY;
    const scratch = this.#scratch;
    const keyLength = scratch.key(key);
    if (keyLength === REFUSED) return ORDINARY;
    const isCareful = (presence === IF_MISSING || presence === SETNX) && value.length > WRITTEN_AT_ONCE;
    let length = isCareful ? NOT_WRITTEN : scratch.value(value);
    if (length === REFUSED) return ORDINARY;
    const answer = this.#store(keyLength, length, presence, ttlMs);
    if (answer !== VALUE) return answer;
    length = scratch.value(value);
    return length === REFUSED ? ORDINARY : this.#store(keyLength, length, presence, ttlMs);
  }

  // GET and SET do by themselves what `#timed` does for the others: a function that is handed over costs them a sixth.

  #get(keyLength: number): number {
    const instance = this.#instance;
    const { engine } = instance;
    try {
      instance.inside = true;
      let answer = engine.hotGet(this.#client, keyLength, NaN);
      if (answer === TIME) answer = engine.hotGet(this.#client, keyLength, this.#host.clock.read());
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  #store(keyLength: number, length: number, presence: number, ttlMs: number): number {
    const instance = this.#instance;
    const { engine } = instance;
    const client = this.#client;
    try {
      let now = ttlMs > 0 ? this.#host.clock.read() : NaN;
      instance.inside = true;
      let answer = engine.hotSet(client, keyLength, VALUE_AT, length, presence, ttlMs, now);
      if (answer === TIME) {
        now = this.#host.clock.read();
        answer = engine.hotSet(client, keyLength, VALUE_AT, length, presence, ttlMs, now);
      }
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  /** Tells the time only if the engine asks for it. */
  #timed(call: (now: number) => number): number {
    const instance = this.#instance;
    try {
      instance.inside = true;
      let answer = call(NaN);
      if (answer === TIME) answer = call(this.#host.clock.read());
      instance.inside = false;
      return answer;
    } catch (error) {
      throw this.#host.judged(instance, error);
    }
  }

  #stored(answer: number, command: string): 'OK' | null | ReplyError | Detour {
    if (answer === 1) return 'OK';
    return answer === 0 ? null : (this.#other(answer, command, false) as ReplyError | Detour);
  }

  #number(answer: number, command: string): number | ReplyError | Detour {
    return answer > NO_RESULT ? answer : (this.#other(answer, command, false) as number | ReplyError | Detour);
  }

  /** No result: the reply is in the output, or the command goes the ordinary way, also when the clock failed. */
  #other(answer: number, command: string, asBytes: boolean): unknown {
    if (answer === OUTPUT) return this.#instance.readOutput(command, asBytes);
    if (answer === TIME) this.#host.clock.takeFailure();
    return DETOUR;
  }
}

/** The milliseconds of PX or EX, 0 without; negative for what the command has to look at itself. */
function lifetime(options: ShortSetOptions): number {
  let ttlMs = 0;
  for (const name in options) {
    const value = options[name as keyof ShortSetOptions];
    if (value === undefined) continue;
    if (name === 'px' || name === 'ex') {
      if (typeof value !== 'number' || !Number.isInteger(value) || value <= 0 || ttlMs !== 0) return -1;
      ttlMs = name === 'px' ? value : value * MS_PER_SECOND;
    } else if (name !== 'nx' && name !== 'xx') return -1;
  }
  return ttlMs <= TTL_MAX_MS ? ttlMs : -1;
}

function areTexts(words: readonly Argument[]): words is readonly string[] {
  for (const word of words) if (typeof word !== 'string') return false;
  return true;
}
