/** The session view: a lesson or a pasted transcript, checked step by step; the keys at each instant; the text itself. */

import { type SessionProblem, sessionVerdict } from 'keylatch/element';
import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { SessionReport } from 'keylatch/hints';
import type { Pasted } from './session-editor-model.ts';
import { lessons } from '../lessons/lessons.ts';
import { controls } from '../style/controls.ts';
import { clientNamesOf } from '../timeline/arranged-steps.ts';
import './editor.ts';
import type { LineMark } from './editor.ts';
import { icons } from '../parts/icons.ts';
import './insight.ts';
import '../keys/key-panel.ts';
import { isLoaded } from '../parts/on-demand.ts';
import './scrubber.ts';
import './session-bar.ts';
import './session-guide.ts';
import type { SessionPage } from './session-page.ts';
import { sessionViewStyles } from './session-view-styles.ts';
import '../timeline/timeline.ts';
import { watch } from '../parts/watch.ts';

interface Marked {
  readonly report: SessionReport | undefined;
  readonly problem: SessionProblem | undefined;
  readonly marks: ReadonlyMap<number, LineMark>;
  readonly names: readonly string[];
}

export class SessionView extends LitElement {
  static override properties = {
    playground: { attribute: false },
    announced: { state: true },
    isRacing: { state: true },
  };
  static override styles = [controls, sessionViewStyles];
  declare playground: SessionPage;
  /** Announcement for screen readers, set only after a requested run. */
  declare private announced: string;
  declare private isRacing: boolean;
  private shownLesson: string | undefined;
  private marked: Marked = { report: undefined, problem: undefined, marks: new Map(), names: [] };

  constructor() {
    super();
    this.announced = '';
    this.isRacing = false;
    watch(this, () => this.playground.sessionEditor.changes, ['session']);
  }

  override render(): TemplateResult {
    const { sessionEditor } = this.playground;
    return html`
      <kl-session-bar .playground=${this.playground} @run=${this.run}></kl-session-bar>
      <section class="time plate" aria-label="Timeline">
        ${this.renderSummary()}
        ${sessionEditor.stops.length === 0 ? html`<kl-session-guide .sessionEditor=${sessionEditor}></kl-session-guide>` : nothing}
        ${sessionEditor.report && sessionEditor.stops.length > 0 ? html`<kl-timeline .steps=${sessionEditor.report.steps} .at=${sessionEditor.at} ?covers=${sessionEditor.lesson !== undefined} @stop=${(event: CustomEvent<number>) => sessionEditor.goTo(event.detail)}></kl-timeline>` : nothing}
        ${this.renderRace()}
        ${this.renderCoach()}
        ${this.renderNextLesson()}
        ${sessionEditor.stops.length > 0 ? html`<kl-scrubber .sessionEditor=${sessionEditor}></kl-scrubber>` : nothing}
      </section>
      <aside aria-label="Keys and text">
        ${this.renderKeys()}
        <section class="text plate" aria-labelledby="text-title">
          <div class="row top">
            <h2 class="label" id="text-title">Text</h2>
            <span class="aside push">${icons.play}<kbd>Ctrl Enter</kbd> runs, <kbd>Ctrl Shift Enter</kbd> up to the cursor</span>
          </div>
          <kl-editor
            .text=${sessionEditor.text}
            .marks=${this.marks()}
            .laneNames=${this.laneNames()}
            .currentLine=${sessionEditor.line}
            .nextLine=${sessionEditor.stops[sessionEditor.at]?.line ?? Number.POSITIVE_INFINITY}
            ?covers=${sessionEditor.lesson !== undefined}
            @edit=${(event: CustomEvent<string>) => sessionEditor.edit(event.detail)}
            @run=${this.run}
            @pasted=${this.pasted}
            @undo=${() => sessionEditor.undo()}
            @redo=${() => sessionEditor.redo()}
            @line=${(event: CustomEvent<number>) => sessionEditor.goToLine(event.detail)}
          ></kl-editor>
        </section>
      </aside>
      <p class="unseen" role="status">${this.announced}</p>
    `;
  }

  private renderSummary(): TemplateResult {
    const { problem, report, stops } = this.playground.sessionEditor;
    if (problem)
      return html`<p class="summary bad" id="session-problem">Line ${problem.line}, column ${problem.column}: ${problem.message}</p>`;
    if (!report && this.playground.sessionEditor.waitsForRun)
      return html`<p class="summary">The text is long: press Run all to check it.</p>`;
    if (stops.length === 0)
      return html`<p class="summary">Nothing to run yet. Paste a transcript into the text, or select a lesson.</p>`;
    const { differing, words } = sessionVerdict(stops);
    return html`<p class="summary ${differing ? 'bad' : 'good'}">
      <span>${differing ? '✗' : '✓'} ${words}</span>
      ${differing ? html`<button class="button" @click=${this.goToFirstMismatch}>Go to the first</button>` : nothing}
      <kl-insight class="push" .playground=${this.playground} @race=${() => this.race(false)}></kl-insight>
    </p>`;
  }

