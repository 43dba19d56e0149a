/**
 * State of the session view: a text, the report of running it, and the current step. Moving to an earlier step runs the
 * session again up to it on a fresh engine, so that the keys of that moment are shown.
 */

import { SessionError } from 'keylatch/core';
import { runSessionOn, type SessionOptions, type SessionReport, type SessionStep as Step } from 'keylatch/hints';
import { Emitter } from './emitter.ts';
import type { Engine, EngineMaker } from './engine.ts';
import { KeyList } from './key-list.ts';
import { keep, recall } from './storage.ts';

export interface SessionProblem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

/** Length above which a text runs on request only, not at each keystroke. */
const AUTORUN_MAX_CHARS = 64 * 1024;
const AUTORUN_DELAY_MS = 180;
/** Storage key of the text that the visitor wrote. */
const OWN = 'session';

export class SessionEditorModel {
  readonly changes = new Emitter<'session'>();
  text = '';
  /** Name of the lesson, while the text is unchanged. */
  lesson: string | undefined;
  /** Text that the visitor wrote last, which opening a lesson does not replace. */
  own = recall(OWN) ?? '';
  report: SessionReport | undefined;
  problem: SessionProblem | undefined;
  /** Number of stops that have run at the current step. */
  at = 0;
  database = 0;
  keys: KeyList | undefined;
  private engine: Engine | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly maker: EngineMaker) {}

  /** Steps at which the scrubber can stop: commands, receives and clock lines. */
  get stops(): readonly Step[] {
    return (this.report?.steps ?? []).filter(isStop);
  }

  /** The line of the last step that has run; 0 before the first. */
  get line(): number {
    return this.stops[this.at - 1]?.line ?? 0;
  }

  /** True when the text is too long to run at each keystroke. */
  get waitsForRun(): boolean {
    return this.text.length > AUTORUN_MAX_CHARS;
  }

  get nowMs(): number {
    return this.engine?.clock.now() ?? 0;
  }

  open(text: string, lesson?: string): void {
    this.text = text;
    this.lesson = lesson;
    this.runAll();
    if (lesson !== undefined) this.goTo(1);
  }

  /** Opens a text that was created for the visitor, and keeps it. */
  openOwn(text: string): void {
    this.keepOwn(text);
    this.open(text);
  }

  /** Handles an edit: the text runs again when typing pauses. */
  edit(text: string): void {
    this.keepOwn(text);
    this.text = text;
    this.lesson = undefined;
    clearTimeout(this.timer);
    if (this.waitsForRun) this.report = this.problem = undefined;
    else this.timer = setTimeout(() => this.runAll(), AUTORUN_DELAY_MS);
    this.changes.emit('session');
  }

  runAll(): void {
    clearTimeout(this.timer);
    this.play();
    this.at = this.stops.length;
    this.changes.emit('session');
  }

  /** Moves to the instant after `count` stops. */
  goTo(count: number): void {
    if (!this.report) return;
    this.at = Math.min(Math.max(count, 0), this.stops.length);
    this.visit(this.at === this.stops.length ? {} : { untilLine: this.line, brief: true });
    this.changes.emit('session');
  }

  /** Moves to the instant after the last step that starts at `line` or before it. */
  goToLine(line: number): void {
    this.goTo(this.stops.filter((step) => step.line <= line).length);
  }

  showDatabase(database: number): void {
    this.database = database;
    this.keys?.refresh(database, this.nowMs);
    this.changes.emit('session');
  }

  private keepOwn(text: string): void {
    this.own = text;
    keep(OWN, text);
  }

  /** State for another engine that continues from the current step. */
  takeAway(): { snapshot: Uint8Array; nowMs: number; clients: SessionReport['clients'] } | undefined {
    if (!this.engine || !this.report) return undefined;
    return { snapshot: this.engine.db.snapshot(), nowMs: this.nowMs, clients: this.report.clients };
  }

  /** Runs the text for the report and shows that engine's keys. */
  private play(): void {
    this.problem = undefined;
    this.report = this.visit({});
  }

  /** Runs on a fresh engine up to a line; undefined when the text is no session. */
  private visit(options: SessionOptions): SessionReport | undefined {
    this.keys?.stop();
    this.engine?.db.close();
    const engine = this.maker.make();
    this.engine = engine;
    this.keys = new KeyList(engine.db);
    try {
      const report = runSessionOn(engine.db, this.text, options);
      this.keys.refresh(this.database, this.nowMs);
      return report;
    } catch (error) {
      if (!(error instanceof SessionError)) throw error;
      this.problem = { line: error.line, column: error.column, message: error.message };
      return undefined;
    }
  }
}

function isStop(step: Step): boolean {
  return step.kind === 'command' || step.kind === 'receive' || step.kind === 'clock';
}
