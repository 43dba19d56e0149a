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
      .row {
        padding: var(--gap-1) var(--gap-5);
        border-block-end: 1px solid var(--line);
        background: var(--brass-wash);
        font-size: var(--text-2);
      }
      p {
        flex: 1 1 16rem;
      }
      @media (max-width: 44rem) {
        .row {
          padding: var(--gap-1) var(--gap-3);
        }
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
