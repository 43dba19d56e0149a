/** The engine's clock: its time, whether it runs, and controls to move it. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { type ClockedLine, stepClock, stepToNextExpiry } from './clock-moves.ts';
import type { Announcements } from '../base/emitter.ts';
import { controls } from '../style/controls.ts';
import { instantParts, remainingText } from '../text/durations.ts';
import { untilStep } from '../parts/countdown.ts';
import { icons } from '../parts/icons.ts';
import { watch } from '../parts/watch.ts';

const STEPS = [
  { ms: 1, label: '+1 ms' },
  { ms: 1000, label: '+1 s' },
  { ms: 60_000, label: '+1 min' },
];
/** Difference in milliseconds below which a lead is only the duration of a click. */
const LEAD_SHOWN_MS = 500;

export class ClockPanel extends LitElement {
  static override properties = { workspace: { attribute: false } };
  /** The command line, which announces changes of its deadlines as those of keys. */
  declare workspace: ClockedLine & { readonly changes: Announcements<'keys'> };
  private timer: ReturnType<typeof setTimeout> | undefined;

  static override styles = [
    controls,
    css`
      :host {
        container: clock / inline-size;
      }
      section {
        display: grid;
        gap: var(--gap-3);
        padding: var(--gap-3) var(--gap-4) var(--gap-4);
      }
      .face {
        display: flex;
        flex-wrap: wrap;
        align-items: baseline;
        gap: 0 var(--gap-3);
        font-variant-numeric: tabular-nums;
      }
      time {
        font: 500 var(--text-6) / 1.1 var(--engine);
        letter-spacing: -0.03em;
      }
      .millis {
        color: var(--ink-faint);
        font-size: 0.62em;
        letter-spacing: 0;
      }
      .stopped time {
        color: var(--brass);
      }
      .stopped .millis {
        color: inherit;
      }
      .date,
      .lead {
        color: var(--ink-faint);
        font-size: var(--text-1);
      }
      .lead {
        display: flex;
        align-items: center;
        gap: var(--gap-2);
        color: var(--brass);
      }
      .lead .button {
        min-height: 1.5rem;
        padding: 0 var(--gap-2);
        font-size: var(--text-1);
      }
      .steps {
        display: grid;
        grid-template-columns: repeat(3, 1fr);
        gap: var(--gap-2);
      }
      .steps .next {
        grid-column: 1 / -1;
      }
      .steps .button {
        padding: 0 var(--gap-2);
      }
      .next svg {
        color: var(--brass);
      }
      @container clock (min-width: 34rem) {
        .steps {
          grid-template-columns: repeat(3, 1fr) 2fr;
        }
        .steps .next {
          grid-column: auto;
        }
      }
    `,
  ];

  constructor() {
    super();
    watch(this, () => this.workspace.clock.changes, ['clock']);
    watch(this, () => this.workspace.changes, ['keys']);
  }

  override render(): TemplateResult {
    const { clock } = this.workspace;
    const parts = instantParts(clock.now());
    const due = this.workspace.db.nextExpiry();
    const toNext = due === null ? '' : ` in ${remainingText(due - clock.now())}`;
    return html`<section class="plate" aria-labelledby="title">
      <div class="row">
        <h2 class="label" id="title">Clock</h2>
        <div class="choice push" role="group" aria-label="The clock">
          <button aria-pressed=${clock.live} @click=${() => !clock.live && clock.resume()}>Live</button>
          <button aria-pressed=${!clock.live} @click=${() => clock.live && clock.pause()}>Paused</button>
        </div>
      </div>
      <div class=${clock.live ? 'face' : 'face stopped'}>
        <time datetime="${parts.date}T${parts.time}.${parts.millis}Z">${parts.time}${clock.live ? nothing : html`<span class="millis">.${parts.millis}</span>`}</time>
        <span class="date">${parts.date}, UTC</span>
      </div>
      ${this.renderLead()}
      <div class="steps" role="group" aria-label="Move the clock">
        ${STEPS.map((step) => html`<button class="button" @click=${() => stepClock(this.workspace, step.ms)}>${step.label}</button>`)}
        <button class="button next" ?disabled=${due === null} @click=${() => stepToNextExpiry(this.workspace)}>${icons.hourglass} Next expiry${toNext}</button>
      </div>
    </section>`;
  }

  private renderLead(): TemplateResult | typeof nothing {
    const { clock } = this.workspace;
    const lead = clock.leadMs;
    if (Math.abs(lead) < LEAD_SHOWN_MS) return nothing;
    const text = `${remainingText(Math.abs(lead))} ${lead > 0 ? 'ahead of' : 'behind'} the wall clock`;
    return html`<p class="lead">${text} <button class="button" @click=${() => clock.backToWallClock()}>Reset</button></p>`;
  }

  /** The face changes once a second, at its turn; near an expiry the button that names it changes more often. */
  override updated(): void {
    clearTimeout(this.timer);
    const { clock } = this.workspace;
    const due = this.workspace.db.nextExpiry();
    const nowMs = clock.now();
    const leftMs = due === null ? Number.POSITIVE_INFINITY : due - nowMs;
    if (clock.live) this.timer = setTimeout(() => this.requestUpdate(), untilStep(nowMs, leftMs));
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
  }
}

customElements.define('kl-clock-panel', ClockPanel);
