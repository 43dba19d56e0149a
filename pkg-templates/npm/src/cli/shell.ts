/** Runs typed lines, and passes the text to print to a callback. Has no terminal. */
import { Keylatch } from '../db/built-in.js';
import { LineError } from '../base/errors.js';
import { findScriptFault, printScriptFault } from '../hints/script-fault.js';
import { asVerbatim } from '../resp/encode.js';
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

/** Where a shell prints, and how. */
export interface ShellOptions {
  /** Receives whole lines without the last line feed, also between commands: messages and late replies. */
  show(text: string): void;
  /** Called when a command has ended later, and nothing was shown. */
  idle?(): void;
  /** Whether lines are typed: then the line of a script is shown below its error, and each lost connection. */
  readonly isTerminal?: boolean;
}

export abstract class Shell {
  readonly rows: CommandRows;
  /** Splits lines and prints replies. */
  protected readonly engine = new Keylatch();
  readonly #options: ShellOptions;

  constructor(rows: CommandRows, options: ShellOptions) {
    this.rows = rows;
    this.#options = options;
  }

  /** The prompt, with the state of the client. */
  abstract get prompt(): string;

  /** True while the last command is blocked or under way; lines typed now run after it. */
  abstract get waiting(): boolean;

  /** Ends the wait of the last command; false if that cannot be done. */
  abstract giveUp(): boolean;

  /** Resolves when the next line may run, or to the reason why none may. */
  abstract settled(): Promise<string | undefined>;

  /** Resolves at the end of the input, once nothing more is to be printed; to the reason if that is an error. */
  async finished(): Promise<string | undefined> {
    return undefined;
  }

  /** Key names for completion. */
  abstract keys(prefix: string, limit: number): Promise<readonly string[]>;

  /** Runs a command a number of times. */
  protected abstract send(argv: readonly Uint8Array[], words: readonly string[], times: number): void;

  /** Runs one line. Never throws, whatever the line. */
  run(line: string): Action {
    try {
      return this.#run(splitLine(this.engine, line));
    } catch (error) {
      if (error instanceof LineError) this.show(`Invalid argument(s): ${error.message} at column ${error.column}`);
      else this.show(`(error) ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  /** Disconnects. */
  close(): void {
    this.engine.close();
  }

  protected show(text: string): void {
    this.#options.show(printable(text));
  }

  /** Shows replies in RESP. `words` are those of their command, if there is one. */
  protected showReply(reply: Uint8Array, words: readonly string[]): void {
    const text = printReply(this.engine, answersText(words) ? asVerbatim(reply) : reply);
    if (text !== '') this.show(this.isTerminal ? withPlace(text, words) : text);
  }

  protected get isTerminal(): boolean {
    return this.#options.isTerminal === true;
  }

  protected idle(): void {
    this.#options.idle?.();
  }

  #run(argv: Uint8Array[]): Action {
    if (argv.length === 0) return undefined;
    const words = argv.map((word) => new Decoder().decode(word));
    const own = (words[0] ?? '').toLowerCase();
    if (OWN_WORDS.has(own)) return this.#ownWord(own, words.slice(1));
    const repeated = repetitionsOf(words);
    if (repeated === undefined) this.show(INVALID_REPETITIONS);
    else this.send(argv.slice(repeated.skipped), words.slice(repeated.skipped), repeated.times);
    return undefined;
  }

  #ownWord(word: string, rest: readonly string[]): Action {
    if (word === 'clear') return 'clear';
    if (word !== 'help' && word !== '?') return 'quit';
    this.show(help(this.rows, rest));
    return undefined;
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
