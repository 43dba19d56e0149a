/**
 * Model of the session view: the session's state, which `<keylatch-repl>` has too, and the keys of the current step. Moving to
 * an earlier step runs the session again up to it on a fresh engine. What is written is kept in the notebook; undo covers
 * every change of the text, also those of the page's own buttons.
 */

import { type SessionProblem, type SessionRunOptions, SessionState } from 'keylatch/element';
import type { SessionReport, SessionStep as Step } from 'keylatch/hints';
import { type Change, rewritePasted } from '../text/paste-filter.ts';
import { commandNames } from '../commands/command-names.ts';
import { Emitter } from '../base/emitter.ts';
import type { Engine, EngineMaker } from '../engine/engine.ts';
import { missingLua, prepared } from '../engine/lua.ts';
import { KeyList } from '../keys/key-list.ts';
import { lessons } from '../lessons/lessons.ts';
import { progress } from '../lessons/progress.ts';
import type { Draft, Notebook, Page } from '../kept/notebook.ts';
import { Undo } from './undo.ts';

/** A session that can be shown: a lesson, one of the visitor's own, or one from elsewhere. */
export interface Source {
  readonly text: string;
  /** Id in the notebook; undefined: nothing was written into it yet. */
  readonly id?: string | undefined;
  readonly title?: string | undefined;
  /** Snapshot of the keys before the first line. */
  readonly start?: Uint8Array | undefined;
  /** True for lines that were typed into the command line: their scripts keep the limits that they had there. */
  readonly isTyped?: boolean | undefined;
  /** The lesson that is shown, or that was copied. */
  readonly lesson?: string | undefined;
  /** Name of a race of the lessons. */
  readonly race?: string | undefined;
}

/** A pasted text, and the selection that it replaces. */
export interface Pasted {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Length above which a text runs on request only, not at each keystroke. */
const AUTORUN_MAX_CHARS = 64 * 1024;
const AUTORUN_DELAY_MS = 180;
/** Length of a pasted text that is not looked at. */
const PASTE_MAX_CHARS = 1 << 20;
const EMPTY: Source = { text: '' };

export class SessionEditorModel {
  readonly changes = new Emitter<'session' | 'source'>();
  /** The clients at the current step. */
  clients: SessionReport['clients'] = [];
  database = 0;
  keys: KeyList | undefined;
  /** Message about a change of the text apart from typing. */
  notice = '';
  /** Changes of the text that was pasted last, while it is as it was inserted. */
  pasteChanges: readonly Change[] = [];
  private readonly state = new SessionState<Source>(EMPTY);
  private steps = new Undo<Source>();
  /** The session that was deleted last, while nothing else is shown. */
  private deleted: { readonly source: Source; readonly steps: Undo<Source> } | undefined;
  private asPasted = '';
  private engine: Engine | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** The latest texts of sessions that are to be saved, by their ids. */
  private readonly unsaved = new Map<string, Draft>();
  private saving = false;

  constructor(
    private readonly maker: EngineMaker,
    readonly notebook: Notebook,
  ) {
    notebook.changes.on(['elsewhere'], () => this.followOtherTab());
  }

  private get source(): Source {
    return this.state.source;
  }

  get text(): string {
    return this.source.text;
  }

  get report(): SessionReport | undefined {
    return this.state.report;
  }

  get problem(): SessionProblem | undefined {
    return this.state.problem;
  }

  /** Number of stops that have run at the current step. */
  get at(): number {
    return this.state.at;
  }

  /** The shown session, for links and files. */
  get shown(): Source {
    return this.source;
  }

  /** Name of the lesson, while the text is unchanged. */
  get lesson(): string | undefined {
    return this.source.id === undefined ? this.source.lesson : undefined;
  }

  /** Lesson that was copied, while its copy is shown. */
  get copiedLesson(): string | undefined {
    return this.source.id === undefined ? undefined : this.source.lesson;
  }

  get canUndo(): boolean {
    return this.steps.canUndo || this.deleted !== undefined;
  }

  get canRedo(): boolean {
    return this.steps.canRedo;
  }

  /** Steps at which the scrubber can stop: commands, receives and clock lines. */
  get stops(): readonly Step[] {
    return this.state.stops;
  }

  /** The line of the last step that has run; 0 before the first. */
  get line(): number {
    return this.state.line;
  }

