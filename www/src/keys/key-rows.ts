/** The inspector's list: keys and folders, of which only those in view are on the page. */

import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { KeyList, KeyRow } from './key-list.ts';
import { dueMs } from './sorted-rows.ts';
import { itemId, type FolderItem, type Item, type KeyItem, type KeyView } from './key-view.ts';
import { controls } from '../style/controls.ts';
import { Countdown, type Time } from '../parts/countdown.ts';
import { icons } from '../parts/icons.ts';
import { keyRowsStyles } from './key-rows-styles.ts';
import { vars } from '../parts/vars.ts';
import { rowPixels, showRow, visibleRange } from '../parts/virtual.ts';

const TYPE_TAGS: Readonly<Record<string, string>> = {
  string: 'str',
  hash: 'hash',
  list: 'list',
  set: 'set',
  zset: 'zset',
  stream: 'strm',
};

const FLASH_MS = 900;

export class KeyRows extends LitElement {
  static override properties = {
    list: { attribute: false },
    view: { attribute: false },
    time: { attribute: false },
    chosen: { attribute: false },
    editable: { type: Boolean },
  };
  static override styles = [controls, keyRowsStyles];
  declare list: KeyList;
  declare view: KeyView;
  declare time: Time;
  /** Label of the key that is shown in detail. */
  declare chosen: string | undefined;
  declare editable: boolean;
  /** Identity and index of the item that Tab reaches. */
  private current = { id: '', index: 0 };
  private readonly sizes = new ResizeObserver(() => this.requestUpdate());

  constructor() {
    super();
    new Countdown(this);
  }

