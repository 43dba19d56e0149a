/** A button that opens a list of actions below it. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { controls } from '../style/controls.ts';
import { Disclosure } from './disclosure.ts';
import { icons } from './icons.ts';

export interface MenuAction {
  readonly label: string;
  readonly act: () => void;
}

export class Menu extends LitElement {
  static override properties = {
    label: { type: String },
    actions: { attribute: false },
  };
  declare label: string;
  declare actions: readonly MenuAction[];
  private readonly list = new Disclosure(this, 'button');

  static override styles = [
    controls,
    css`
      :host {
        position: relative;
      }
      .list {
        position: absolute;
        inset-block-start: calc(100% + var(--gap-1));
        inset-inline-end: 0;
        z-index: 5;
        display: grid;
        min-width: max-content;
        padding: var(--gap-1);
        border: 1px solid var(--line-strong);
        border-radius: var(--round-2);
        background: var(--plate);
        box-shadow: 0 8px 24px rgb(0 0 0 / 0.18);
      }
      .list .button {
        justify-content: start;
        color: var(--ink);
      }
      @media (max-width: 44rem) {
        .list {
          position: fixed;
          inset: auto var(--gap-3);
        }
      }
    `,
  ];

  constructor() {
    super();
    this.actions = [];
  }

  override render(): TemplateResult {
    return html`<button class="button" aria-expanded=${this.list.isOpen ? 'true' : 'false'} @click=${() => this.list.toggle()}>
        <slot name="icon"></slot>${this.label} ${icons.down}
      </button>
      ${this.list.isOpen ? html`<div class="list" role="group" aria-label=${this.label}>${this.actions.map((action) => this.renderAction(action))}</div>` : nothing}`;
  }

  private renderAction({ label, act }: MenuAction): TemplateResult {
    return html`<button class="button bare" @click=${() => this.run(act)}>${label}</button>`;
  }

  private run(act: () => void): void {
    this.list.close();
    act();
  }
}

customElements.define('kl-menu', Menu);
