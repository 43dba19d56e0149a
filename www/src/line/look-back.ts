/**
 * The command line at an earlier moment: its recording as a session on an engine of its own, which runs again up to any
 * step. A line that is typed then continues from there, and what came after is kept as a session.
 */

import { loadFresh, type SessionReport, type SessionStep } from 'keylatch/hints';
import { CLOCK_PROMPT, type SpokenLine } from '../recording/transcript.ts';
import { moveClockTo } from '../clock/clock-moves.ts';
import type { EngineMaker } from '../engine/engine.ts';
import type { Notebook } from '../kept/notebook.ts';
import { transcriptOf } from '../recording/recorded-session.ts';
import type { Recorded } from '../recording/recording.ts';
import { SessionEditorModel } from '../session/session-editor-model.ts';
import { INSPECTOR_NAME, type Workspace } from './workspace.ts';

export class LookBack {
  /** The session, and the step that is shown. */
  readonly model: SessionEditorModel;
  /** Time of the keys at that step. */
  readonly time = { live: false, now: (): number => this.model.nowMs };
  private readonly recorded: Recorded;
  /** Lines of the session at which the recorded lines stand. */
  private readonly at: readonly number[];
  private readonly text: string;
  private checked: readonly SessionStep[] = [];
  private report: SessionReport | undefined;

  constructor(
    private readonly workspace: Workspace,
    private readonly maker: EngineMaker,
    private readonly notebook: Notebook,
  ) {
    this.recorded = workspace.recording.recorded;
    const { text, at } = transcriptOf(this.recorded, maker);
    this.text = text;
    this.at = at;
    this.model = new SessionEditorModel(maker, notebook);
    this.model.open({ text, start: this.recorded.start, isTyped: true });
    this.model.showDatabase(workspace.active.connection.db);
  }

  /** The steps; those with a reply that cannot be the same again are unchecked. */
  get steps(): readonly SessionStep[] {
    const { report } = this.model;
    if (report && report !== this.report) this.checked = report.steps.map(withoutPartialCheck);
    this.report = report;
    return this.checked;
  }

  /** True if something comes after the step that is shown. */
  get isPast(): boolean {
    return this.model.at < this.model.stops.length;
  }

  /** Makes the shown step the present: runs again up to it, and keeps the whole as a session. */
  continueHere(): void {
    if (!this.isPast) return;
    const { workspace, recorded } = this;
    const { line: last, nowMs, at } = this.model;
    const count = this.at.filter((place) => place <= last).length;
    const lines = [...recorded.setup, ...recorded.lines].slice(0, count);
    void this.keepAll(at);
    const { name } = workspace.active;
    const fresh = this.maker.make();
    const empty = fresh.db.snapshot();
    fresh.db.close();
    workspace.startFresh(empty);
    loadFresh(workspace.db, recorded.start ?? empty);
    workspace.clock.pause();
    workspace.recording.resume({ start: recorded.start, setup: [], lines: [], settings: [] });
    for (const line of lines) this.runAgain(line);
    const inspector = workspace.clients.find((client) => client.name === INSPECTOR_NAME);
    if (inspector) workspace.closeClient(inspector);
    const active = workspace.clients.find((client) => client.name === name) ?? workspace.clients[0];
    if (active) workspace.selectClient(active);
    if (workspace.clock.now() !== nowMs) moveClockTo(workspace, nowMs);
  }

  private runAgain(line: SpokenLine): void {
    const { clock, recording } = this.workspace;
    const { prompt, text, nowMs } = line;
    if (text !== '') return this.workspace.runAgain(prompt.replace(/(?:\[\d+\])?(?:\(TX\))?>$/, ''), line);
    // Messages come by themselves.
    if (prompt !== CLOCK_PROMPT) return;
    clock.moveTo(nowMs);
    recording.moved(nowMs);
  }

  private async keepAll(step: number): Promise<void> {
    const title = `Before going back to step ${step}`;
    await this.notebook.save({ id: this.notebook.newId(), text: this.text, title, start: this.recorded.start });
  }
}

/** A recorded reply that differs has become `...`, which any reply matches. */
function withoutPartialCheck(step: SessionStep): SessionStep {
  return step.expected.some(({ anything }) => anything) ? { ...step, verdict: 'ran' } : step;
}
