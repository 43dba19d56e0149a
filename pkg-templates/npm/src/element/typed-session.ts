/**
 * The session of an element: its text, and the lines that were typed behind it. Each typed line runs all of it again on a fresh
 * engine, so clients, transactions and waiting commands are those of the session format.
 */
import { dedented } from './dedented.js';
import { sessionLines } from '../db/tools.js';
import type { SessionLine } from '../session/session-lines.js';
import type { EngineMaker } from './engine.js';
import { type SessionSource, SessionState } from './session-state.js';

/** Characters of a text that is run; a longer one belongs into the playground. */
export const MAX_CHARS = 64 * 1024;
const MAX_TYPED = 200;
/** Line of a session that stands for any lines. */
const ANYTHING = '...';
/** Kinds of typed lines that are lines of a session as they stand; others are commands without a prompt. */
const ADDRESSED: ReadonlySet<SessionLine['kind']> = new Set(['command', 'prompt']);
const OF_SESSION: ReadonlySet<SessionLine['kind']> = new Set([
  ...ADDRESSED,
  'receive',
  'clock',
  'race',
  'join',
  'heading',
  'comment',
]);

export class TypedSession extends SessionState {
  #typed: readonly string[] = [];
  #make: EngineMaker | undefined;
  #read: { readonly text: string; readonly lines: readonly SessionLine[] } | undefined;

  constructor() {
    super({ text: '' });
  }

  /** The text with the typed lines behind it. */
  override get whole(): string {
    return [this.text, ...this.#typed].filter((part) => part !== '').join('\n');
  }

  /** Lines of the whole text with their kinds; undefined before the first run, which brings the engine that reads them. */
  get lines(): readonly SessionLine[] | undefined {
    const { whole } = this;
    if (this.#read?.text === whole) return this.#read.lines;
    if (!this.#make || whole.length > MAX_CHARS) return undefined;
    const lines = readLines(this.#make, whole);
    this.#read = { text: whole, lines };
    return lines;
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
    this.#make = make;
    this.forget();
    const { length } = this.whole;
    if (length > MAX_CHARS) {
      const message = `the session has ${length} characters; ${MAX_CHARS} can be run here`;
      this.problem = { line: 1, column: 1, message };
      return this.goTo(0);
    }
    const db = make();
    try {
      this.#read = { text: this.whole, lines: sessionLines(db, this.whole) };
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
    const lines = typedLines(readLines(make, typed.replaceAll(/\r?\n/g, '\n')));
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

/** Typed or pasted lines as those of a session: commands of the default client, unless they are a session already. */
function typedLines(read: readonly SessionLine[]): string[] {
  const typed = read
    .map(({ kind, head, rest }) => ({ kind, text: head + rest }))
    .filter(({ text }) => text.trim() !== '');
  if (typed.length > 1 && typed.some(({ kind }) => ADDRESSED.has(kind))) return typed.map(({ text }) => text);
  // A receive without lines below expects that nothing has come; a typed one asks for everything that has.
  return typed.flatMap(({ kind, text }) =>
    kind === 'receive' ? [text.trim(), ANYTHING] : [OF_SESSION.has(kind) ? text.trim() : `> ${text.trim()}`],
  );
}

function readLines(make: EngineMaker, text: string): SessionLine[] {
  const db = make();
  try {
    return sessionLines(db, text);
  } finally {
    db.close();
  }
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}
