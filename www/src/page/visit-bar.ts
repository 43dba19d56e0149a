/** Messages about this visit: restored keys, another tab, storage that fails, a new version of the page. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Visit } from './visit.ts';
import { controls } from '../style/controls.ts';
import { watch } from '../parts/watch.ts';

export class VisitBar extends LitElement {
  static override properties = { visit: { attribute: false } };
  declare visit: Visit;

  static override styles = [
    controls,
    css`
      section {
        position: fixed;
        inset-block-end: var(--gap-3);
        inset-inline-end: var(--gap-3);
        z-index: 6;
        display: grid;
        gap: var(--gap-2);
        width: min(26rem, 100vw - 2 * var(--gap-3));
      }
      .row {
        padding: var(--gap-2) var(--gap-3);
        border: 1px solid var(--brass);
        border-radius: var(--round-2);
        background: linear-gradient(var(--brass-wash), var(--brass-wash)), var(--plate);
        box-shadow: 0 8px 24px rgb(0 0 0 / 0.18);
        font-size: var(--text-2);
      }
      p {
        flex: 1 1 100%;
      }
    `,
  ];

  constructor() {
    super();
    watch(this, () => this.visit.changes, ['visit']);
  }

  override render(): TemplateResult | typeof nothing {
    const { offers } = this.visit;
    if (offers.length === 0) return nothing;
    return html`<section aria-label="This visit">${offers.map(
      ({ text, actions }) => html`<div class="row" role="status">
        <p>${text}</p>
        ${actions.map(({ label, act }) => html`<button class="button" @click=${act}>${label}</button>`)}
      </div>`,
    )}</section>`;
  }
}

customElements.define('kl-visit-bar', VisitBar);
