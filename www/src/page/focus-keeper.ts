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

  /** After the components have rendered; and again, for what appears or goes when something has been loaded. */
  private checkSoon(): void {
    for (const waitMs of [0, 200]) setTimeout(() => this.check(), waitMs);
  }

  private check(): void {
    const now = deepFocus();
    if (now && now !== document.body && isUsable(now)) return;
    if (this.last && !isUsable(this.last)) this.fallback();
  }
}

function deepFocus(): Element | undefined {
  let element = document.activeElement ?? undefined;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  return element;
}

/** Does not wait for a frame, in which the browser itself would take the focus away: a busy machine may draw it late. */
function isUsable(element: Element): boolean {
  const isDisabled = 'disabled' in element && element.disabled === true;
  return element.isConnected && !isDisabled && element.getClientRects().length > 0;
}