  private renderNextLesson(): TemplateResult | typeof nothing {
    const index = lessons.findIndex(({ name }) => name === this.playground.sessionEditor.lesson);
    const next = index === -1 ? undefined : lessons[index + 1];
    return next
      ? html`<a class="next-lesson" href="#lesson=${next.name}">Next ${next.kind}: ${next.title} ${icons.forward}</a>`
      : nothing;
  }

  private renderRace(): TemplateResult | typeof nothing {
    if (!this.isRacing) return nothing;
    return html`<kl-race-panel .playground=${this.playground} @close=${() => (this.isRacing = false)}></kl-race-panel>`;
  }

  /** Shows the explorer, with the race of the session. */
  private async race(runs: boolean): Promise<void> {
    await import('./windows.ts');
    this.isRacing = true;
    await this.updateComplete;
    await this.renderRoot.querySelector('kl-race-panel')?.begin({ runs });
  }

  /** Questions and tasks, loaded with the first lesson. */
  private renderCoach(): TemplateResult | typeof nothing {
    const { lesson, copiedLesson } = this.playground.sessionEditor;
    if (lesson === undefined && !copiedLesson?.includes('-task-')) return nothing;
    if (!isLoaded(this, 'kl-lesson-coach', () => import('./lesson-coach.ts'))) return nothing;
    return html`<kl-lesson-coach .playground=${this.playground}></kl-lesson-coach>`;
  }

  private renderKeys(): TemplateResult | typeof nothing {
    const { sessionEditor } = this.playground;
    if (!sessionEditor.keys) return nothing;
    const others = sessionEditor.keys.inhabited();
    return html`<div class="keys">
      ${others.length > 0 ? this.renderDatabases([0, ...others]) : nothing}
      <kl-key-panel .list=${sessionEditor.keys} .time=${{ live: false, now: () => sessionEditor.nowMs }} .database=${sessionEditor.database}></kl-key-panel>
    </div>`;
  }

  private renderDatabases(databases: readonly number[]): TemplateResult {
    const { sessionEditor } = this.playground;
    return html`<div class="choice" role="group" aria-label="Database">
      ${databases.map((number) => html`<button aria-pressed=${sessionEditor.database === number} @click=${() => sessionEditor.showDatabase(number)}>db${number}</button>`)}
    </div>`;
  }

  /** Verdicts by line, made once for each run: a move in time changes none. */
  private marks(): ReadonlyMap<number, LineMark> {
    const { report, problem, stops } = this.playground.sessionEditor;
    if (this.marked.report === report && this.marked.problem === problem) return this.marked.marks;
    const marks = new Map<number, LineMark>(stops.map((step) => [step.line, step.verdict]));
    if (problem) marks.set(problem.line, 'problem');
    this.marked = { report, problem, marks, names: clientNamesOf(report?.steps ?? []) };
    return marks;
  }

  private laneNames(): readonly string[] {
    this.marks();
    return this.marked.names;
  }

  /** On narrow screens the page scrolls as a whole: another lesson starts at its top there, too. */
  override updated(): void {
    if (this.playground.takeRace()) this.race(true).catch(() => undefined);
    const { lesson } = this.playground.sessionEditor;
    if (this.shownLesson !== undefined && lesson !== undefined && lesson !== this.shownLesson)
      this.renderRoot.querySelector('.time')?.scrollIntoView({ block: 'start' });
    this.shownLesson = lesson;
  }

  private run(): void {
    const { sessionEditor } = this.playground;
    sessionEditor.runAll();
    this.announced = sessionEditor.problem
      ? `Line ${sessionEditor.problem.line}: ${sessionEditor.problem.message}`
      : sessionVerdict(sessionEditor.stops).words;
  }

  private pasted(event: CustomEvent<Pasted>): void {
    if (this.playground.sessionEditor.paste(event.detail)) event.preventDefault();
  }

  private goToFirstMismatch(): void {
    const { sessionEditor } = this.playground;
    sessionEditor.goTo(sessionEditor.stops.findIndex((step) => step.verdict === 'mismatched') + 1);
  }
}

customElements.define('kl-session-view', SessionView);
