/** Values of strings in a codec, JSON by default, in a shared database. */
import { type Codec, codecOf, decode, encode, JSON_CODEC, nameOf } from '../json.js';
import type { SetOptions, SetResult } from '../sugar/set-options.js';
import type { Argument } from '../../base/argument.js';

type Stored = string | Uint8Array;

interface Getter {
  get(key: Argument): Promise<Stored | null>;
  set(key: Argument, value: Argument, options?: SetOptions): Promise<unknown>;
  mget(keys: readonly Argument[]): Promise<(Stored | null)[]>;
}

/** Commands that a codec needs. */
export interface SharedValueCommands extends Getter {
  /** Variant for bytes. */
  readonly bytes: Getter;
}

/** Values in the form of a codec. */
export class SharedValues {
  readonly #commands: SharedValueCommands;
  readonly #codec: Codec;

  /** @internal Use `db.json`. */
  constructor(commands: SharedValueCommands, codec: Codec = JSON_CODEC) {
    this.#commands = commands;
    this.#codec = codecOf(codec);
  }

  get #getter(): Getter {
    return this.#codec.bytes ? this.#commands.bytes : this.#commands;
  }

  /** The value of a key, or null. A value that the codec cannot decode is a DecodeError that names the key. */
  async get<T = unknown>(key: Argument): Promise<T | null> {
    return this.#decoded<T>(key, await this.#getter.get(key));
  }

  /** The values of any number of keys, null for missing ones. */
  async mget<T = unknown>(keys: readonly Argument[]): Promise<(T | null)[]> {
    const found = await this.#getter.mget(keys);
    return found.map((stored, index) => this.#decoded<T>(keys[index] as Argument, stored));
  }

  /** Stores a value, with the options of SET; `ifeq` and `ifne` are values, too. With `get` it returns the old value. */
  // biome-ignore lint/complexity/noBannedTypes: the type of a call without options.
  async set<const O extends SetOptions = {}>(
    key: Argument,
    value: unknown,
    options?: O,
  ): Promise<SetResult<O, unknown>> {
    const stored = this.#encoded(key, value);
    const reply = await this.#getter.set(key, stored, options === undefined ? undefined : this.#compared(key, options));
    return (options?.get ? this.#decoded(key, reply as Stored | null) : reply) as SetResult<O, unknown>;
  }

  /** Values in another codec. */
  with(codec: Codec): SharedValues {
    return new SharedValues(this.#commands, codec);
  }

  #compared(key: Argument, options: SetOptions): SetOptions {
    const { ifeq, ifne } = options;
    if (ifeq !== undefined) return { ...options, ifeq: this.#encoded(key, ifeq) } as SetOptions;
    return ifne === undefined ? options : ({ ...options, ifne: this.#encoded(key, ifne) } as SetOptions);
  }

  #encoded(key: Argument, value: unknown): Stored {
    return encode(this.#codec, nameOf(key), value);
  }

  #decoded<T>(key: Argument, stored: Stored | null): T | null {
    return stored === null ? null : decode<T>(this.#codec, nameOf(key), stored);
  }
}
