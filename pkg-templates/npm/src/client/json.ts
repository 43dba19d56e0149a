/** Values of strings in a codec, JSON by default: read, written, and loaded when they are missing. */
import { isBytes, argumentText, type Argument } from '../base/argument.js';
import { DecodeError } from '../base/errors.js';
import { textOf } from '../resp/reply.js';
import { loadOnce, lifetimeOf, type Lifetime, type PlatformSignal, type Site } from './single-flight.js';
import type { SetOptions, SetResult } from './sugar/set-options.js';
import type { AbortSignalLike } from '../base/abort.js';
import { CallerTypeError } from '../base/caller-errors.js';

/** Form in which values are stored: text, or with `bytes` Uint8Array. */
export interface Codec {
  /** Name of the form in messages. */
  readonly name?: string;
  /** The stored form is a Uint8Array: `decode` is given one, and strings otherwise. */
  readonly bytes?: boolean;
  // Methods, so that a codec of one type of values is a codec.
  /** Turns a value into text or bytes. */
  encode(value: unknown): string | Uint8Array;
  /** Turns a stored text or bytes into a value. */
  // biome-ignore lint/suspicious/noExplicitAny: a string or bytes, as `bytes` says, and codecs declare which.
  decode(stored: any): unknown;
}

/** Loads a value that is missing. The signal is aborted when every caller has given up. */
export type Loader<T> = (context: { readonly signal: PlatformSignal }) => T | Promise<T>;

/** Options of `getOrSet`. */
export type LoadOptions = Lifetime & {
  /** Part of the time to live, from 0 to 1, of which a random share is left out: keys stored together expire apart. */
  readonly jitter?: number | undefined;
  /** Rejects for this caller with the signal's reason. The load goes on as long as another caller waits for it. */
  readonly signal?: AbortSignalLike | undefined;
  /** Form of the value: `text` by default, or another codec. */
  readonly as?: 'text' | 'bytes' | 'json' | Codec | undefined;
};

/** Commands that a codec needs, of a client or of a view. */
export interface ValueCommands {
  get(key: Argument): string | null;
  set(key: Argument, value: Argument, options?: SetOptions): string | null;
  readonly bytes: {
    get(key: Argument): Uint8Array | null;
    set(key: Argument, value: Argument, options?: SetOptions): string | Uint8Array | null;
  };
}

