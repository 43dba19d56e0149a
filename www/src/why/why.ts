/** A question beside a reply that refuses or finds nothing; on demand one sentence answers it. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { controls } from '../style/controls.ts';
import type { Explanation, RunCommand } from './case.ts';
import { explain } from './explain.ts';

export class Why extends LitElement {
  static override properties = { entry: { attribute: false }, open: { state: true } };
  declare entry: RunCommand;
  declare private open: boolean;
  private explained: RunCommand | undefined;
  private explanation: Explanation | undefined;

  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        flex-wrap: wrap;
        gap: var(--gap-1) var(--gap-3);
        align-items: baseline;
        font-size: var(--text-2);
      }
      .ask {
        min-height: var(--target);
        padding: 0 var(--gap-1);
        margin-inline-start: calc(-1 * var(--gap-1));
        border-color: transparent;
        background: none;
        color: var(--ink-soft);
        font-size: var(--text-1);
        text-decoration: underline dotted;
        text-underline-offset: 0.2em;
      }
      p {
        flex: 1 1 16rem;
        max-width: 44rem;
        color: var(--ink);
        line-height: var(--even);
        overflow-wrap: anywhere;
      }
      .draft {
        font-family: var(--engine);
      }
    `,
  ];

  constructor() {
    super();
    this.open = false;
  }

  override render(): TemplateResult | typeof nothing {
    if (this.explained !== this.entry) {
      this.explained = this.entry;
      this.explanation = explain(this.entry);
    }
    const { explanation, open } = this;
    if (!explanation) return nothing;
    return html`<button class="button ask" aria-expanded=${open ? 'true' : 'false'} @click=${() => (this.open = !open)}>${this.entry.printed.length > 0 ? 'Why?' : 'What next?'}</button>
      ${open ? html`<p>${explanation.text}</p>${explanation.drafts.map((draft) => this.renderDraft(draft))}` : nothing}`;
  }

  /** A line that was probably meant, which goes into the prompt. */
  private renderDraft(draft: string): TemplateResult {
    const use = (): unknown => this.dispatchEvent(new CustomEvent('draft', { detail: draft }));
    return html`<button class="button draft" @click=${use}>${draft}</button>`;
  }
}

customElements.define('kl-why', Why);
