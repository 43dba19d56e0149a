/** Controls to move through a session: one step back or on, to either end, or to any step. */

import { css, html, LitElement, type TemplateResult } from 'lit';
import type { SessionEditorModel } from './session-editor-model.ts';
import { controls } from '../style/controls.ts';
import { instantParts } from '../text/durations.ts';
import { icons } from '../parts/icons.ts';
import { vars } from '../parts/vars.ts';
import { watch } from '../parts/watch.ts';

export class Scrubber extends LitElement {
  static override properties = { sessionEditor: { attribute: false } };
  declare sessionEditor: SessionEditorModel;

  static override styles = [
    controls,
    css`
      :host {
        border-block-start: 1px solid var(--line);
        border-radius: 0 0 var(--round-3) var(--round-3);
        background: var(--plate);
      }
      div {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--gap-1);
        padding: var(--gap-2) var(--gap-4);
      }
      input {
        flex: 1;
        min-width: 6rem;
        height: var(--target);
        margin: 0 var(--gap-2);
        background: transparent;
        appearance: none;
        cursor: pointer;
      }
      input::-webkit-slider-runnable-track {
        height: 0.375rem;
        border-radius: 1rem;
        background: linear-gradient(to right, var(--brass-fill) var(--share), var(--line) var(--share));
      }
      input::-webkit-slider-thumb {
        width: 1rem;
        height: 1rem;
        margin-block-start: -0.3125rem;
        border: 2px solid var(--plate);
        border-radius: 50%;
        background: var(--brass);
        appearance: none;
      }
      input::-moz-range-track {
        height: 0.375rem;
        border-radius: 1rem;
        background: var(--line);
      }
      input::-moz-range-progress {
        height: 0.375rem;
        border-radius: 1rem;
        background: var(--brass-fill);
      }
      input::-moz-range-thumb {
        width: 0.75rem;
        height: 0.75rem;
        border: 2px solid var(--plate);
        border-radius: 50%;
        background: var(--brass);
      }
      @media (forced-colors: active) {
        input {
          appearance: auto;
        }
      }
      output {
        min-width: 11.5rem;
        color: var(--ink-soft);
        font-size: var(--text-1);
        font-variant-numeric: tabular-nums;
        text-align: end;
      }
      @media (max-width: 44rem) {
        div {
          padding: var(--gap-1) var(--gap-2);
        }
        input {
          order: -1;
          flex-basis: 100%;
        }
        output {
          flex: 1;
          min-width: 0;
        }
      }
    `,
  ];

  constructor() {
    super();
    watch(this, () => this.sessionEditor.changes, ['session']);
  }

  override render(): TemplateResult {
    const { sessionEditor } = this;
    const last = sessionEditor.stops.length;
    const { time, millis } = instantParts(sessionEditor.nowMs);
    const where = `Step ${sessionEditor.at} of ${last}, ${time}.${millis}`;
    return html`<div role="group" aria-label="Move through the session">
      <button class="button bare square" aria-label="To the start" title="To the start" ?disabled=${sessionEditor.at === 0} @click=${() => sessionEditor.goTo(0)}>${icons.start}</button>
      <button class="button bare square" aria-label="Previous step" title="Previous step" ?disabled=${sessionEditor.at === 0} @click=${() => sessionEditor.goTo(sessionEditor.at - 1)}>${icons.back}</button>
      <input type="range" min="0" max=${last} .value=${String(sessionEditor.at)} aria-label="Step" aria-valuetext=${where} ${vars({ share: `${last === 0 ? 0 : (100 * sessionEditor.at) / last}%` })} @input=${this.slid} />
      <button class="button bare square" aria-label="Next step" title="Next step" ?disabled=${sessionEditor.at === last} @click=${() => sessionEditor.goTo(sessionEditor.at + 1)}>${icons.forward}</button>
      <button class="button bare square" aria-label="To the end" title="To the end" ?disabled=${sessionEditor.at === last} @click=${() => sessionEditor.goTo(last)}>${icons.end}</button>
      <output>${where}</output>
    </div>`;
  }

  private slid(event: Event): void {
    this.sessionEditor.goTo(Number((event.target as HTMLInputElement).value));
  }
}

customElements.define('kl-scrubber', Scrubber);
