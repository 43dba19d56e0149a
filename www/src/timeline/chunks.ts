/**
 * Long lists of items with heights of their own, in chunks: those near the view are on the page, the others are gaps of
 * the height they had. Short lists are on the page as a whole.
 */

import type { ReactiveControllerHost } from 'lit';

const CHUNK_ITEMS = 40;
/** Number of items that are always all on the page. */
const WHOLE_MAX = 200;
/** Distance from the view, in pixels, at which a chunk comes onto the page. */
const MARGIN = '900px 0px';
/** Height of an item that was never on the page, in pixels. */
const ITEM_PX = 84;

type Host = ReactiveControllerHost & { readonly renderRoot: HTMLElement | DocumentFragment };

export class Chunks<Item> {
  /** Number of changes of what is on the page. */
  revision = 0;
  private chunks: readonly (readonly Item[])[] = [];
  private readonly live = new Set<number>();
  private readonly heights = new Map<number, number>();
  private observer: IntersectionObserver | undefined;
  private observed = -1;

  constructor(private readonly host: Host) {
    host.addController(this);
  }

  set items(items: readonly Item[]) {
    const size = items.length <= WHOLE_MAX ? WHOLE_MAX : CHUNK_ITEMS;
    const count = Math.ceil(items.length / size);
    this.chunks = Array.from({ length: count }, (_, index) => items.slice(index * size, (index + 1) * size));
    this.live.clear();
    this.heights.clear();
    this.live.add(0);
    this.revision += 1;
  }

  map<T>(onPage: (items: readonly Item[], index: number) => T, gap: (heightPx: number, index: number) => T): T[] {
    return this.chunks.map((items, index) =>
      this.live.has(index) ? onPage(items, index) : gap(this.heights.get(index) ?? items.length * ITEM_PX, index),
    );
  }

  /** Brings the chunk of an item onto the page. */
  show(test: (item: Item) => boolean): void {
    const index = this.chunks.findIndex((items) => items.some(test));
    if (index >= 0) this.change(index, true);
  }

  hostDisconnected(): void {
    this.observer?.disconnect();
    this.observed = -1;
  }

  /** Observes the chunks after each change: their elements are others then. */
  hostUpdated(): void {
    if (this.observed === this.revision) return;
    this.observed = this.revision;
    this.observer?.disconnect();
    if (this.chunks.length < 2) return;
    const options = { rootMargin: MARGIN, scrollMargin: MARGIN };
    this.observer = new IntersectionObserver((entries) => this.moved(entries), options);
    for (const chunk of this.host.renderRoot.querySelectorAll('[data-chunk]')) this.observer.observe(chunk);
  }

  private moved(entries: readonly IntersectionObserverEntry[]): void {
    const before = this.revision;
    for (const { target, isIntersecting, boundingClientRect } of entries) {
      const index = Number((target as HTMLElement).dataset['chunk']);
      if (!isIntersecting && this.live.has(index)) this.heights.set(index, boundingClientRect.height);
      this.change(index, isIntersecting);
    }
    if (this.revision !== before) this.host.requestUpdate();
  }

  private change(index: number, isLive: boolean): void {
    if (this.live.has(index) === isLive) return;
    if (isLive) this.live.add(index);
    else this.live.delete(index);
    this.revision += 1;
  }
}
