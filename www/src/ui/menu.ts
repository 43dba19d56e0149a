/** A button that opens a list of actions below it. Escape, an action, or leaving it closes the list. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { controls } from '../style/controls.ts';
import { icons } from './icons.ts';

export interface MenuAction {
  readonly label: string;
  readonly act: () => void;
}

export class Menu extends LitElement {
  static override properties = {
    label: { type: String },
    actions: { attribute: false },
    open: { state: true },
  };
  declare label: string;
  declare actions: readonly MenuAction[];
  declare private open: boolean;

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
    this.open = false;
    this.actions = [];
    this.addEventListener('keydown', (event) => this.pressed(event));
    this.addEventListener('focusout', (event) => this.left(event));
  }

  override render(): TemplateResult {
    return html`<button class="button" aria-expanded=${this.open ? 'true' : 'false'} @click=${() => (this.open = !this.open)}>
        <slot name="icon"></slot>${this.label} ${icons.down}
      </button>
      ${this.open ? html`<div class="list" role="group" aria-label=${this.label}>${this.actions.map((action) => this.renderAction(action))}</div>` : nothing}`;
  }

  private renderAction({ label, act }: MenuAction): TemplateResult {
    return html`<button class="button bare" @click=${() => this.run(act)}>${label}</button>`;
  }

  private run(act: () => void): void {
    this.close();
    act();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === 'Escape' && this.open) this.close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !this.open) return;
    event.preventDefault();
    const buttons = [...this.renderRoot.querySelectorAll('button')];
    const active = (this.renderRoot as ShadowRoot).activeElement as HTMLButtonElement;
    buttons[(buttons.indexOf(active) + step + buttons.length) % buttons.length]?.focus();
  }

  private left(event: FocusEvent): void {
    if (!(event.relatedTarget instanceof Node) || !this.contains(event.relatedTarget)) {
      // Focus inside the shadow tree is seen as focus on this element.
      if (event.relatedTarget !== this) this.open = false;
    }
  }

  private close(): void {
    this.open = false;
    this.renderRoot.querySelector('button')?.focus();
  }
}

customElements.define('kl-menu', Menu);