/** Part of a value that JSON has no form for, though JSON.stringify leaves it out or replaces it. */
function unfit(value: unknown): string | undefined {
  if (value === undefined) return 'undefined';
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`;
  if (typeof value === 'bigint') return 'a bigint';
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (value instanceof Map || value instanceof Set) return `a ${value.constructor.name}`;
  return undefined;
}

function pathOf(names: readonly string[]): string {
  return names.map((name) => (/^\d+$/.test(name) ? `[${name}]` : `.${name}`)).join('');
}

/** JSON of a value. What JSON would drop or replace silently is a TypeError that names its path. */
function stringify(value: unknown): string {
  /** Objects on the way from the root to the current holder, with their names. */
  const way: { readonly name: string; readonly object: unknown }[] = [];
  return JSON.stringify(value, function check(this: unknown, name: string, part: unknown): unknown {
    while (way.length > 0 && way.at(-1)?.object !== this) way.pop();
    const found = unfit(part);
    if (found !== undefined) {
      const path = pathOf([...way.slice(1).map((step) => step.name), ...(way.length > 0 ? [name] : [])]);
      throw new CallerTypeError(`JSON has no form for ${found}, found ${path === '' ? 'as the value' : `at ${path}`}`);
    }
    if (typeof part === 'object' && part !== null) way.push({ name, object: part });
    return part;
  });
}

/** @internal */
export const JSON_CODEC: Codec = { name: 'JSON', encode: stringify, decode: (text: string) => JSON.parse(text) };

const TEXT_CODEC: Codec = {
  encode(value) {
    const text = isBytes(value) ? textOf(value) : argumentText(value);
    if (text === undefined)
      throw new CallerTypeError(
        `expected a string or a number, got ${typeof value}: pass { as: 'json' } to store other values`,
      );
    return text;
  },
  decode: (text: string) => text,
};

const BYTES_CODEC: Codec = {
  bytes: true,
  encode(value) {
    if (isBytes(value)) return value;
    throw new CallerTypeError(`expected a Uint8Array, got ${typeof value}`);
  },
  decode: (bytes: Uint8Array) => bytes,
};

const CODECS = { text: TEXT_CODEC, bytes: BYTES_CODEC, json: JSON_CODEC };

/** @internal The codec of an option. */
export function codecOf(as: LoadOptions['as'] = 'text'): Codec {
  const codec = typeof as === 'string' ? CODECS[as] : as;
  if (typeof codec?.encode === 'function' && typeof codec.decode === 'function') return codec;
  throw new CallerTypeError("a codec is 'text', 'bytes', 'json' or an object with the methods encode and decode");
}

/** @internal A key as text. */
export function nameOf(key: Argument): string {
  return isBytes(key) ? textOf(key) : String(key);
}

/** Values in the form of a codec. */
export class CodedValues {
  readonly #commands: ValueCommands;
  readonly #site: Site;
  readonly #codec: Codec;

  /** @internal Use `client.json`. */
  constructor(commands: ValueCommands, site: Site, codec: Codec) {
    this.#commands = commands;
    this.#site = site;
    this.#codec = codecOf(codec);
  }

  /** The value of a key, or null. A value that the codec cannot decode is a DecodeError that names the key. */
  get<T = unknown>(key: Argument): T | null {
    return this.#decoded<T>(key, (this.#codec.bytes ? this.#commands.bytes : this.#commands).get(key));
  }

  /** The values of any number of keys, null for missing ones. */
  mget<T = unknown>(keys: readonly Argument[]): (T | null)[] {
    return keys.map((key) => this.get<T>(key));
  }

  /**
   * Stores a value, with the options of SET; `ifeq` and `ifne` are values, too, and compared in their stored form. With
   * `get` it returns the old value. In JSON, a part for which it has no form is a TypeError that names its path.
   */
  // biome-ignore lint/complexity/noBannedTypes: the type of a call without options.
  set<const O extends SetOptions = {}>(key: Argument, value: unknown, options?: O): SetResult<O, unknown> {
    const stored = this.#encoded(key, value);
    const given = options === undefined ? undefined : this.#compared(key, options);
    const reply = (this.#codec.bytes ? this.#commands.bytes : this.#commands).set(key, stored, given);
    return (options?.get ? this.#decoded(key, reply) : reply) as SetResult<O, unknown>;
  }

  /** `getOrSet` of the client, in this codec. */
  getOrSet<T>(key: Argument, life: number | Omit<LoadOptions, 'as'>, load: Loader<T>): Promise<T> {
    const options = typeof life === 'number' ? { px: life } : (life as LoadOptions);
    return readThrough(this.#commands, this.#site, key, { ...options, as: this.#codec }, load);
  }

  /** Values in another codec: `db.json.with({ encode: superjson.stringify, decode: superjson.parse })`. */
  with(codec: Codec): CodedValues {
    return new CodedValues(this.#commands, this.#site, codec);
  }

  #compared(key: Argument, options: SetOptions): SetOptions {
    const { ifeq, ifne } = options;
    if (ifeq !== undefined) return { ...options, ifeq: this.#encoded(key, ifeq) } as SetOptions;
    return ifne === undefined ? options : ({ ...options, ifne: this.#encoded(key, ifne) } as SetOptions);
  }

  #encoded(key: Argument, value: unknown): string | Uint8Array {
    return encode(this.#codec, nameOf(key), value);
  }

  #decoded<T>(key: Argument, stored: string | Uint8Array | null): T | null {
    return stored === null ? null : decode<T>(this.#codec, nameOf(key), stored);
  }
}

/** @internal The stored form of a value. */
export function encode(codec: Codec, key: string, value: unknown): string | Uint8Array {
  let stored: unknown;
  try {
    stored = codec.encode(value);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new CallerTypeError(`the value for key ${JSON.stringify(key)} is refused: ${reason}`, { cause: error });
  }
  if (codec.bytes ? isBytes(stored) : typeof stored === 'string') return stored as string | Uint8Array;
  const wanted = codec.bytes ? 'a Uint8Array' : 'a string, or a Uint8Array with `bytes: true`';
  throw new CallerTypeError(`encode of the codec must return ${wanted}, got ${typeof stored}`);
}

/** @internal The value of a stored form. */
export function decode<T>(codec: Codec, key: string, stored: string | Uint8Array): T {
  try {
    return codec.decode(stored) as T;
  } catch (error) {
    throw new DecodeError(key, codec.name ?? 'of the codec', error);
  }
}

/** @internal `getOrSet` of a client or a view. */
export async function readThrough<T>(
  commands: ValueCommands,
  site: Site,
  key: Argument,
  life: number | LoadOptions,
  load: Loader<T>,
): Promise<T> {
  const options = typeof life === 'number' ? { px: life } : life;
  const lifetime = lifetimeOf(options);
  const codec = codecOf(options.as);
  if (typeof load !== 'function') throw new CallerTypeError('getOrSet needs a function that loads the value');
  const name = nameOf(key);
  const found = (codec.bytes ? commands.bytes : commands).get(key);
  if (found !== null) return decode<T>(codec, name, found);
  const loaded = await loadOnce(site, key, {
    codec,
    lifetime,
    signal: options.signal,
    load: async (context) => {
      const value: unknown = await load(context);
      return value === null || value === undefined ? { value } : { stored: encode(codec, name, value) };
    },
  });
  // Each caller has a value of its own, as one that finds the key does.
  return 'stored' in loaded ? decode<T>(codec, name, loaded.stored) : (loaded.value as T);
}