  /** True when the text is too long to run at each keystroke. */
  get waitsForRun(): boolean {
    return this.text.length > AUTORUN_MAX_CHARS;
  }

  get nowMs(): number {
    return this.engine?.clock.now() ?? 0;
  }

  /** Shows another session. Undo does not lead back to the one before, which the notebook or its link has. */
  open(source: Source): void {
    this.steps = new Undo();
    this.deleted = undefined;
    this.resetNotice();
    this.show(source);
  }

  openPage(page: Page): void {
    this.notebook.opened(page);
    this.open(page);
  }

  /** Shows a text that was created for the visitor, and keeps it. */
  openOwn(source: Source): void {
    this.open({ ...source, id: this.notebook.newId() });
    this.save();
  }

  /** Shows and keeps a text from a file, rewritten as a session where that is needed. */
  openForeign(source: Source): void {
    this.openOwn({ ...source, text: '' });
    const { text } = source;
    if (!this.paste({ text, start: 0, end: 0 })) this.replace(text);
  }

  /** Handles an edit: the text runs again when typing pauses. The first edit of a lesson or of a link makes a copy. */
  edit(text: string): void {
    this.steps.beforeTyping(this.source, performance.now());
    this.change(text);
    this.stopWaiting();
    if (this.waitsForRun) this.state.forget();
    else this.timer = setTimeout(() => this.runAll(), AUTORUN_DELAY_MS);
    this.changes.emit('session');
  }

  /** Replaces the whole text in one step that can be undone. */
  replace(text: string, notice = ''): void {
    this.steps.before(this.source);
    this.change(text);
    this.notice = notice;
    this.runAll();
  }

  /** Writes the received replies into the text. */
  fillInReplies(): void {
    this.whenRun(() => {
      if (this.report) this.replace(this.report.text, 'The received replies were written into the text.');
    });
  }

  /** Inserts foreign text as a session; false: the text is one already, and inserted by the browser. */
  paste({ text, start, end }: Pasted): boolean {
    if (!/\n\s*\S/.test(text) && this.text.trim() !== '') return false;
    const { text: session, changes } = rewritePasted(text, commandNames);
    if (changes.length === 0 || text.length > PASTE_MAX_CHARS) return false;
    const whole = (inserted: string): string => this.text.slice(0, start) + inserted + this.text.slice(end);
    this.asPasted = whole(text);
    this.replace(whole(session));
    this.pasteChanges = changes;
    this.changes.emit('session');
    return true;
  }

  /** Shows the pasted text as it was, without the changes. */
  keepAsPasted(): void {
    this.replace(this.asPasted);
  }

  undo(): void {
    if (this.deleted && !this.steps.canUndo) this.bringBack(this.deleted);
    else this.restore(this.steps.undo(this.source));
  }

  redo(): void {
    this.restore(this.steps.redo(this.source));
  }

  /** Deletes the shown session from the notebook; undo brings it back. */
  discard(): void {
    const { source, steps } = this;
    if (source.id === undefined) return;
    this.unsaved.delete(source.id);
    void this.notebook.remove(source.id);
    this.open(EMPTY);
    this.deleted = { source, steps };
    this.notice = 'The session was deleted.';
    this.changes.emit('session');
  }

  /** Shows the lesson that was copied; the copy stays in the notebook. */
  async resetLesson(): Promise<void> {
    const lesson = lessons.find(({ name }) => name === this.source.lesson);
    if (lesson) this.open({ text: await lesson.load(), lesson: lesson.name });
  }

  /** Runs the text, after the engine that it needs was loaded; `then` follows when it has run. */
  runAll(then?: () => void): void {
    this.stopWaiting();
    const loading = prepared(this.maker, this.text);
    if (loading) return this.runAfter(loading, then);
    this.run((engine, options) => this.state.runAll(engine.db, options));
    then?.();
    this.changes.emit('session');
  }

  /** Does something with the state of the shown text: letters that were typed just now run first. */
  whenRun(act: () => void): void {
    if (this.timer === undefined) act();
    else this.runAll(act);
  }

  private stopWaiting(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }

  private runAfter(loading: Promise<void>, then?: () => void): void {
    const { text } = this;
    this.state.forget();
    this.clients = [];
    // Keys of another session would stay otherwise.
    this.run(() => undefined);
    const isShown = (): boolean => this.text === text;
    const fail = (error: unknown): void => {
      if (isShown()) this.state.problem = { line: 1, column: 1, message: missingLua(error) };
      this.changes.emit('session');
    };
    loading.then(() => isShown() && this.runAll(then), fail);
    this.changes.emit('session');
  }

