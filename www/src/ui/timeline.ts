/** Timeline of a session: prose between steps, a lane for each client, verdicts, and the current step. */

import { html, LitElement, nothing, type TemplateResult } from 'lit';
import type { SessionStep as Step } from 'keylatch/hints';
import { arrange, clientNamesOf, type Item } from '../model/timeline.ts';
import { controls, lanes } from '../style/controls.ts';
import { instantParts } from '../text/durations.ts';
import { icons } from './icons.ts';
import { outputStyles, renderOutput, WholeOutputs } from './output.ts';
import { printedLines, printedStyles } from './printed.ts';
import { commandLine, commandLineStyles } from './command-line.ts';
import { timelineStyles } from './timeline-styles.ts';
import { vars } from './vars.ts';

const VERDICTS: Readonly<Record<Step['verdict'], { sign: string; words: string }>> = {
  matched: { sign: '✓', words: 'as expected' },
  mismatched: { sign: '✗', words: 'not as expected' },
  ran: { sign: '', words: 'ran' },
};

export class Timeline extends LitElement {
  static override properties = { steps: { attribute: false }, at: { type: Number } };
  static override styles = [controls, lanes, printedStyles, commandLineStyles, outputStyles, timelineStyles];
  declare steps: readonly Step[];
  /** Number of stops that have run. */
  declare at: number;
  private names: readonly string[] = [];
  private readonly whole = new WholeOutputs(this);

  override render(): TemplateResult {
    this.names = clientNamesOf(this.steps);
    const count = Math.max(this.names.length, 1);
    return html`<div class="scroll" tabindex="0" role="region" aria-label="The session, step by step">
      <div class="lanes ${count > 1 ? 'several' : ''}" ${vars({ count })}>
        ${count > 1 ? this.renderNames() : nothing}
        <ol>
          ${arrange(this.steps).map((item) => this.renderItem(item))}
        </ol>
      </div>
    </div>`;
  }

  private renderNames(): TemplateResult {
    return html`<div class="names" aria-hidden="true">
      ${this.names.map((name, index) => html`<span data-lane=${index + 1}>${name || 'keylatch'}</span>`)}
    </div>`;
  }

  private renderItem(item: Item): TemplateResult {
    if (item.kind === 'heading') return html`<li class="wide"><h2>${item.text}</h2></li>`;
    if (item.kind === 'prose') return html`<li class="wide prose"><p>${item.text}</p></li>`;
    const { step, stop } = item;
    const when = stop > this.at ? 'future' : stop === this.at ? 'now' : '';
    const current = stop === this.at ? 'step' : nothing;
    if (step.kind === 'clock')
      return html`<li class="wide clock ${when} ${step.verdict}" aria-current=${current}>${this.renderClock(step, stop)}</li>`;
    const lane = this.names.indexOf(step.client) + 1;
    return html`<li class="said ${when} ${step.verdict}" data-lane=${lane} aria-current=${current} ${vars({ column: lane })}>${this.renderSaid(step, stop)}</li>`;
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
      ${step.verdict === 'mismatched' ? this.renderDifference(step) : renderOutput(step.printed, `line ${step.line}`, this.whole)}
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

  /** Scrolls the current step into view, without moving the page. */
  override updated(changed: Map<string, unknown>): void {
    if (!changed.has('at') || changed.get('at') === undefined) return;
    this.renderRoot.querySelector('.now')?.scrollIntoView({ block: 'nearest' });
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
