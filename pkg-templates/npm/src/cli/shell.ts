/** Runs typed lines on one engine and answers what to print. Knows no terminal. */
import { Keylatch, LineError, type Client } from '../index.js';
import { help } from './help.js';
import type { CommandRows } from './package-files.js';

export interface Answer {
  /** What to print, without the last line feed; undefined prints nothing at all. */
  readonly text?: string;
  readonly action?: 'quit' | 'clear';
}

/** Lines that belong to the shell and not to the engine. */
const OWN_WORDS = new Set(['quit', 'exit', 'clear', 'help', '?']);

export class Shell {
  readonly rows: CommandRows;
  readonly #db = new Keylatch();
  // redis-cli speaks RESP2 unless told otherwise, and people know its look.
  readonly #client: Client = this.#db.client({ protocol: 2 });

  constructor(rows: CommandRows) {
    this.rows = rows;
  }

  /** `keylatch[2](TX)> `: the database beyond the first, and an open transaction. */
  get prompt(): string {
    const { db, inTransaction } = this.#client;
    return `keylatch${db === 0 ? '' : `[${db}]`}${inTransaction ? '(TX)' : ''}> `;
  }

  /** Runs one line. Nothing a user types makes it throw. */
  run(line: string): Answer {
    try {
      return this.#run(this.#db.splitLine(line));
    } catch (error) {
      if (error instanceof LineError) return { text: `Invalid argument(s): ${error.message} at column ${error.column}` };
      return { text: `(error) ${error instanceof Error ? error.message : String(error)}` };
    }
  }

  /** Key names for completion. */
  keys(prefix: string, limit: number): string[] {
    if (this.#client.inTransaction) return [];
    const { keys } = this.#db.inspect({ db: this.#client.db, limit: 1000 });
    return keys.map(({ key }) => key).filter((key) => key.startsWith(prefix)).sort().slice(0, limit);
  }

  #run(argv: Uint8Array[]): Answer {
    if (argv.length === 0) return {};
    const words = argv.map((word) => new TextDecoder().decode(word));
    const own = (words[0] ?? '').toLowerCase();
    if (OWN_WORDS.has(own)) return this.#ownWord(own, words.slice(1));
    const reply = this.#client.callRaw(...argv);
    return { text: this.#db.printReply(reply) };
  }

  #ownWord(word: string, rest: readonly string[]): Answer {
    if (word === 'help' || word === '?') return { text: help(this.rows, rest) };
    return { action: word === 'clear' ? 'clear' : 'quit' };
  }
}