  override firstUpdated(): void {
    if (this.scroller) this.sizes.observe(this.scroller);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.sizes.disconnect();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.scroller) this.sizes.observe(this.scroller);
  }

  override render(): TemplateResult {
    const count = this.view.count(this.list);
    const indexes = this.renderedIndexes(count);
    return html`<div class="scroll" tabindex="-1" @scroll=${() => this.requestUpdate()}>
      <ul aria-label="Keys" ${vars({ count })} @keydown=${this.pressed}>
        ${repeat(
          indexes,
          (index) => itemId(this.view.at(this.list, index) as Item),
          (index) => this.renderItem(index, count),
        )}
      </ul>
    </div>`;
  }

  /** Indexes in view, and that of the focused item wherever it is: its removal would lose the focus. */
  private renderedIndexes(count: number): number[] {
    const { from, to } = visibleRange(this.scroller, rowPixels(this), count);
    const indexes = Array.from({ length: to - from }, (_, offset) => from + offset);
    const at = this.currentIndex(count);
    if (at >= 0 && at < from) indexes.unshift(at);
    else if (at >= to) indexes.push(at);
    return indexes;
  }

  /** Index of the item that Tab reaches: the same as before while it exists, else the one in its position. */
  private currentIndex(count: number): number {
    if (count === 0) return -1;
    const { list, view } = this;
    const held = view.at(list, this.current.index);
    let { index } = this.current;
    if (!held || itemId(held) !== this.current.id) {
      const moved = this.current.id ? view.indexOf(list, this.current.id) : 0;
      index = moved >= 0 ? moved : Math.min(this.current.index, count - 1);
    }
    this.current = { id: itemId(view.at(list, index) as Item), index };
    return index;
  }

  private renderItem(index: number, count: number): TemplateResult {
    const item = this.view.at(this.list, index) as Item;
    const state = item.kind === 'key' ? stateClasses(item.row) : '';
    return html`<li class=${state} aria-posinset=${index + 1} aria-setsize=${count} ${vars({ at: index, level: item.level })}>
      ${item.kind === 'key' ? this.renderKey(item, index) : this.renderFolder(item, index)}
    </li>`;
  }

  private renderKey({ row, text }: KeyItem, index: number): TemplateResult {
    return html`<button
      class="item key"
      data-index=${index}
      data-label=${row.label}
      tabindex=${index === this.current.index ? 0 : -1}
      aria-pressed=${this.chosen === row.label && !row.goneBy}
      aria-keyshortcuts=${this.editable ? 'Delete P' : nothing}
      title=${row.label.length > 24 ? row.label.slice(0, 500) : nothing}
      @click=${() => this.choose(row)}
      @focus=${() => this.moveTo(index)}
    >
      <span class="type">${TYPE_TAGS[row.type] ?? row.type}</span>
      <span class="name">${text.slice(0, 500)}</span>
      <span class="size">${sizeText(row)}</span>
      ${renderLife(row)}
    </button>`;
  }

  private renderFolder(item: FolderItem, index: number): TemplateResult {
    return html`<button
      class="item folder"
      data-index=${index}
      data-prefix=${item.prefix}
      tabindex=${index === this.current.index ? 0 : -1}
      aria-expanded=${item.open}
      @click=${() => this.toggle(item)}
      @focus=${() => this.moveTo(index)}
    >
      ${icons.forward}<span class="name">${item.text}</span>
      <span class="size">${item.count.toLocaleString('en')} ${item.count === 1 ? 'key' : 'keys'}</span>
    </button>`;
  }

  private get scroller(): HTMLElement | null {
    return this.renderRoot?.querySelector('.scroll') ?? null;
  }

  private get focused(): HTMLElement | undefined {
    const active = (this.renderRoot as ShadowRoot).activeElement;
    return active instanceof HTMLElement && active.matches('.item') ? active : undefined;
  }

  private hadFocus = false;

  override willUpdate(): void {
    this.hadFocus = this.hasUpdated && this.focused !== undefined;
  }

  /** When the focused row has gone, the focus stays in the list. */
  override updated(_changed: PropertyValues): void {
    if (!this.hadFocus || this.focused) return;
    const next = this.renderRoot.querySelector<HTMLElement>('.item[tabindex="0"]');
    next?.focus({ preventScroll: true });
  }

  private choose(row: KeyRow): void {
    if (!row.goneBy) this.dispatchEvent(new CustomEvent('choose', { detail: row.label }));
  }

  private toggle(item: FolderItem): void {
    this.view.toggle(item.prefix);
    this.requestUpdate();
  }

  private moveTo(index: number): void {
    const item = this.view.at(this.list, index);
    if (!item || this.current.index === index) return;
    this.current = { id: itemId(item), index };
    this.requestUpdate();
  }

  private pressed(event: KeyboardEvent): void {
    const index = Number((event.target as HTMLElement).dataset['index'] ?? Number.NaN);
    const item = this.view.at(this.list, index);
    if (!item || event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.act(event.key, item, index)) event.preventDefault();
  }

  private act(key: string, item: Item, index: number): boolean {
    const last = this.view.count(this.list) - 1;
    const page = Math.floor((this.scroller?.clientHeight ?? 0) / rowPixels(this));
    const goals: Readonly<Record<string, number>> = {
      ArrowDown: index + 1,
      ArrowUp: index - 1,
      PageDown: index + page,
      PageUp: index - page,
      Home: 0,
      End: last,
    };
    const goal = goals[key];
    if (goal !== undefined) void this.focusIndex(Math.min(Math.max(goal, 0), last));
    else if (item.kind === 'folder') return this.actOnFolder(key, item);
    else return this.actOnKey(key, item.row, index);
    return true;
  }

  private actOnFolder(key: string, item: FolderItem): boolean {
    if (key !== (item.open ? 'ArrowLeft' : 'ArrowRight')) return false;
    this.toggle(item);
    return true;
  }

  private actOnKey(key: string, row: KeyRow, index: number): boolean {
    if (key === 'Escape') this.dispatchEvent(new CustomEvent('choose', { detail: undefined }));
    else if (key === 'Delete' && this.editable) this.deleteKey(row, index);
    else if (key.toLowerCase() === 'p' && this.editable)
      this.dispatchEvent(new CustomEvent('act', { detail: ['PERSIST', row.key] }));
    else return false;
    return true;
  }

  /** Deletes a key; its row is still shown for a moment, and the focus goes to the next. */
  private deleteKey(row: KeyRow, index: number): void {
    this.dispatchEvent(new CustomEvent('act', { detail: ['DEL', row.key] }));
    void this.focusIndex(Math.min(index + 1, this.view.count(this.list) - 1));
  }

  /** Focuses the item that Tab reaches. */
  async focusCurrent(): Promise<void> {
    if (this.view.count(this.list) > 0) await this.focusIndex(this.current.index);
  }

  private async focusIndex(index: number): Promise<void> {
    const item = this.view.at(this.list, index);
    if (!item || !this.scroller) return;
    this.current = { id: itemId(item), index };
    showRow(this.scroller, index, rowPixels(this));
    this.requestUpdate();
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(`[data-index="${index}"]`)?.focus({ preventScroll: true });
  }
}

/** A change flashes once: rows that scroll into view later stand still. */
function stateClasses({ goneBy, version, changedAt }: KeyRow): string {
  if (goneBy) return 'gone';
  if (performance.now() - changedAt > FLASH_MS) return '';
  return version % 2 ? 'flash-odd' : 'flash-even';
}

/** Time to live; the countdown writes its text. Keys that never expire show nothing. */
function renderLife(row: KeyRow): TemplateResult | typeof nothing {
  if (row.goneBy) return html`<span class="life">${row.goneBy === 'del' ? 'deleted' : row.goneBy}</span>`;
  const due = dueMs(row);
  if (due === null) return nothing;
  const ofField = due !== row.deadlineMs;
  return html`<span class="life" title=${ofField ? 'A field of this hash expires next' : nothing}
      >${ofField ? html`<span class="of">field</span>` : nothing}<span class="left" data-due=${due}></span>${
        ofField ? nothing : html`<span class="fuse" data-whole=${row.fuseMs}></span>`
      }</span>`;
}

function sizeText(row: KeyRow): string {
  if (row.type === 'string') return `${row.size.toLocaleString('en')} B`;
  return `${row.size.toLocaleString('en')} ${row.size === 1 ? 'item' : 'items'}`;
}

customElements.define('kl-key-rows', KeyRows);
