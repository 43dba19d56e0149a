/** A store for Keyv 5 and 6. It has the interface of Keyv's stores and imports neither Keyv nor an engine. */
import type { Client } from '../../client/client.js';
import type { PrefixedClient } from '../../client/prefix.js';
import { CallerTypeError } from '../../base/caller-errors.js';

/** Keys of one command: more than that would exceed the arguments of a JavaScript call. */
const BATCH = 1000;

export interface KeylatchStoreOptions {
  /**
   * Namespace of the keys until Keyv sets its own; `keyv` by default. With '' keys are stored as they are, and
   * `clear()` empties the database of the client.
   */
  readonly namespace?: string | undefined;
  /** Set only keys that are missing: `set` of the store and of its Keyv resolves to false if the key exists. */
  readonly nx?: boolean | undefined;
}

export interface KeylatchSetOptions {
  /** Set the key only if it is missing; the default is that of the store. */
  readonly nx?: boolean | undefined;
}

/** Entry of `setMany`. */
export interface KeylatchStoreEntry {
  readonly key: string;
  // biome-ignore lint/suspicious/noExplicitAny: as Keyv declares it.
  readonly value: any;
  /** Time to live in milliseconds. */
  readonly ttl?: number | undefined;
}

const STORE_OPTIONS = ['namespace', 'nx'];
const SET_OPTIONS = ['nx'];

function checkOptions(options: object, known: readonly string[], of: string): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new CallerTypeError(`${of} has no option '${unknown}': it has ${known.join(', ')}`);
}

function* batches<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += BATCH) yield items.slice(start, start + BATCH);
}

/** Namespace, two colons, key: the layout of @keyv/redis. */
function prefixOf(namespace: string | undefined): string {
  return namespace ? `${namespace}::` : '';
}

/** A store for `new Keyv({ store: new KeylatchStore(db) })`. Each Keyv needs a store object of its own; all may share a db. */
export class KeylatchStore {
  /** Set by Keyv; the keys of other namespaces are out of reach. */
  namespace: string | undefined;
  /** Read by Keyv 5, which iterates over stores of the dialects that it knows. */
  // biome-ignore lint/suspicious/noExplicitAny: as Keyv declares it.
  opts: any;
  readonly #client: Client | PrefixedClient;
  readonly #nx: boolean;

  constructor(client: Client | PrefixedClient, options: KeylatchStoreOptions = {}) {
    if (typeof client?.call !== 'function')
      throw new CallerTypeError('KeylatchStore needs a database: new KeylatchStore(new Keylatch())');
    checkOptions(options, STORE_OPTIONS, 'KeylatchStore');
    this.#client = client;
    this.#nx = flag(options.nx, false);
    this.namespace = options.namespace ?? 'keyv';
    this.opts = { dialect: 'redis', ...options };
  }

  /** Present for Keyv, which listens to errors. The store emits none: its methods reject. */
  on(_event: string, _listener: (...parameters: unknown[]) => void): this {
    return this;
  }

  // The types of values are those of Keyv, which stores text.
  // biome-ignore-start lint/suspicious/noExplicitAny: as Keyv declares them.

