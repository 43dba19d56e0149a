/** Runs typed lines on one engine and passes the text to print to a callback. Has no terminal. */
import { Keylatch } from '../db/built-in.js';
import { LineError } from '../base/errors.js';
import type { Stream } from '../host/streams.js';
import { findScriptFault, printScriptFault } from '../hints/script-fault.js';
import { concat } from '../resp/concat.js';
import { asVerbatim, encodeRequests } from '../resp/encode.js';
import { INVALID_REPETITIONS, repetitionsOf } from '../hints/repetitions.js';
import { printReply, splitLine } from '../db/tools.js';
import { help } from './help.js';
import { printable } from './output.js';
import type { CommandRows } from './package-files.js';
import { Decoder } from '../base/encoders.js';

/** Action for the caller after a line has run. */
export type Action = 'quit' | 'clear' | undefined;

/** Words that the shell runs itself, not the engine. */
const OWN_WORDS = new Set(['quit', 'exit', 'clear', 'help', '?']);

/** Commands with a reply that is printed as plain text. RESP2 does not mark such replies; redis-cli has the same list. */
const TEXTS = new Set(['INFO', 'LOLWUT', 'CLIENT INFO', 'CLIENT LIST', 'LATENCY DOCTOR', 'MEMORY DOCTOR']);

const NOTHING = /* @__PURE__ */ new Uint8Array();

export class Shell {
  readonly rows: CommandRows;
  readonly #db = new Keylatch();
  readonly #show: (text: string) => void;
  readonly #showsPlaces: boolean;
  #stream: Stream;
  #whenUnblocked: (() => void) | undefined;
  #isMonitor = false;

  /**
   * `show` receives whole lines without the last line feed, also between commands: messages and late replies. With
   * `showsPlaces`, the line of a script is shown below its error.
   */
  constructor(rows: CommandRows, show: (text: string) => void, { showsPlaces = false } = {}) {
    this.rows = rows;
    this.#show = (text) => show(printable(text));
    this.#showsPlaces = showsPlaces;
    this.#stream = this.#open();
  }

  /** `keylatch[2](TX)(subscribed mode)> `: the database beyond the first, an open transaction, and subscriptions. */
  get prompt(): string {
    const { db, inTransaction, listening } = this.#stream;
    const isSubscribed = listening && !this.#isMonitor;
    const state = `${inTransaction ? '(TX)' : ''}${isSubscribed ? '(subscribed mode)' : ''}`;
    return `keylatch${db === 0 ? '' : `[${db}]`}${state}> `;
  }

  /** True while the last command is blocked; lines typed now run after it. */
  get waiting(): boolean {
    return this.#stream.parked;
  }

  /** Runs one line. Never throws, whatever the line. */
  run(line: string): Action {
    try {
      return this.#run(splitLine(this.#db, line));
    } catch (error) {
      if (error instanceof LineError) this.#show(`Invalid argument(s): ${error.message} at column ${error.column}`);
      else this.#show(`(error) ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Unblocks the client as if its timeout had passed; false when it cannot be unblocked. */
  giveUp(): boolean {
    try {
      return this.#db.call('CLIENT', 'UNBLOCK', this.#stream.id) === 1;
    } catch {
      // All clients are paused.
      return false;
    }
  }

  /** Resolves to true when no command is blocked any more, and to false when only another client could unblock it. */
  async unblocked(): Promise<boolean> {
    if (!this.waiting) return true;
    if (this.#db.nextExpiry() === null) return false;
    // The engine's own timer does not keep the process alive.
    const alive = setInterval(() => {}, 1 << 30);
    await new Promise<void>((resolve) => (this.#whenUnblocked = resolve));
    clearInterval(alive);
    return true;
  }

  /** Key names for completion. */
  keys(prefix: string, limit: number): string[] {
    if (this.#stream.inTransaction) return [];
    const { keys } = this.#db.inspectPage({ db: this.#stream.db, limit: 1000 });
    return keys
      .map(({ key }) => key)
      .filter((key) => key.startsWith(prefix))
      .sort()
      .slice(0, limit);
  }

  #run(argv: Uint8Array[]): Action {
    if (argv.length === 0) return undefined;
    const words = argv.map((word) => new Decoder().decode(word));
    const own = (words[0] ?? '').toLowerCase();
    if (OWN_WORDS.has(own)) return this.#ownWord(own, words.slice(1));
    const repeated = repetitionsOf(words);
    if (repeated === undefined) this.#show(INVALID_REPETITIONS);
    else this.#repeat(argv.slice(repeated.skipped), words.slice(repeated.skipped), repeated.times);
    return undefined;
  }

  #repeat(argv: readonly Uint8Array[], words: readonly string[], times: number): void {
    const request = encodeRequests([argv]);
    for (let left = times; left > 0; left -= 1) this.#feed(request, words);
  }

  #ownWord(word: string, rest: readonly string[]): Action {
    if (word === 'clear') return 'clear';
    if (word !== 'help' && word !== '?') return 'quit';
    this.#show(help(this.rows, rest));
    return undefined;
  }

  #open(): Stream {
    return this.#db.streams.open({ reached: () => this.#feed(NOTHING) });
  }

  /** `words` are those of the command in the chunk, if there is one. */
  #feed(chunk: Uint8Array, words: readonly string[] = []): void {
    const pieces: Uint8Array[] = [];
    const keep = (output: Uint8Array): void => void pieces.push(output.slice());
    if (words[0]?.toUpperCase() === 'MONITOR') this.#isMonitor = true;
    this.#stream.feed(chunk, keep);
    while (this.#stream.more) this.#stream.feed(NOTHING, keep);
    // If the client ended itself, the next line runs on a new one, as in redis-cli.
    if (this.#stream.closed) {
      this.#stream.close();
      this.#stream = this.#open();
    }
    if (!this.#stream.listening) this.#isMonitor = false;
    const reply = concat(pieces);
    const text = printReply(this.#db, answersText(words) ? asVerbatim(reply) : reply);
    if (text !== '') this.#show(this.#showsPlaces ? withPlace(text, words) : text);
    if (!this.waiting) this.#whenUnblocked?.();
  }
}

function answersText(words: readonly string[]): boolean {
  const names = [words.slice(0, 1), words.slice(0, 2)].map((name) => name.join(' ').toUpperCase());
  return names.some((name) => TEXTS.has(name));
}

/** Adds the line of the script that an error names. */
function withPlace(text: string, words: readonly string[]): string {
  const fault = text.startsWith('(error)') ? findScriptFault(words, text) : undefined;
  return fault ? `${text}\n${printScriptFault(fault)}` : text;
}
