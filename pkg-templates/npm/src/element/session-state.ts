/**
 * A session that is run: its text, the report, and how far it is shown. Pages that show sessions share it with
 * `<keylatch-repl>`, which adds typed lines (`typed-session.ts`).
 */
import { LoadError, SessionError } from '../base/errors.js';
import type { Keylatch } from '../db/keylatch.js';
import { runSessionOn } from '../db/tools.js';
import type { SessionOptions, SessionReport, SessionStep } from '../session/session.js';
import { limitScripts } from './script-limit.js';

/** Reason why a text is no session, or cannot be run. */
export interface SessionProblem {
  /** Line of the text, from 1. */
  readonly line: number;
  /** Column of the line, from 1. */
  readonly column: number;
  /** The reason as a sentence without a full stop. */
  readonly message: string;
}

/** A session to show. */
export interface SessionSource {
  /** Text of the session. */
  readonly text: string;
  /** Title beside the text; without it the text has one. */
  readonly title?: string | undefined;
  /** Snapshot of the keys before the first line. */
  readonly start?: Uint8Array | undefined;
}

/** Options of a run. */
export interface SessionRunOptions extends SessionOptions {
  /** Scripts keep the limit of the engine. Without this, all scripts of a text share the work that a page can bear. */
  readonly unlimitedScripts?: boolean | undefined;
}

/** Kinds of steps at which a session can stop. Links hold the number of such a step. */
const STOPS: ReadonlySet<SessionStep['kind']> = new Set(['command', 'receive', 'clock']);

/** State of a shown session. Each run needs an engine of its own with a ManualClock, which the caller makes and closes. */
export class SessionState<Source extends SessionSource = SessionSource> {
  /** Number of stops that are shown as run. */
  at = 0;
  /** Report of the last whole run; undefined before it, and if the text is no session. */
  report: SessionReport | undefined;
  /** Reason why the last run failed. */
  problem: SessionProblem | undefined;

  /** Begins with a session that has not run. */
  constructor(
    /** The shown session. Another one is shown by `open`. */
    public source: Source,
  ) {}

  /** Text of the session. */
  get text(): string {
    return this.source.text;
  }

  /** The text that runs: that of the session, with what a subclass adds. */
  get whole(): string {
    return this.text;
  }

  /** Steps at which the session can stop: commands, receives and clock lines. */
  get stops(): readonly SessionStep[] {
    return (this.report?.steps ?? []).filter(({ kind }) => STOPS.has(kind));
  }

  /** Line of the last stop that has run; 0 before the first. */
  get line(): number {
    return this.stops[this.at - 1]?.line ?? 0;
  }

  /** True if all of the session is shown as run. */
  get isAtEnd(): boolean {
    return this.report !== undefined && this.at === this.stops.length;
  }

  /** Shows another session, as if nothing had run. */
  open(source: Source): void {
    this.source = source;
    this.reset();
  }

  /** Shows the session as if nothing had run. */
  reset(): void {
    this.at = 0;
    this.forget();
  }

  /** Forgets what a run has shown. The shown stop stays, for the next run. */
  forget(): void {
    this.report = this.problem = undefined;
  }

  /** Moves to the instant behind a number of stops, within those that there are. */
  goTo(count: number): void {
    this.at = Math.min(Math.max(count, 0), this.stops.length);
  }

  /** Runs the text on an engine without keys, and shows its end. Returns the report; undefined if there is a problem. */
  runAll(db: Keylatch, options: SessionRunOptions = {}): SessionReport | undefined {
    this.report = this.#run(db, options);
    this.at = this.stops.length;
    return this.report;
  }

  /**
   * Runs the text on an engine without keys up to the shown stop, so that the engine has the keys of that moment. Returns
   * the report of that part; `report` stays.
   */
  replay(db: Keylatch, options: SessionRunOptions = {}): SessionReport | undefined {
    return this.#run(db, this.isAtEnd ? options : { ...options, untilLine: this.line, brief: true, facts: false });
  }

  #run(db: Keylatch, { unlimitedScripts, ...options }: SessionRunOptions): SessionReport | undefined {
    const { start } = this.source;
    this.problem = undefined;
    try {
      if (start) db.load(start);
      this.problem = unlimitedScripts ? undefined : limitScripts(db, this.whole);
      return this.problem ? undefined : runSessionOn(db, this.whole, options);
    } catch (error) {
      this.problem = problemOf(error);
      return undefined;
    }
  }
}

function problemOf(error: unknown): SessionProblem {
  if (error instanceof SessionError) return { line: error.line, column: error.column, message: error.message };
  const reason = error instanceof Error ? error.message : String(error);
  const failed =
    error instanceof LoadError ? 'the keys that the session starts with cannot be loaded' : 'the session cannot be run';
  return { line: 1, column: 1, message: `${failed}: ${reason}` };
}