  /** Moves to the instant after `count` stops. */
  goTo(count: number): void {
    if (!this.report) return;
    this.state.goTo(count);
    this.run((engine, options) => this.state.replay(engine.db, options));
    if (this.lesson !== undefined) progress.note(this.lesson, { step: this.at, steps: this.stops.length });
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

  /** State for another engine that continues from the current step. */
  takeAway(): { snapshot: Uint8Array; nowMs: number; clients: SessionReport['clients'] } | undefined {
    if (!this.engine || !this.report) return undefined;
    const snapshot = this.engine.db.snapshot();
    return { snapshot, nowMs: this.nowMs, clients: this.report.clients };
  }

  private resetNotice(): void {
    this.notice = '';
    this.pasteChanges = [];
  }

  /** Runs a session and shows its end; a lesson is shown where its reader was, else at its first step. */
  private show(source: Source): void {
    this.state.source = source;
    this.runAll(() => {
      if (this.lesson !== undefined) this.goTo(firstStep(this.lesson));
    });
    this.changes.emit('source');
  }

  private change(text: string): void {
    const copied = this.source.id === undefined;
    this.deleted = undefined;
    this.state.source = { ...this.source, id: this.source.id ?? this.notebook.newId(), text };
    this.resetNotice();
    this.save();
    if (copied) this.changes.emit('source');
  }

  private bringBack({ source, steps }: NonNullable<typeof this.deleted>): void {
    this.restore(source);
    this.steps = steps;
    this.deleted = undefined;
    this.changes.emit('session');
  }

  private restore(source: Source | undefined): void {
    if (!source) return;
    this.resetNotice();
    this.show(source);
    if (source.id !== undefined) this.save();
  }

  /** Saves the present text; while a save is under way, the latest text follows it. */
  private save(): void {
    const { id, text, title, start, lesson } = this.source;
    if (id === undefined) return;
    const draft = { id, text, title, start, lesson };
    this.unsaved.set(id, draft);
    this.notebook.noteDraft(draft);
    if (!this.saving) void this.saveAll();
  }

  private async saveAll(): Promise<void> {
    this.saving = true;
    // Texts that are added meanwhile follow in the same loop.
    for (const [id, draft] of this.unsaved) {
      this.unsaved.delete(id);
      const { outcome, page } = await this.notebook.save(draft);
      if (outcome === 'copied') this.becomeCopy(draft.id, page);
    }
    this.saving = false;
  }

  /** Goes on in a copy, because another tab has changed the session. */
  private becomeCopy(id: string, page: Page): void {
    if (this.source.id !== id) return;
    this.state.source = { ...this.source, id: page.id };
    const draft = this.unsaved.get(id);
    if (draft) this.unsaved.set(page.id, { ...draft, id: page.id });
    this.unsaved.delete(id);
    this.notice = 'Another tab has changed this session. Your text is kept here as a copy.';
    this.changes.emit('source');
    this.changes.emit('session');
  }

  /** Shows what another tab has saved, unless something here is still to be saved. */
  private followOtherTab(): void {
    const page = this.source.id === undefined ? undefined : this.notebook.page(this.source.id);
    if (!page || page.id !== this.notebook.changedElsewhere || this.saving || page.text === this.text) return;
    this.steps.before(this.source);
    this.notebook.opened(page);
    this.show(page);
    this.notice = 'This session was changed in another tab. Undo brings your text back.';
    this.changes.emit('session');
  }

  /** Runs the session on a fresh engine, and shows its keys and clients. */
  private run(work: (engine: Engine, options: SessionRunOptions) => SessionReport | undefined): void {
    this.keys?.stop();
    this.engine?.db.close();
    const engine = this.maker.make();
    this.engine = engine;
    this.keys = new KeyList(engine.db);
    const report = work(engine, { facts: true, unlimitedScripts: this.source.isTyped });
    if (report) this.clients = report.clients;
    this.keys.refresh(this.database, this.nowMs);
  }
}

/** Number of steps at which a lesson opens: a lesson that was read to its end begins again. */
function firstStep(lesson: string): number {
  return progress.isDone(lesson) ? 1 : Math.max(progress.of(lesson).step, 1);
}
