/** Keys of a database: their list with its filter and order, and the value of one of them. */

import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { KeyCommands, Word } from './key-edit.ts';
import type { KeyList, KeyRow } from './key-list.ts';
import { type KeyOrder, KeyView } from './key-view.ts';
import { controls } from '../style/controls.ts';
import type { Time } from '../parts/countdown.ts';
import { keyPanelStyles } from './key-panel-styles.ts';
import type { KeyRows } from './key-rows.ts';
import './key-rows.ts';
import { isLoaded } from '../parts/on-demand.ts';

const ORDERS: readonly { order: KeyOrder; label: string; title: string }[] = [
  { order: 'name', label: 'Name', title: 'Sort by name' },
  { order: 'expiry', label: 'Expiry', title: 'Sort by expiry, the next first' },
  { order: 'tree', label: 'Tree', title: 'Folders by the colons in names' },
];

export class KeyPanel extends LitElement {
  static override properties = {
    list: { attribute: false },
    time: { attribute: false },
    workspace: { attribute: false },
    database: { type: Number },
    chosen: { state: true },
  };
  static override styles = [controls, keyPanelStyles];
  declare list: KeyList;
  declare time: Time;
  /** Runs commands; without it the list is read-only. */
  declare workspace: KeyCommands | undefined;
  declare database: number;
  /** Label of the key that is shown in detail. */
  declare private chosen: string | undefined;
  private readonly view = new KeyView();
  private hadFocus = false;
  private stop: (() => void) | undefined;

  override willUpdate(changed: PropertyValues): void {
    if (changed.has('list')) this.follow();
    this.hadFocus = this.shadowRoot?.activeElement != null;
  }

  /** When what had the focus is gone, such as the last key, the panel has it. */
  override updated(): void {
    if (this.hadFocus && !this.shadowRoot?.activeElement) this.focusPanel();
  }

  focusPanel(): void {
    this.renderRoot.querySelector('section')?.focus({ preventScroll: true });
  }

  override connectedCallback(): void {
    super.connectedCallback();
    if (this.hasUpdated) this.follow();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.stop?.();
  }

  private follow(): void {
    this.stop?.();
    this.stop = this.list.changes.on(['keys'], () => this.changed());
  }

  private changed(): void {
    this.requestUpdate();
    this.rows?.requestUpdate();
  }

  override render(): TemplateResult {
    const { list, view } = this;
    const isEmpty = list.rows.length === 0;
    const row = this.chosen === undefined ? undefined : list.row(this.chosen);
    return html`<section class="plate" tabindex="-1" aria-labelledby="title">
      <div class="row top">
        <h2 class="label" id="title">Keys</h2>
        <span class="count">${this.countText()}</span>
        ${isEmpty && !list.isFilling ? nothing : this.renderOrders()}
      </div>
      ${isEmpty && view.filter === '' ? this.renderEmpty() : this.renderList()}
      ${row && !row.goneBy ? this.renderDetail(row) : nothing}
    </section>`;
  }

  private countText(): string {
    const { list, view } = this;
    const all = `${list.count.toLocaleString('en')}${list.isFilling ? '+' : ''} in db${this.database}`;
    return view.filter === '' ? all : `${view.keyCount(list).toLocaleString('en')} of ${all}`;
  }

  private renderOrders(): TemplateResult {
    return html`<div class="choice push" role="group" aria-label="Order">
      ${ORDERS.map(({ order, label, title }) => html`<button aria-pressed=${this.view.order === order} title=${title} @click=${() => this.sortBy(order)}>${label}</button>`)}
    </div>`;
  }

  private renderEmpty(): TemplateResult {
    if (this.list.isFilling) return html`<p class="empty">Reading the keys…</p>`;
    return html`<p class="empty">No keys yet. Keys appear here as commands write them, with the time until they expire.</p>`;
  }

  private renderList(): TemplateResult {
    const { list, view } = this;
    const isFound = view.filter === '' || view.count(list) > 0;
    return html`
      <div class="filter">
        <input class="field" type="search" aria-label="Filter the keys" placeholder="Filter: text, or a pattern such as user:*" autocomplete="off" autocapitalize="off" spellcheck="false" .value=${view.filter} @input=${this.filtered} @keydown=${this.pressedInFilter} />
      </div>
      ${isFound ? nothing : html`<p class="empty">No key matches.</p>`}
      <kl-key-rows
        .list=${list}
        .view=${view}
        .time=${this.time}
        .chosen=${this.chosen}
        ?editable=${this.workspace !== undefined}
        @choose=${(event: CustomEvent<string | undefined>) => this.choose(event.detail)}
        @act=${(event: CustomEvent<readonly Word[]>) => this.workspace?.runForKeys(...event.detail)}
      ></kl-key-rows>
    `;
  }

  private renderDetail(row: KeyRow): TemplateResult | typeof nothing {
    if (!isLoaded(this, 'kl-key-detail', () => import('./key-detail.ts'))) return nothing;
    return html`<kl-key-detail .row=${row} .list=${this.list} .time=${this.time} .workspace=${this.workspace} @close=${this.close}></kl-key-detail>`;
  }

  private get rows(): KeyRows | null {
    return this.renderRoot.querySelector('kl-key-rows');
  }

  private sortBy(order: KeyOrder): void {
    this.view.sortBy(order);
    this.changed();
  }

  private filtered(event: Event): void {
    this.view.filter = (event.target as HTMLInputElement).value;
    this.changed();
  }

  private pressedInFilter(event: KeyboardEvent): void {
    if (event.key !== 'ArrowDown') return;
    event.preventDefault();
    void this.rows?.focusCurrent();
  }

  /** Shows a key; a second time hides it. The focus stays in the list, and on a small screen the key is scrolled to. */
  private choose(label: string | undefined): void {
    this.chosen = this.chosen === label ? undefined : label;
    const show = (): void => this.renderRoot.querySelector('kl-key-detail')?.scrollIntoView({ block: 'nearest' });
    void customElements.whenDefined('kl-key-detail').then(() => requestAnimationFrame(show));
  }

  private close(): void {
    this.chosen = undefined;
    void this.updateComplete.then(() => this.rows?.focusCurrent());
  }
}

customElements.define('kl-key-panel', KeyPanel);

declare global {
  interface HTMLElementTagNameMap {
    'kl-key-panel': KeyPanel;
  }
}
