/**
 * The session of an element: its text, and the lines that were typed behind it. Each typed line runs all of it again on a fresh
 * engine, so clients, transactions and waiting commands are those of the session format.
 */
import { dedented } from './dedented.js';
import type { EngineMaker } from './engine.js';
import { type SessionSource, SessionState } from './session-state.js';

/** Characters of a text that is run; a longer one belongs into the playground. */
export const MAX_CHARS = 64 * 1024;
const MAX_TYPED = 200;
/** Line of a session that stands for any lines. */
const ANYTHING = '...';
const RECEIVE = /^\s*[A-Za-z_][\w.-]*<\s*$/;
const ADDRESSED = /^\s*(?:[A-Za-z_][\w.-]*)?(?:\[\d+\])?(?:\(TX\))?>/;

export class TypedSession extends SessionState {
  #typed: readonly string[] = [];

  constructor() {
    super({ text: '' });
  }

  /** The text with the typed lines behind it. */
  override get whole(): string {
    return [this.text, ...this.#typed].filter((part) => part !== '').join('\n');
  }

  get hasRun(): boolean {
    return this.at > 0 || this.problem !== undefined;
  }

  /** Prompt of the default client, with its database and transaction. */
  get prompt(): string {
    const client = this.report?.clients.find(({ name }) => name === '');
    const database = client?.database ? `[${client.database}]` : '';
    return `${database}${client?.inTransaction ? '(TX)' : ''}>`;
  }

  override open(source: SessionSource): void {
    super.open({ ...source, text: dedented(source.text) });
  }

  edit(text: string): void {
    this.open({ ...this.source, text });
  }

  /** Shows the text as if nothing had run, without the typed lines. */
  override reset(): void {
    this.#typed = [];
    super.reset();
  }

  /** Runs all lines on a fresh engine, and shows their end. */
  run(make: EngineMaker): void {
    this.forget();
    const { length } = this.whole;
    if (length > MAX_CHARS) {
      const message = `the session has ${length} characters; ${MAX_CHARS} can be run here`;
      this.problem = { line: 1, column: 1, message };
      return this.goTo(0);
    }
    const db = make();
    try {
      this.runAll(db);
    } finally {
      db.close();
    }
  }

  /** Shows the next stop. */
  step(make: EngineMaker): void {
    const { at } = this;
    if (!this.report) this.run(make);
    this.goTo(at + 1);
  }

  /** Runs a typed line behind everything else. Returns the reason why it is none, and changes nothing then. */
  type(make: EngineMaker, typed: string, elapsedMs: number): string | undefined {
    const lines = typedLines(typed);
    if (lines.length === 0) return undefined;
    if (this.#typed.length >= MAX_TYPED) return `${MAX_TYPED} lines were typed; reset to go on`;
    const { report, at } = this;
    const before = this.#typed;
    const clock = elapsedMs > 0 ? [`@ +${elapsedMs}ms`] : [];
    this.#typed = [...before, ...clock, ...lines];
    this.run(make);
    const { problem } = this;
    if (!problem) return undefined;
    // A line that cannot be read is taken back; a text that cannot be read stays marked.
    if (problem.line > linesOf(this.text)) this.problem = undefined;
    this.#typed = before;
    this.report = report;
    this.at = at;
    return problem.message;
  }
}

/** Typed or pasted text as lines of a session: commands of the default client, unless it is a session already. */
function typedLines(typed: string): string[] {
  const lines = typed.split(/\r?\n/).filter((line) => line.trim() !== '');
  if (lines.length > 1 && lines.some((line) => ADDRESSED.test(line))) return lines;
  const isOther = (line: string): boolean => /^\s*[@#]/.test(line) || RECEIVE.test(line) || ADDRESSED.test(line);
  // A receive without lines below expects that nothing has come; a typed one asks for everything that has.
  return lines.flatMap((line) =>
    RECEIVE.test(line) ? [line.trim(), ANYTHING] : [isOther(line) ? line.trim() : `> ${line.trim()}`],
  );
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}
