/**
 * Views of a prefix: a client in which each key of a command gets a prefix, and loses it in replies. The positions of
 * keys come from the rows.
 */
import { bytesOf, isBytes, argumentText, type Argument } from '../base/argument.js';
import type { Connection } from './connection.js';
import { ReplyError } from '../base/errors.js';
import { concat } from '../resp/concat.js';
import { CodedValues, JSON_CODEC, readThrough, type Codec, type Loader, type LoadOptions } from './json.js';
import { keyIndices, specsOf } from './key-positions.js';
import { wordOf } from './key-specs.js';
import type { Carried, Now } from '../base/result-mode.js';
import type { Site } from './single-flight.js';
import { runTransaction } from './transaction.js';
import { TransactionCommands } from './transaction-commands.js';
import { waitFor, type WaitOptions } from './waits.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { Encoder } from '../base/encoders.js';

/** Commands about all keys of a database, which no prefix can narrow. */
const WHOLE_DATABASE = /^(FLUSHDB|FLUSHALL|SWAPDB|RANDOMKEY|DBSIZE)$/;

/** Commands with a reply that begins with the key that had an element. */
const KEY_FIRST = /^B(L|R|Z|LM|ZM)POP|^[LZ]MPOP$/;

const encoder = /* @__PURE__ */ new Encoder();

/** @internal The prefix of a view, and what it does to arguments and replies. */
export class Prefix {
  readonly text: string;
  readonly #byteLength: number;
  /** The prefix as a glob pattern that matches it alone. */
  readonly #pattern: string;

  constructor(text: string) {
    if (typeof text !== 'string') throw new CallerTypeError(`a prefix must be a string, got ${typeof text}`);
    this.text = text;
    this.#byteLength = bytesOf(text, 1, 'prefix').length;
    this.#pattern = text.replace(/[*?[\]\\^-]/g, '\\$&');
  }

  /** A key of the view as a key of the database. What is no argument is left to the check of arguments. */
  apply(key: Argument, prefix = this.text): Argument {
    if (isBytes(key)) return concat([encoder.encode(prefix), key]);
    const text = argumentText(key);
    return text === undefined ? key : prefix + text;
  }

  /** A command of the view as a command of the database. */
  rewrite(argv: readonly Argument[]): readonly Argument[] {
    const name = wordOf(argv[0]);
    const sent = [...argv];
    // Most commands: their first argument is the only key.
    if (specsOf(name) === '1' && argv.length > 1) {
      sent[1] = this.apply(argv[1] as Argument);
      return sent;
    }
    if (WHOLE_DATABASE.test(name)) {
      const of = JSON.stringify(this.text);
      throw new CallerTypeError(
        `${name} is about all keys, not those with the prefix ${of}: call it on the client itself`,
      );
    }
    if (name.startsWith('SORT') && argv.length > 2 && this.text.includes('*'))
      throw new CallerTypeError(
        `${name} would take the * of the prefix for that of its pattern: call it on the client itself`,
      );
    if (name === 'KEYS') this.#match(sent, 1);
    else if (name === 'SCAN') this.#scan(sent);
    else for (const index of keyIndices(argv)) sent[index] = this.apply(argv[index] as Argument);
    return sent;
  }

  #match(sent: Argument[], index: number): void {
    const pattern = sent[index];
    if (pattern !== undefined) sent[index] = this.apply(pattern, this.#pattern);
  }