  async get<Value>(key: string): Promise<Value | undefined> {
    return (this.#client.get(this.#name(key)) ?? undefined) as Value | undefined;
  }

  async getMany<Value>(keys: string[]): Promise<(Value | undefined)[]> {
    const values: (string | undefined)[] = [];
    for (const some of batches(keys)) {
      for (const value of this.#client.mget(...some.map((key) => this.#name(key)))) values.push(value ?? undefined);
    }
    return values as (Value | undefined)[];
  }

  /** Resolves to true if the value is stored, and to false if `nx` found the key. The ttl is in milliseconds. */
  async set(key: string, value: any, ttl?: number, options: KeylatchSetOptions = {}): Promise<boolean> {
    checkOptions(options, SET_OPTIONS, 'set of KeylatchStore');
    return this.#set(key, value, ttl, flag(options.nx, this.#nx));
  }

  /** One result for each entry, as `set` has it. Keyv 5 declares that there are none. */
  async setMany(entries: readonly KeylatchStoreEntry[], options: KeylatchSetOptions = {}): Promise<any> {
    checkOptions(options, SET_OPTIONS, 'setMany of KeylatchStore');
    const nx = flag(options.nx, this.#nx);
    return entries.map(({ key, value, ttl }) => this.#set(key, value, ttl, nx));
  }

  // biome-ignore-end lint/suspicious/noExplicitAny: as Keyv declares them.

  async delete(key: string): Promise<boolean> {
    return this.#client.unlink(this.#name(key)) === 1;
  }

  /** Resolves to true if every key was there. */
  async deleteMany(keys: string[]): Promise<boolean> {
    let deleted = 0;
    for (const some of batches(keys)) deleted += this.#client.unlink(...some.map((key) => this.#name(key)));
    return deleted === keys.length;
  }

  async has(key: string): Promise<boolean> {
    return this.#client.exists(this.#name(key)) === 1;
  }

  async hasMany(keys: string[]): Promise<boolean[]> {
    return keys.map((key) => this.#client.exists(this.#name(key)) === 1);
  }

  /** Deletes the keys of the namespace; without a namespace all keys of the client. */
  async clear(): Promise<void> {
    for (const page of this.#pages(this.namespace)) if (page.length > 0) this.#client.unlink(...page);
  }

  /** Keys of the namespace with their values. Keys that come or go meanwhile may be missing. */
  async *iterator<Value>(namespace = this.namespace): AsyncGenerator<[string, Value], void> {
    const { length } = prefixOf(namespace);
    for (const page of this.#pages(namespace, 'string')) {
      const values = page.length === 0 ? [] : this.#client.mget(...page);
      for (const [index, value] of values.entries()) {
        if (value !== null) yield [(page[index] as string).slice(length), value as Value];
      }
    }
  }

  /** Does nothing: the database is closed by the program that made it. */
  async disconnect(): Promise<void> {}

  #name(key: string): string {
    return prefixOf(this.namespace) + key;
  }

  #set(key: string, value: unknown, ttl: number | undefined, nx: boolean): boolean {
    if (typeof value !== 'string') {
      const type = value === null ? 'null' : typeof value;
      throw new CallerTypeError(
        `KeylatchStore stores text, got ${type} for key ${JSON.stringify(key)}: leave Keyv's serialization on`,
      );
    }
    const name = this.#name(key);
    if (ttl === undefined || ttl === null || ttl === Number.POSITIVE_INFINITY) {
      return this.#client.set(name, value, { nx }) === 'OK';
    }
    if (typeof ttl !== 'number' || Number.isNaN(ttl))
      throw new CallerTypeError(
        `the ttl of key ${JSON.stringify(key)} must be a number of milliseconds, got ${String(ttl)}`,
      );
    const px = Math.ceil(ttl);
    if (px > 0) return this.#client.set(name, value, { nx, px }) === 'OK';
    // The value has expired already.
    if (nx && this.#client.exists(name) === 1) return false;
    this.#client.unlink(name);
    return true;
  }

  *#pages(namespace: string | undefined, type?: string): Generator<string[]> {
    const match = `${prefixOf(namespace).replace(/[*?[\]\\^-]/g, '\\$&')}*`;
    let cursor = '0';
    do {
      const [next, keys] = this.#client.scan(cursor, { match, count: BATCH, ...(type === undefined ? {} : { type }) });
      yield keys;
      cursor = next;
    } while (cursor !== '0');
  }
}

function flag(given: unknown, otherwise: boolean): boolean {
  if (given === undefined) return otherwise;
  if (typeof given === 'boolean') return given;
  throw new CallerTypeError(`nx must be true or false, got ${String(given)}`);
}
