/** The life of the page of a store: hidden pages may end without another event, and pages that are left end soon. */

interface Page extends Partial<EventTarget> {
  readonly document?: Document;
}

/** Events of the window and of the document after which nothing may run, and those with which the page goes on. */
const ENDS = [
  ['pagehide', 'pageshow'],
  ['freeze', 'resume'],
] as const;

export class PageEnd {
  #isLeft = false;
  #isEnding = false;

  /** True while the page is hidden, where timers are slow, and after it was left, where none runs. */
  get isHidden(): boolean {
    return this.#isLeft || (globalThis as Page).document?.visibilityState === 'hidden';
  }

  /** True after the page was left, and while `flush` is called because it was hidden. */
  get isUrgent(): boolean {
    return this.#isLeft || this.#isEnding;
  }

  /** True for the writes of a page that was left, after the call of `flush`. */
  get isCollecting(): boolean {
    return this.#isLeft && !this.#isEnding;
  }

  /** Notes that the page is left, before its event arrives here. */
  leave(): void {
    this.#isLeft = true;
  }

  /** Calls `flush` whenever the page may be about to end. Returns a function that ends it. */
  watch(flush: () => unknown): () => void {
    const page = globalThis as Page;
    const hide = (): void => {
      if (page.document?.visibilityState === 'hidden') this.#flushed(flush);
    };
    const leave = (): void => {
      this.leave();
      this.#flushed(flush);
    };
    const stay = (): void => {
      this.#isLeft = false;
    };
    const ends = [listen(page.document, 'visibilitychange', hide)];
    for (const [index, [left, back]] of ENDS.entries()) {
      const target = index === 0 ? page : page.document;
      ends.push(listen(target, left, leave), listen(target, back, stay));
    }
    return () => {
      for (const end of ends) end();
    };
  }

  #flushed(flush: () => unknown): void {
    this.#isEnding = true;
    try {
      flush();
    } finally {
      this.#isEnding = false;
    }
  }
}

/** Listens before the program where the browser heeds that: later writes then find the page left. */
function listen(target: Partial<EventTarget> | undefined, event: string, listener: () => void): () => void {
  target?.addEventListener?.(event, listener, true);
  return () => target?.removeEventListener?.(event, listener, true);
}