  #scan(sent: Argument[]): void {
    let matched = false;
    for (let index = 2; index < sent.length; index += 2) {
      if (wordOf(sent[index]) !== 'MATCH') continue;
      this.#match(sent, index + 1);
      matched = true;
    }
    if (!matched && sent.length > 1) sent.push('MATCH', `${this.#pattern}*`);
  }

  /** The reply of a command with keys as the view has them. */
  strip(argv: readonly Argument[], reply: unknown): unknown {
    if (!Array.isArray(reply)) return reply;
    const name = wordOf(argv[0]);
    if (name === 'KEYS') return reply.map((key) => this.#stripped(key));
    if (name === 'SCAN') return [reply[0], (reply[1] as unknown[]).map((key) => this.#stripped(key))];
    return KEY_FIRST.test(name) && reply.length > 0 ? [this.#stripped(reply[0]), ...reply.slice(1)] : reply;
  }

  /** The commands of a transaction as commands of the database. */
  rewriteEach(queue: readonly (readonly Argument[])[]): (readonly Argument[])[] {
    return queue.map((argv) => this.rewrite(argv));
  }

  /** The replies of a transaction, unless it has none, with keys as the view has them. */
  stripEach(queue: readonly (readonly Argument[])[], replies: unknown): unknown {
    if (!Array.isArray(replies)) return replies;
    return replies.map((reply, index) => this.strip(queue[index] ?? [], reply));
  }

  #stripped(key: unknown): unknown {
    return (key as string | Uint8Array).slice(isBytes(key) ? this.#byteLength : this.text.length);
  }
}

/** Commands of a view, with bulk strings as Text. */
export class PrefixedCommands<Text extends string | Uint8Array> extends TransactionCommands<Text> {
  readonly #connection: Connection;
  readonly #prefix: Prefix;
  readonly #asBytes: boolean;

  /** @internal Use `client.prefix()`. */
  constructor(connection: Connection, prefix: Prefix, asBytes: boolean) {
    super();
    this.#connection = connection;
    this.#prefix = prefix;
    this.#asBytes = asBytes;
  }

  protected override execute<T>(argv: readonly Argument[]): Carried<Now, T> {
    const reply = this.#connection.reply(this.#prefix.rewrite(argv), this.#asBytes);
    if (reply instanceof ReplyError) throw reply;
    return this.#prefix.strip(argv, reply) as Carried<Now, T>;
  }

  protected override async executeWaiting<T>(
    argv: readonly Argument[],
    timeout: number,
    { signal }: WaitOptions,
  ): Promise<T> {
    const request = { argv: this.#prefix.rewrite(argv), asBytes: this.#asBytes, timed: timeout > 0, signal };
    return this.#prefix.strip(argv, await waitFor(this.#connection, request)) as T;
  }

  /** @internal */
  protected override transact(queue: readonly (readonly Argument[])[]): unknown {
    const replies = runTransaction(this.#connection, this.#prefix.rewriteEach(queue), this.#asBytes);
    return this.#prefix.stripEach(queue, replies);
  }
}

/**
 * View of a client in which each key gets a prefix: `db.prefix('user:').get('1')` reads `user:1`. KEYS, SCAN and replies
 * that name keys are about keys with the prefix, and have them without it. Channels, events, and commands without keys
 * are those of the client.
 */
export class PrefixedClient extends PrefixedCommands<string> {
  readonly #site: Site;
  readonly #prefix: Prefix;
  #bytes: PrefixedCommands<Uint8Array> | undefined;
  #json: CodedValues | undefined;

  /** @internal Use `client.prefix()`. */
  constructor(connection: Connection, text: string) {
    const prefix = new Prefix(text);
    super(connection, prefix, false);
    this.#prefix = prefix;
    this.#site = { connection, absolute: (key) => prefix.apply(key) };
  }

  /** This view with bulk strings as Uint8Array. */
  get bytes(): PrefixedCommands<Uint8Array> {
    return (this.#bytes ??= new PrefixedCommands(this.#site.connection, this.#prefix, true));
  }

  /** Values of this view as JSON. */
  get json(): CodedValues {
    return (this.#json ??= new CodedValues(this, this.#site, JSON_CODEC));
  }

  /** `getOrSet` of the client, for keys of this view. */
  getOrSet<T>(
    key: Argument,
    life: LoadOptions & { readonly as: 'json' | 'bytes' | Codec },
    load: Loader<T>,
  ): Promise<T>;
  getOrSet<T extends Argument | null | undefined>(
    key: Argument,
    life: number | (LoadOptions & { readonly as?: 'text' }),
    load: Loader<T>,
  ): Promise<string | Extract<T, null | undefined>>;
  getOrSet<T>(key: Argument, life: number | LoadOptions, load: Loader<T>): Promise<T> {
    return readThrough(this, this.#site, key, life, load);
  }

  /** A view of a longer prefix: that of this view, then `text`. */
  prefix(text: string): PrefixedClient {
    return new PrefixedClient(this.#site.connection, this.#prefix.text + new Prefix(text).text);
  }
}
