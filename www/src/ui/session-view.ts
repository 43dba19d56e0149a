/** The session view: a lesson or a pasted transcript, checked step by step; the keys at each instant; the text itself. */

import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Playground } from '../model/playground.ts';
import { lessons } from '../model/lessons.ts';
import { controls } from '../style/controls.ts';
import { speakersOf } from '../model/timeline.ts';
import './editor.ts';
import type { LineMark } from './editor.ts';
import { icons } from './icons.ts';
import './key-panel.ts';
import './scrubber.ts';
import './session-bar.ts';
import './session-guide.ts';
import { sessionViewStyles } from './session-view-styles.ts';
import './timeline.ts';
import { watch } from './watch.ts';

export class SessionView extends LitElement {
  static override properties = { playground: { attribute: false }, announced: { state: true } };
  static override styles = [controls, sessionViewStyles];
  declare playground: Playground;
  /** Said to screen readers: only after somebody asked for a run. */
  declare private announced: string;

  constructor() {
    super();
    this.announced = '';
    watch(this, () => this.playground.desk.changes, ['session']);
  }

  override render(): TemplateResult {
    const { desk } = this.playground;
    return html`
      <kl-session-bar .playground=${this.playground} @run=${this.run}></kl-session-bar>
      <section class="time plate" aria-label="Timeline">
        ${this.renderSummary()}
        ${desk.stops.length === 0 ? html`<kl-session-guide .desk=${desk}></kl-session-guide>` : nothing}
        ${desk.report && desk.stops.length > 0 ? html`<kl-timeline .steps=${desk.report.steps} .at=${desk.at} @stop=${(event: CustomEvent<number>) => desk.goTo(event.detail)}></kl-timeline>` : nothing}
        ${this.renderNextLesson()}
        ${desk.stops.length > 0 ? html`<kl-scrubber .desk=${desk}></kl-scrubber>` : nothing}
      </section>
      <aside aria-label="Keys and text">
        ${this.renderKeys()}
        <section class="text plate" aria-labelledby="text-title">
          <div class="row top">
            <h2 class="label" id="text-title">Text</h2>
            <span class="aside push">${icons.play}<kbd>Ctrl Enter</kbd> runs, <kbd>Ctrl Shift Enter</kbd> up to the cursor</span>
          </div>
          <kl-editor
            .text=${desk.text}
            .marks=${this.marks()}
            .laneNames=${speakersOf(desk.report?.steps ?? [])}
            .currentLine=${desk.line}
            @edit=${(event: CustomEvent<string>) => this.playground.editSession(event.detail)}
            @run=${this.run}
            @line=${(event: CustomEvent<number>) => desk.goToLine(event.detail)}
          ></kl-editor>
        </section>
      </aside>
      <p class="unseen" role="status">${this.announced}</p>
    `;
  }

  private renderSummary(): TemplateResult {
    const { problem, report, stops } = this.playground.desk;
    if (problem)
      return html`<p class="summary bad" id="session-problem">Line ${problem.line}, column ${problem.column}: ${problem.message}</p>`;
    if (!report && this.playground.desk.waitsForRun)
      return html`<p class="summary">The text is long: press Run all to check it.</p>`;
    if (stops.length === 0)
      return html`<p class="summary">Nothing to run yet. Paste a transcript into the text, or select a lesson.</p>`;
    const { bad, words } = this.verdict();
    return html`<p class="summary ${bad ? 'bad' : 'good'}">
      <span>${bad ? '✗' : '✓'} ${words}</span>
      ${bad ? html`<button class="button" @click=${this.goToFirstMismatch}>Go to the first</button>` : nothing}
    </p>`;
  }

  private renderNextLesson(): TemplateResult | typeof nothing {
    const place = lessons.findIndex(({ name }) => name === this.playground.desk.lesson);
    const next = place === -1 ? undefined : lessons[place + 1];
    return next
      ? html`<a class="next-lesson" href="#lesson=${next.name}">Next lesson: ${next.title} ${icons.forward}</a>`
      : nothing;
  }

  private verdict(): { bad: boolean; words: string } {
    const { report, stops } = this.playground.desk;
    const spoken = stops.filter((step) => step.kind !== 'clock');
    const checked = stops.filter((step) => step.verdict !== 'ran').length;
    const bad = report?.mismatches ?? 0;
    if (bad > 0) return { bad: true, words: `${bad} of ${checked} checked steps differ` };
    const ran = spoken.filter((step) => step.verdict === 'ran').length;
    const rest = ran > 0 ? `, ${ran} ran unchecked` : '';
    return {
      bad: false,
      words:
        checked === 0 ? `${ran} steps ran, none has an expected reply` : `${checked} checked, all as expected${rest}`,
    };
  }

  private renderKeys(): TemplateResult | typeof nothing {
    const { desk } = this.playground;
    if (!desk.keys) return nothing;
    const others = desk.keys.inhabited();
    return html`<div class="keys">
      ${others.length > 0 ? this.renderDatabases([0, ...others]) : nothing}
      <kl-key-panel .list=${desk.keys} .time=${{ live: false, now: () => desk.nowMs }} .database=${desk.database}></kl-key-panel>
    </div>`;
  }

  private renderDatabases(databases: readonly number[]): TemplateResult {
    const { desk } = this.playground;
    return html`<div class="choice" role="group" aria-label="Database">
      ${databases.map((number) => html`<button aria-pressed=${desk.database === number} @click=${() => desk.showDatabase(number)}>db${number}</button>`)}
    </div>`;
  }

  private marks(): ReadonlyMap<number, LineMark> {
    const { desk } = this.playground;
    const marks = new Map<number, LineMark>(desk.stops.map((step) => [step.line, step.verdict]));
    if (desk.problem) marks.set(desk.problem.line, 'problem');
    return marks;
  }

  private run(): void {
    const { desk } = this.playground;
    desk.runAll();
    this.announced = desk.problem ? `Line ${desk.problem.line}: ${desk.problem.message}` : this.verdict().words;
  }

  private goToFirstMismatch(): void {
    const { desk } = this.playground;
    desk.goTo(desk.stops.findIndex((step) => step.verdict === 'mismatched') + 1);
  }
}

customElements.define('kl-session-view', SessionView);
