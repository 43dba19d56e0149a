/**
 * A session that is run: its text, the lines that were typed behind it, the report, and how far it is shown. Each typed line
 * runs all of it again on a fresh engine, so clients, transactions and waiting commands are those of the session format.
 */
import { dedented } from './dedented.js';
import { SessionError } from '../base/errors.js';
import type { SessionReport, SessionStep } from '../session/session.js';
import { runSessionOn } from '../db/tools.js';
import type { EngineMaker } from './engine.js';
import { limitScripts } from './script-limit.js';

/** Reason why a text or a typed line is no session. */
export interface Problem {
  /** Lines and columns count from 1. */
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** A text to run, and the keys before its first line. */
export interface Source {
  readonly text: string;
  readonly title?: string | undefined;
  readonly start?: Uint8Array | undefined;
}

/** Characters of a text that is run; a longer one belongs into the playground. */
export const MAX_CHARS = 64 * 1024;
const MAX_TYPED = 200;
/** Line of a session that stands for any lines. */
const ANYTHING = '...';
/** Kinds of steps at which the playground stops, too: links hold their number. */
const STOPS: ReadonlySet<SessionStep['kind']> = new Set(['command', 'receive', 'clock']);
const RECEIVE = /^\s*[A-Za-z_][\w.-]*<\s*$/;
const ADDRESSED = /^\s*(?:[A-Za-z_][\w.-]*)?(?:\[\d+\])?(?:\(TX\))?>/;

export class SessionState {
  /** Number of steps that are shown as run. */
  at = 0;
  report: SessionReport | undefined;
  problem: Problem | undefined;
  #source: Source = { text: '' };
  #typed: readonly string[] = [];

  get text(): string {
    return this.#source.text;
  }

  get title(): string | undefined {
    return this.#source.title;
  }

  get start(): Uint8Array | undefined {
    return this.#source.start;
  }

  /** The text with the typed lines behind it. */
  get whole(): string {
    return [this.text, ...this.#typed].filter((part) => part !== '').join('\n');
  }

  /** Commands, receives and clock lines. */
  get stops(): readonly SessionStep[] {
    return (this.report?.steps ?? []).filter(({ kind }) => STOPS.has(kind));
  }

  get isAtEnd(): boolean {
    return this.report !== undefined && this.at === this.stops.length;
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

  open(source: Source): void {
    this.#source = { ...source, text: dedented(source.text) };
    this.reset();
  }

  edit(text: string): void {
    this.open({ ...this.#source, text });
  }

  /** Shows the text as if nothing had run, without the typed lines. */
  reset(): void {
    this.at = 0;
    this.#typed = [];
    this.report = this.problem = undefined;
  }

  runAll(make: EngineMaker): void {
    this.#run(make);
    this.at = this.stops.length;
  }

  step(make: EngineMaker): void {
    if (!this.report) this.#run(make);
    this.at = Math.min(this.at + 1, this.stops.length);
  }

  /** Runs a typed line behind everything else. Returns the reason why it is none, and changes nothing then. */
  type(make: EngineMaker, typed: string, elapsedMs: number): string | undefined {
    const lines = typedLines(typed);
    if (lines.length === 0) return undefined;
    if (this.#typed.length >= MAX_TYPED) return `${MAX_TYPED} lines were typed; reset to go on`;
    const before = { typed: this.#typed, report: this.report };
    const clock = elapsedMs > 0 ? [`@ +${elapsedMs}ms`] : [];
    this.#typed = [...this.#typed, ...clock, ...lines];
    this.#run(make);
    const { problem } = this;
    if (problem) {
      // A line that cannot be read is taken back; a text that cannot be read stays marked.
      if (problem.line > linesOf(this.text)) this.problem = undefined;
      this.#typed = before.typed;
      this.report = before.report;
      return problem.message;
    }
    this.at = this.stops.length;
    return undefined;
  }

  #run(make: EngineMaker): void {
    this.problem = this.report = undefined;
    const { whole } = this;
    if (whole.length > MAX_CHARS) {
      const message = `the session has ${whole.length} characters; ${MAX_CHARS} can be run here`;
      this.problem = { line: 1, column: 1, message };
      return;
    }
    const db = make();
    try {
      if (this.start) db.load(this.start);
      this.problem = limitScripts(db, whole);
      if (!this.problem) this.report = runSessionOn(db, whole);
    } catch (error) {
      this.problem = problemOf(error);
    } finally {
      db.close();
    }
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

function problemOf(error: unknown): Problem {
  if (error instanceof SessionError) return { line: error.line, column: error.column, message: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  return { line: 1, column: 1, message: `the session cannot be run: ${reason}` };
}

function linesOf(text: string): number {
  return text === '' ? 0 : text.split('\n').length;
}
