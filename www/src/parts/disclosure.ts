/** A list that a button opens below itself. Arrows move in it; Escape, a choice, and leaving it close it. */

import type { LitElement, ReactiveController } from 'lit';

export class Disclosure implements ReactiveController {
  isOpen = false;

  /** The host's first button opens the list; `items` selects its stops. */
  constructor(
    private readonly host: LitElement,
    private readonly items: string,
  ) {
    host.addController(this);
    host.addEventListener('keydown', (event) => this.pressed(event));
    host.addEventListener('focusout', (event) => this.left(event));
  }

  hostConnected(): void {
    this.show(false);
  }

  toggle(): void {
    this.show(!this.isOpen);
  }

  /** Closes the list, with the focus on its button. */
  close(): void {
    this.show(false);
    this.host.renderRoot.querySelector('button')?.focus();
  }

  private show(isOpen: boolean): void {
    this.isOpen = isOpen;
    this.host.requestUpdate();
  }

  private pressed(event: KeyboardEvent): void {
    if (event.key === 'Escape' && this.isOpen) this.close();
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || !this.isOpen) return;
    event.preventDefault();
    const stops = [...this.host.renderRoot.querySelectorAll<HTMLElement>(this.items)];
    const active = (this.host.renderRoot as ShadowRoot).activeElement as HTMLElement;
    const at = stops.indexOf(active);
    stops[at < 0 ? 0 : (at + step + stops.length) % stops.length]?.focus();
  }

  /** Focus inside the shadow tree is seen as focus on the host. */
  private left({ relatedTarget }: FocusEvent): void {
    if (relatedTarget instanceof Node && (relatedTarget === this.host || this.host.contains(relatedTarget))) return;
    if (this.isOpen) this.show(false);
  }
}
