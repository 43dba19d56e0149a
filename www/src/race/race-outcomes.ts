/** The outcomes of an explored race. Each opens as a session. Loaded with the first report. */

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { RaceOutcome, RaceReport } from 'keylatch/testing';
import type { RacedSession } from './raced-session.ts';
import { clientTexts, count, countsOf, summaryOf, verdictOf } from './verdict.ts';
import type { SharedSession } from '../share/sharing.ts';
import { controls } from '../style/controls.ts';
import { remainingText } from '../text/durations.ts';
import { icons } from '../parts/icons.ts';

/** Number of outcomes that are listed at first, and by each press of the button below. */
const PART = 40;

export class RaceOutcomes extends LitElement {
  static override properties = { report: { attribute: false }, source: { attribute: false }, shown: { state: true } };
  declare report: RaceReport;
  /** The session with the race. */
  declare source: SharedSession;
  declare sessionEditor: RacedSession;
  declare private shown: number;

  static override styles = [
    controls,
    css`
      h3 {
        padding-block: var(--gap-4) var(--gap-2);
        font-size: var(--text-3);
      }
      .outcome {
        display: grid;
        grid-template-columns: 9rem minmax(0, 1fr) auto;
        gap: var(--gap-2) var(--gap-4);
        padding: var(--gap-3) 0;
        border-block-start: 1px solid var(--line);
        font-size: var(--text-2);
      }
      .outcome .button {
        align-self: start;
      }
      .bad {
        color: var(--rust);
        font-weight: 600;
      }
      .good {
        color: var(--verdigris);
      }
      .stuck {
        color: var(--brass);
        font-weight: 600;
      }
      .engine {
        overflow-wrap: anywhere;
      }
      @media (max-width: 44rem) {
        .outcome {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has('report')) this.shown = PART;
  }

  override render(): TemplateResult {
    const { outcomes, others } = this.report;
    return html`<p role="status">${summaryOf(this.report)}</p>
      <h3>${outcomes.length === 1 ? '1 outcome' : `${outcomes.length} outcomes`}</h3>
      <ol>${byWeight(outcomes)
        .slice(0, this.shown)
        .map((outcome) => this.renderOutcome(outcome))}</ol>
      ${outcomes.length > this.shown ? html`<button class="button" @click=${() => (this.shown += PART)}>Show more</button>` : nothing}
      ${others > 0 ? html`<p class="faint">${count(others)} runs end in further outcomes, which are not listed.</p>` : nothing}`;
  }

  private renderOutcome(outcome: RaceOutcome): TemplateResult {
    const { safe, deadlock, clients, keys, session } = outcome;
    const [kind, sign] = !safe ? ['bad', '✗'] : deadlock ? ['stuck', '!'] : ['good', '✓'];
    const held = keys.map(
      ({ key, value, ttlMs }) => `${key} = ${value}${ttlMs === null ? '' : `, for ${remainingText(ttlMs)}`}`,
    );
    return html`<li class="outcome">
      <div><p class=${kind}>${sign} ${this.verdict(outcome)}</p>
        <p class="faint">${countsOf(outcome)}</p></div>
      <div class="engine">
        ${clientTexts(clients).map((text) => html`<p>${text}</p>`)}
        <p class="faint">${held.length === 0 ? 'no keys' : held.join(' · ')}</p>
      </div>
      ${session === undefined ? nothing : html`<button class="button" @click=${() => this.openOutcome(outcome)}>Open ${icons.forward}<span class="unseen">as a session: ${this.verdict(outcome)}</span></button>`}
    </li>`;
  }

  private verdict(outcome: RaceOutcome): string {
    return verdictOf(outcome, this.source.text);
  }

  /** Shows the order in place of the session; the way back in the browser leads to that. */
  private openOutcome(outcome: RaceOutcome): void {
    history.pushState(null, '', location.hash);
    const { start } = this.source;
    this.sessionEditor.open({ text: outcome.session ?? '', start, title: `Race: ${this.verdict(outcome)}` });
  }
}

/** Unsafe ends first, then deadlocks; the most frequent of each first. */
function byWeight(outcomes: readonly RaceOutcome[]): RaceOutcome[] {
  const rank = ({ safe, deadlock }: RaceOutcome): number => (safe ? (deadlock ? 1 : 2) : 0);
  const runs = ({ orders, crashes, clockSteps }: RaceOutcome): number => orders + crashes + clockSteps;
  return [...outcomes].sort((one, other) => rank(one) - rank(other) || runs(other) - runs(one));
}

customElements.define('kl-race-outcomes', RaceOutcomes);
