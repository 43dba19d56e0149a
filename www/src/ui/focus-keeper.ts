/**
 * Keeps the focus on the page: when the element that had it disappears or is disabled by what it did, a place nearby
 * gets it. Otherwise the focus would fall to the document, and the keyboard would start from its beginning.
 */

export class FocusKeeper {
  private last: Element | undefined;

  /** `fallback` focuses a place on the page. */
  constructor(private readonly fallback: () => void) {
    // Before any handler runs. An event of the focus itself does not leave the component in which the focus moves.
    for (const name of ['click', 'keydown']) addEventListener(name, () => this.remember(), true);
    addEventListener('hashchange', () => this.checkSoon());
  }

  private remember(): void {
    this.last = deepFocus();
    this.checkSoon();
  }

  /** After the components have rendered. */
  private checkSoon(): void {
    setTimeout(() => requestAnimationFrame(() => this.check()));
  }

  private check(): void {
    const now = deepFocus();
    const { last } = this;
    if (now && now !== document.body && !isDisabled(now)) return;
    const isLost = last !== undefined && (!last.isConnected || isDisabled(last) || last.getClientRects().length === 0);
    if (isLost) this.fallback();
  }
}

function deepFocus(): Element | undefined {
  let element = document.activeElement ?? undefined;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

function isDisabled(element: Element): boolean {
  return 'disabled' in element && element.disabled === true;
}
