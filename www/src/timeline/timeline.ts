/** Timeline of a session: prose between steps, a lane for each client, verdicts, and the current step. */

import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import type { SessionStep as Step } from 'keylatch/hints';
import { arrange, clientNamesOf, type Item } from './arranged-steps.ts';
import { controls, lanes } from '../style/controls.ts';
import { instantParts } from '../text/durations.ts';
import { Chunks } from './chunks.ts';
import { icons } from '../parts/icons.ts';
import { outputStyles, renderOutput, WholeOutputs } from '../parts/output.ts';
import { printedLines, printedStyles } from '../parts/printed.ts';
import { commandLine, commandLineStyles } from '../parts/command-line.ts';
import { timelineStyles } from './timeline-styles.ts';
import { vars } from '../parts/vars.ts';

const VERDICTS: Readonly<Record<Step['verdict'], { sign: string; words: string }>> = {
  matched: { sign: '✓', words: 'as expected' },
  mismatched: { sign: '✗', words: 'not as expected' },
  ran: { sign: '', words: 'ran' },
};

export class Timeline extends LitElement {
  static override properties = {
    steps: { attribute: false },
    at: { type: Number },
    covers: { type: Boolean, reflect: true },
  };
  static override styles = [controls, lanes, printedStyles, commandLineStyles, outputStyles, timelineStyles];
  declare steps: readonly Step[];
  /** Number of stops that have run. */
  declare at: number;
  /** True when the replies of later steps are covered. */
  declare covers: boolean;
  private names: readonly string[] = [];
  private readonly chunks = new Chunks<Item>(this);
  private readonly whole = new WholeOutputs(this);

  override render(): TemplateResult {
    return html`<div class="scroll" tabindex="0" role="region" aria-label="The session, step by step">
      ${guard([this.steps, this.whole.revision, this.chunks.revision], () => this.renderSteps())}
    </div>`;
  }

  /** Independent of the current step: with thousands of steps, moving it marks those between only. */
  private renderSteps(): TemplateResult {
    const count = Math.max(this.names.length, 1);
    return html`<div class="lanes ${count > 1 ? 'several' : ''}" ${vars({ count })}>
        ${count > 1 ? this.renderNames() : nothing}
        ${this.chunks.map(
          (items, index) =>
            html`<ol data-chunk=${index}>${items.map((item, row) => this.renderItem(item, row + 1))}</ol>`,
          (height, index) => html`<div class="gap" data-chunk=${index} ${vars({ height: `${height}px` })}></div>`,
        )}
      </div>`;
  }

  private renderNames(): TemplateResult {
    return html`<div class="names" aria-hidden="true">
      ${this.names.map((name, index) => html`<span data-lane=${index + 1}>${name || 'keylatch'}</span>`)}
    </div>`;
  }

  private renderItem(item: Item, row: number): TemplateResult {
    if (item.kind === 'heading') return html`<li class="wide" ${vars({ row })}><h2>${item.text}</h2></li>`;
    if (item.kind === 'prose')
      return html`<li class="wide prose" data-answers=${item.answers ?? nothing} ${vars({ row })}><p>${item.text}</p></li>`;
    const { step, stop } = item;
    if (step.kind === 'clock')
      return html`<li data-stop=${stop} class="stop wide clock ${step.verdict}" ${vars({ row })}>${this.renderClock(step, stop)}</li>`;
    const lane = this.names.indexOf(step.client) + 1;
    return html`<li data-stop=${stop} class="stop said ${step.verdict}" data-lane=${lane} ${vars({ column: lane, row })}>${this.renderSaid(step, stop)}</li>`;
  }

  private renderClock(step: Step, stop: number): TemplateResult {
    const { time, millis } = instantParts(step.nowMs);
    return html`
      <button class="mark" aria-label="Go to the clock in line ${step.line}" @click=${() => this.goTo(stop)}>${icons.hourglass}</button>
      <span class="move">${step.text.replace(/^@\s*/, '')}</span>
      <span class="time">${time}.${millis}</span>
      ${this.renderEvents(step)}${step.verdict === 'mismatched' ? this.renderDifference(step) : nothing}
    `;
  }

  private renderSaid(step: Step, stop: number): TemplateResult {
    const verdict = VERDICTS[step.verdict];
    return html`
      <button class="mark" aria-label="Line ${step.line}, ${verdict.words}: go to this step" title="Line ${step.line}" @click=${() => this.goTo(stop)}>${verdict.sign || '·'}</button>
      <p class="command-line">${commandLine(step.prompt.trim() || '>', step.text)}</p>
      ${step.verdict === 'mismatched' ? this.renderDifference(step) : html`<div class="answer">${renderOutput(step.printed, `line ${step.line}`, this.whole)}</div>`}
      ${step.message && step.verdict === 'ran' ? html`<p class="faint">${step.message}</p>` : nothing}
      ${this.renderEvents(step)}
    `;
  }

  private renderDifference(step: Step): TemplateResult {
    const events = step.expectedEvents.length > 0;
    return html`<dl class="difference">
      ${step.expected.length > 0 || !events ? renderPair('', step.expected, step.printed) : nothing}
      ${events ? renderPair(' events', step.expectedEvents, step.events) : nothing}
      ${step.message ? html`<dd class="message">${step.message}</dd>` : nothing}
    </dl>`;
  }

  private renderEvents(step: Step): TemplateResult | typeof nothing {
    const expired = step.events.filter((event) => event.startsWith('expired '));
    if (expired.length === 0) return nothing;
    return html`<p class="events">${expired.map((event) => html`<span>${event.slice('expired '.length)} expired</span>`)}</p>`;
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has('steps')) {
      this.names = clientNamesOf(this.steps);
      this.chunks.items = arrange(this.steps);
    }
    if (changed.has('at')) this.chunks.show((item) => item.kind === 'stop' && item.stop === this.at);
  }

  /** A lesson starts at its top; a move in time brings the current step into view, without moving the page. */
  override updated(changed: Map<string, unknown>): void {
    this.mark();
    const isNew = changed.has('steps') && changed.get('steps') !== undefined;
    if (isNew && this.covers) this.renderRoot.querySelector('.scroll')?.scrollTo(0, 0);
    else if (changed.has('at') && changed.get('at') !== undefined)
      this.renderRoot.querySelector('.now')?.scrollIntoView({ block: 'nearest' });
  }

  private mark(): void {
    for (const item of this.renderRoot.querySelectorAll<HTMLElement>('.stop')) {
      const stop = Number(item.dataset['stop']);
      item.classList.toggle('future', stop > this.at);
      item.classList.toggle('now', stop === this.at);
      if (stop === this.at) item.setAttribute('aria-current', 'step');
      else item.removeAttribute('aria-current');
    }
    for (const item of this.renderRoot.querySelectorAll<HTMLElement>('[data-answers]'))
      item.classList.toggle('future', Number(item.dataset['answers']) > this.at);
  }

  private goTo(stop: number): void {
    this.dispatchEvent(new CustomEvent('stop', { detail: stop }));
  }
}

/** Expected lines, and below them the actual ones. */
function renderPair(what: string, expected: Step['expected'], got: readonly string[]): TemplateResult {
  return html`
    <dt>expected${what}</dt>
    <dd><pre class="reply">${expected.map(({ text }) => text).join('\n')}</pre></dd>
    <dt>got${what}</dt>
    <dd><pre class="reply">${got.length > 0 ? printedLines(got) : html`<span class="faint">nothing</span>`}</pre></dd>
  `;
}

customElements.define('kl-timeline', Timeline);
