/** Arithmetic of long lists of which only the visible rows are on the page. All rows have the same height. */

/** Rows on either side of the visible ones, so that scrolling shows no gaps. */
const MARGIN_ROWS = 6;

export interface Range {
  readonly from: number;
  readonly to: number;
}

/** Rows to render. An element without a height yet shows its first rows. */
export function visibleRange(scroll: HTMLElement | null, rowPx: number, count: number): Range {
  const top = Math.floor((scroll?.scrollTop ?? 0) / rowPx);
  const rows = Math.ceil((scroll?.clientHeight || rowPx * MARGIN_ROWS) / rowPx);
  const from = Math.min(Math.max(top - MARGIN_ROWS, 0), Math.max(count - rows, 0));
  return { from, to: Math.min(top + rows + MARGIN_ROWS, count) };
}

/** Scrolls a row into view; rows behind a fixed header of `headPx` are not in view. */
export function showRow(scroll: HTMLElement, index: number, rowPx: number, headPx = 0): void {
  const top = index * rowPx;
  if (top < scroll.scrollTop) scroll.scrollTop = top;
  else if (top + rowPx + headPx > scroll.scrollTop + scroll.clientHeight)
    scroll.scrollTop = top + rowPx + headPx - scroll.clientHeight;
}

/** Height of a row in pixels: `--row` is in rem, so it follows the text size of the browser. */
export function rowPixels(element: HTMLElement): number {
  const rem = Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
  return Number.parseFloat(getComputedStyle(element).getPropertyValue('--row')) * rem;
}
