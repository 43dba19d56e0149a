/** Keys of a database: type, size, and time to live, burning down like a fuse. */

import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { KeyList, KeyOrder, KeyRow } from '../model/key-list.ts';
import type { Workspace } from '../model/workspace.ts';
import { controls } from '../style/controls.ts';
import { remainingText } from '../text/durations.ts';
import './key-detail.ts';
import { keyPanelStyles } from './key-panel-styles.ts';
import { vars } from './vars.ts';

/** Clock of the countdown. */
export interface Time {
  readonly live: boolean;
  now(): number;
}

const ORDERS: readonly { order: KeyOrder; label: string }[] = [
  { order: 'name', label: 'Name' },
  { order: 'expiry', label: 'Next expiry' },
];
const TYPE_TAGS: Readonly<Record<string, string>> = {
  string: 'str',
  hash: 'hash',
  list: 'list',
  set: 'set',
  zset: 'zset',
  stream: 'strm',
};
const SOON_MS = 10_000;

export class KeyPanel extends LitElement {
  static override properties = {
    list: { attribute: false },
    time: { attribute: false },
    workspace: { attribute: false },
    database: { type: Number },
    open: { state: true },
  };
  static override styles = [controls, keyPanelStyles];
  declare list: KeyList;
  declare time: Time;
  /** Workspace that runs commands; without it the list is read-only. */
  declare workspace: Workspace | undefined;
  declare database: number;
  /** Label of the unfolded row. */
  declare private open: string | undefined;
  private current = '';
  private stop: (() => void) | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;

  override willUpdate(changed: PropertyValues): void {
    if (!changed.has('list')) return;
    this.stop?.();
    this.stop = this.list.changes.on(['keys'], () => this.requestUpdate());
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.timer);
    this.stop?.();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.stop = this.list.changes.on(['keys'], () => this.requestUpdate());
  }

  override render(): TemplateResult {
    const { list } = this;
    const held = list.rows.filter((row) => !row.goneBy).length;
    return html`<section class="plate" aria-labelledby="title">
      <div class="row top">
        <h2 class="label" id="title">Keys</h2>
        <span class="count">${held}${list.hasMore ? '+' : ''} in db${this.database}</span>
        <div class="choice push" role="group" aria-label="Sort by">
          ${ORDERS.map(({ order, label }) => html`<button aria-pressed=${list.order === order} @click=${() => list.sortBy(order)}>${label}</button>`)}
        </div>
      </div>
      ${list.rows.length === 0 ? this.renderEmpty() : this.renderRows()}
    </section>`;
  }

  private renderEmpty(): TemplateResult {
    return html`<p class="empty">No keys yet. Keys appear here as commands write them, with the time until they expire.</p>`;
  }

  private renderRows(): TemplateResult {
    const { list } = this;
    if (!list.rows.some((row) => row.label === this.current)) this.current = list.rows[0]?.label ?? '';
    return html`
      <ul class="rows" aria-label="Keys" @keydown=${this.pressed}>
        ${repeat(
          list.rows,
          (row) => row.label,
          (row) => this.renderRow(row),
        )}
      </ul>
      ${list.hasMore ? html`<button class="button more" @click=${() => list.loadMore(this.time.now())}>Show more keys</button>` : nothing}
    `;
  }

  private renderRow(row: KeyRow): TemplateResult {
    const open = this.open === row.label && !row.goneBy;
    const flash = row.version === 0 ? '' : row.version % 2 ? 'flash-odd' : 'flash-even';
    return html`<li class="${flash} ${row.goneBy ? 'gone' : ''}">
      <button
        class="key"
        data-label=${row.label}
        tabindex=${row.label === this.current ? 0 : -1}
        aria-expanded=${open}
        aria-keyshortcuts=${this.workspace ? 'Delete P' : nothing}
        @click=${() => this.toggle(row)}
        @focus=${() => this.moveTo(row.label)}
      >
        <span class="type">${TYPE_TAGS[row.type] ?? row.type}</span>
        <span class="name">${row.label}</span>
        <span class="size">${sizeText(row)}</span>
        ${this.renderLife(row)}
      </button>
      ${open ? html`<kl-key-detail .row=${row} .list=${this.list} .workspace=${this.workspace}></kl-key-detail>` : nothing}
    </li>`;
  }

  private renderLife(row: KeyRow): TemplateResult {
    if (row.goneBy) return html`<span class="life">${row.goneBy === 'del' ? 'deleted' : row.goneBy}</span>`;
    if (row.deadlineMs === null) return html`<span class="life faint">no expiry</span>`;
    const left = Math.max(row.deadlineMs - this.time.now(), 0);
    const share = Math.min(left / row.fuseMs, 1);
    const soon = left < SOON_MS ? 'soon' : '';
    return html`<span class="life ${soon}">${remainingText(left)}</span><span class="fuse ${soon}" ${vars({ left: share.toFixed(4) })}></span>`;
  }

  /** Counts down between two refreshes: often near the end, else once a second. */
  override updated(): void {
    clearTimeout(this.timer);
    const deadlines = this.list.rows.flatMap((row) => (row.deadlineMs === null || row.goneBy ? [] : [row.deadlineMs]));
    if (!this.time.live || deadlines.length === 0) return;
    const soon = Math.min(...deadlines) - this.time.now() < SOON_MS;
    this.timer = setTimeout(() => this.requestUpdate(), soon ? 100 : 1000);
  }

  private toggle(row: KeyRow): void {
    this.open = this.open === row.label ? undefined : row.label;
  }

  private moveTo(label: string): void {
    if (this.current === label) return;
    this.current = label;
    this.requestUpdate();
  }

  private pressed(event: KeyboardEvent): void {
    const target = event.target as HTMLElement;
    if (!target.matches('.key') || event.ctrlKey || event.metaKey || event.altKey) return;
    const row = this.list.rows.find(({ label }) => label === target.dataset['label']);
    if (row && this.act(event.key, row)) event.preventDefault();
  }

  private act(key: string, row: KeyRow): boolean {
    const index = this.list.rows.indexOf(row);
    const last = this.list.rows.length - 1;
    const goal = { ArrowDown: Math.min(index + 1, last), ArrowUp: Math.max(index - 1, 0), Home: 0, End: last }[key];
    if (goal !== undefined) void this.focusRow(goal);
    else if (key === 'Escape') this.open = undefined;
    else if (key === 'Delete' && this.workspace) this.deleteRow(row, index);
    else if (key.toLowerCase() === 'p' && this.workspace) this.workspace.runForKeys('PERSIST', row.key);
    else return false;
    return true;
  }

  /** Deletes a key with DEL; the focus stays in the list. */
  private deleteRow(row: KeyRow, index: number): void {
    this.workspace?.runForKeys('DEL', row.key);
    void this.focusRow(Math.min(index + 1, this.list.rows.length - 1));
  }

  private async focusRow(index: number): Promise<void> {
    this.current = this.list.rows[index]?.label ?? '';
    this.requestUpdate();
    await this.updateComplete;
    this.renderRoot.querySelectorAll<HTMLElement>('.key')[index]?.focus();
  }
}

function sizeText(row: KeyRow): string {
  if (row.type === 'string') return `${row.size.toLocaleString('en')} B`;
  return `${row.size.toLocaleString('en')} ${row.size === 1 ? 'item' : 'items'}`;
}

customElements.define('kl-key-panel', KeyPanel);
