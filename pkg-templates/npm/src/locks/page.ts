/** The end of a page's life: a page that is hidden, kept for "back", or frozen must not hold locks. */

/** Something with events, such as a window or a document. */
export interface PageEvents {
  addEventListener(type: string, listener: () => void): void;
  removeEventListener(type: string, listener: () => void): void;
}

/** Targets of the events that end a page's work. */
export interface Page {
  /** Has the event `pagehide`. */
  readonly window: PageEvents | undefined;
  /** Has the event `freeze`. */
  readonly document: PageEvents | undefined;
}

/** The page of this program, if it runs in one. */
export function currentPage(): Page {
  const { document } = globalThis as { readonly document?: PageEvents };
  return typeof document?.addEventListener === 'function'
    ? { window: globalThis as unknown as PageEvents, document }
    : { window: undefined, document: undefined };
}

/** Calls back when the page is hidden or frozen. Returns a function that ends it. */
export function onPageEnd({ window, document }: Page, callback: (why: string) => void): () => void {
  const hidden = (): void => callback('the page was hidden');
  const frozen = (): void => callback('the page was frozen');
  window?.addEventListener('pagehide', hidden);
  document?.addEventListener('freeze', frozen);
  return () => {
    window?.removeEventListener('pagehide', hidden);
    document?.removeEventListener('freeze', frozen);
  };
}
