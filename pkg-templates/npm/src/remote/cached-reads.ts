/** The client-side cache of a database: which commands it answers, and which of them change what it has. */
import { bytesOf, commandName, isBytes, type Argument } from '../base/argument.js';
import { KEY_READS } from '../client/generated/reads.js';
import { keyIndices } from '../client/key-positions.js';
import { isError } from '../resp/reply-kinds.js';
import { ReplyCache } from './reply-cache.js';

type Command = readonly Argument[];
type Send = () => Promise<readonly Uint8Array[]>;

/** Reads that are not kept: replies that change with time, commands with an effect, and such that reach keys that they do not name. */
const NOT_CACHED = 'TTL,PTTL,HTTL,HPTTL,LATCH.CHECK,LATCH.INSPECT,TOUCH,EVAL_RO,SORT_RO'.split(',');
/** @internal Names of the commands that the cache answers. */
export const CACHED: ReadonlySet<string> = /* @__PURE__ */ namesOfCached();
/** Scripts reach keys that they do not name, and a database that is selected has others under the same names. */
const CHANGES_ANY = /^(?:EVAL|EVALSHA|FCALL|SELECT)$/;
const PRINTABLE = /^[ -~]*$/;

export class CachedReads {
  readonly #cache: ReplyCache;
  /** Whether the server would have said by now that a key has changed. */
  isFresh: () => boolean = () => false;

  constructor(maxEntries: number) {
    this.#cache = new ReplyCache(maxEntries);
  }

  /** The reply of a command in a database: one that was kept, or that of `send`. */
  async read(argv: Command, db: number, send: Send): Promise<readonly Uint8Array[]> {
    const name = commandName(argv[0]);
    if (!CACHED.has(name)) return send();
    const words = argv.map((word, index) => (index === 0 ? name : binaryOf(word, index, argv)));
    const id = `${db} ${words.map((word) => `${word.length}:${word}`).join('')}`;
    const kept = this.isFresh() ? this.#cache.find(id) : undefined;
    if (kept !== undefined) return [kept];
    const read = this.#cache.begin(
      id,
      keyIndices(argv).map((index) => words[index] ?? ''),
    );
    return this.#sent(read, send);
  }

  async #sent(read: ReturnType<ReplyCache['begin']>, send: Send): Promise<readonly Uint8Array[]> {
    try {
      const replies = await send();
      const [reply] = replies;
      if (reply !== undefined && !isError(reply)) this.#cache.keep(read, reply);
      return replies;
    } finally {
      if (read.reply === undefined) this.#cache.drop(read);
    }
  }

  /**
   * Sends commands that may change keys. Their reads are forgotten now, since those behind them have to see the change, and once
   * they are answered: a read of another connection may have come in between.
   */
  async change(commands: readonly Command[], send: Send): Promise<readonly Uint8Array[]> {
    const keys = keysOf(commands);
    this.#cache.forget(keys);
    try {
      return await send();
    } finally {
      this.#cache.forget(keys);
    }
  }

  /** Forgets the reads of keys that the server names; without keys all of them. */
  forget(keys?: readonly Uint8Array[]): void {
    this.#cache.forget(keys?.map(binary));
  }
}

function namesOfCached(): ReadonlySet<string> {
  const names = new Set(KEY_READS.split(','));
  for (const name of NOT_CACHED) names.delete(name);
  return names;
}

/** Keys that commands may change; undefined: any. */
function keysOf(commands: readonly Command[]): readonly string[] | undefined {
  const keys: string[] = [];
  for (const argv of commands) {
    const indices = keyIndices(argv);
    const name = commandName(argv[0]);
    if (name === 'PUBLISH' || name === 'SPUBLISH') continue;
    if (indices.length === 0 || CHANGES_ANY.test(name)) return undefined;
    for (const index of indices) keys.push(binaryOf(argv[index] as Argument, index, argv));
  }
  return keys;
}

/** An argument as a text with a character for each byte: the same for a text and its bytes. */
function binaryOf(argument: Argument, index: number, argv: Command): string {
  const text = isBytes(argument) ? undefined : String(argument);
  return text !== undefined && PRINTABLE.test(text) ? text : binary(bytesOf(argument, index, commandName(argv[0])));
}

function binary(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}
