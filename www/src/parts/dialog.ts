/** A window over the page with a title and a close button. It leaves the page when it is closed. */

import { css, html, LitElement, type TemplateResult } from 'lit';
import { controls } from '../style/controls.ts';
import { icons } from './icons.ts';

export abstract class Dialog extends LitElement {
  protected abstract readonly heading: string;

  static readonly dialogStyles = [
    controls,
    css`
      dialog {
        display: flex;
        flex-direction: column;
        width: min(72rem, 100vw - 1rem);
        max-width: none;
        height: min(60rem, 100dvh - 1rem);
        max-height: none;
        padding: 0;
        overflow: clip;
        border: 1px solid var(--line-strong);
        border-radius: var(--round-3);
        background: var(--plate);
        color: var(--ink);
      }
      dialog::backdrop {
        background: rgb(0 0 0 / 0.45);
      }
      .head {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--gap-2);
        padding: var(--gap-2) var(--gap-4);
        border-block-end: 1px solid var(--line);
      }
      h2 {
        font-size: var(--text-4);
        font-weight: 650;
      }
      .content {
        flex: 1;
        min-height: 0;
        overflow: auto;
        padding: var(--gap-4);
      }
      @media (max-width: 44rem) {
        .head,
        .content {
          padding: var(--gap-2);
        }
      }
    `,
  ];

  /** Shows a new window; focus returns to what had it when it closes. */
  static open(dialog: Dialog): void {
    document.body.append(dialog);
  }

  override render(): TemplateResult {
    return html`<dialog aria-labelledby="heading" @close=${this.closed}>
      <div class="head">
        <h2 id="heading">${this.heading}</h2>
        <div class="row push">
          ${this.renderActions()}
          <button class="button bare square" aria-label="Close" title="Close (Escape)" @click=${this.close}>${icons.close}</button>
        </div>
      </div>
      <div class="content" tabindex="0" role="region" aria-label=${this.heading}>${this.renderContent()}</div>
    </dialog>`;
  }

  protected abstract renderActions(): unknown;
  protected abstract renderContent(): unknown;

  override firstUpdated(): void {
    this.renderRoot.querySelector('dialog')?.showModal();
  }

  protected close(): void {
    this.renderRoot.querySelector('dialog')?.close();
  }

  protected closed(): void {
    this.remove();
  }
}
