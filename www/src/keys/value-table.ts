/** Elements of a list, set, sorted set or hash, of which only those in view are read and on the page. */

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { KeyList, KeyRow } from './key-list.ts';
import { keyLabel, textOf } from './key-label.ts';
import { elementPages, type Element } from './elements.ts';
import { controls } from '../style/controls.ts';
import { Countdown, type Time } from '../parts/countdown.ts';
import { vars } from '../parts/vars.ts';
import { rowPixels, showRow, visibleRange } from '../parts/virtual.ts';

/** Characters of a cell. */
const CELL_CHARS = 200;

const HEADS: Readonly<Record<string, readonly string[]>> = {
  hash: ['Field', 'Value'],
  list: ['#', 'Element'],
  set: ['Member'],
  zset: ['Member', 'Score'],
};

export class ValueTable extends LitElement {
  static override properties = {
    row: { attribute: false },
    list: { attribute: false },
    time: { attribute: false },
    chosen: { type: Number },
  };
  declare row: KeyRow;
  declare list: KeyList;
  declare time: Time;
  /** Index of the chosen element, -1 for none. */
  declare chosen: number;
  private current = 0;
  private readonly sizes = new ResizeObserver(() => this.requestUpdate());
  private readElement: (index: number) => Element | undefined = () => undefined;

  static override styles = [
    controls,
    css`
      :host {
        --row: 1.875rem;
        display: flex;
        flex-direction: column;
        min-height: calc(3 * var(--row));
      }
      .table {
        flex: 0 1 auto;
        min-height: 0;
        overflow: auto;
        border: 1px solid var(--line);
        border-radius: var(--round-2);
        background: var(--plate);
        font-size: var(--text-2);
      }
      .line {
        display: grid;
        grid-template-columns: var(--columns);
        align-items: center;
        gap: var(--gap-3);
        width: 100%;
        height: var(--row);
        padding: 0 var(--gap-3);
        border: 0;
        border-block-end: 1px solid var(--line);
        background: transparent;
        text-align: start;
      }
      .hash {
        --columns: minmax(0, 2fr) minmax(0, 3fr);
      }
      .hash.mortal {
        --columns: minmax(0, 2fr) minmax(0, 3fr) 4.5rem;
      }
      .list {
        --columns: minmax(2rem, max-content) minmax(0, 1fr);
      }
      .set {
        --columns: minmax(0, 1fr);
      }
      .zset {
        --columns: minmax(0, 3fr) minmax(3rem, 1fr);
      }
      .head {
        position: sticky;
        inset-block-start: 0;
        z-index: 1;
        background: var(--raised);
        color: var(--ink-soft);
        font-size: var(--text-1);
      }
      .body {
        position: relative;
        height: calc(var(--count) * var(--row));
      }
      .body .line {
        position: absolute;
        inset: 0 0 auto;
        transform: translateY(calc(var(--at) * var(--row)));
        contain: strict;
        cursor: pointer;
      }
      .body .line:hover {
        background: var(--inset);
      }
      .body .line[aria-selected="true"] {
        background: var(--verdigris-wash);
        box-shadow: inset 2px 0 0 var(--verdigris-fill);
      }
      .line:focus-visible {
        outline-offset: -3px;
      }
      .line > * {
        overflow: hidden;
        text-overflow: ellipsis;
        white-space: nowrap;
      }
      .body .line > * {
        font-family: var(--engine);
      }
      .number,
      .left {
        color: var(--ink-soft);
        font-variant-numeric: tabular-nums;
      }
      .left.soon {
        color: var(--brass);
        font-weight: 600;
      }
      @media (pointer: coarse) {
        :host {
          --row: 2.75rem;
        }
      }
      @media (forced-colors: active) {
        .body .line[aria-selected="true"] {
          outline: 2px solid Highlight;
          outline-offset: -2px;
        }
      }
    `,
  ];

  constructor() {
    super();
    this.chosen = -1;
    new Countdown(this);
  }

  override willUpdate(changed: PropertyValues): void {
    if (changed.has('row') || changed.has('list')) this.readElement = elementPages(this.list, this.row);
  }

  override firstUpdated(): void {
    if (this.scroller) this.sizes.observe(this.scroller);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.sizes.disconnect();
  }

  override render(): TemplateResult {
    const { type, size, fieldDeadlineMs } = this.row;
    const mortal = fieldDeadlineMs === null ? '' : 'mortal';
    const heads = [...(HEADS[type] ?? []), ...(mortal ? ['Expires in'] : [])];
    const { from, to } = visibleRange(this.scroller, rowPixels(this), size);
    const indexes = Array.from({ length: to - from }, (_, offset) => from + offset);
    this.current = Math.min(this.current, size - 1);
    if (this.current >= 0 && !indexes.includes(this.current)) indexes.push(this.current);
    return html`<div class="table ${type} ${mortal}" role="grid" aria-label="Elements" aria-rowcount=${size + 1} @scroll=${() => this.requestUpdate()} @keydown=${this.pressed}>
      <div class="line head" role="row" aria-rowindex="1">${heads.map((head) => html`<span role="columnheader">${head}</span>`)}</div>
      <div class="body" role="rowgroup" ${vars({ count: size })}>
        ${repeat(
          indexes,
          (index) => index,
          (index) => this.renderLine(index, heads.length),
        )}
      </div>
    </div>`;
  }

  private renderLine(index: number, columns: number): TemplateResult {
    const element = this.readElement(index);
    const { type } = this.row;
    const cells = element ? cellsOf(type, element, index) : [];
    return html`<div class="line" role="row" aria-rowindex=${index + 2} aria-selected=${index === this.chosen} data-index=${index}
      tabindex=${index === this.current ? 0 : -1} ${vars({ at: index })} @click=${() => this.choose(index)} @focus=${() => this.moveTo(index)}>
      ${cells.map((cell) => html`<span role="gridcell">${cell}</span>`)}
      ${columns > cells.length && element ? html`<span role="gridcell" class="number">${element.deadlineMs === null ? nothing : html`<span class="left" data-due=${element.deadlineMs}></span>`}</span>` : nothing}
    </div>`;
  }

  private get scroller(): HTMLElement | null {
    return this.renderRoot?.querySelector('.table') ?? null;
  }

  private choose(index: number): void {
    const detail = { index, element: this.readElement(index) };
    this.dispatchEvent(new CustomEvent('choose', { detail }));
  }

  private moveTo(index: number): void {
    if (this.current === index) return;
    this.current = index;
    this.requestUpdate();
  }

  private pressed(event: KeyboardEvent): void {
    const index = Number((event.target as HTMLElement).dataset['index'] ?? Number.NaN);
    if (Number.isNaN(index) || event.ctrlKey || event.metaKey || event.altKey) return;
    const last = this.row.size - 1;
    const goals: Readonly<Record<string, number>> = { ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: last };
    const goal = goals[event.key];
    if (goal !== undefined) void this.focusIndex(Math.min(Math.max(goal, 0), last));
    else if (event.key === 'Enter' || event.key === ' ') this.choose(index);
    else return;
    event.preventDefault();
  }

  private async focusIndex(index: number): Promise<void> {
    if (!this.scroller) return;
    this.current = index;
    showRow(this.scroller, index, rowPixels(this), rowPixels(this));
    this.requestUpdate();
    await this.updateComplete;
    this.renderRoot.querySelector<HTMLElement>(`.body [data-index="${index}"]`)?.focus({ preventScroll: true });
  }
}

function cellsOf(type: string, { name, value }: Element, index: number): string[] {
  const [first, second] = [shortText(name), shortText(value)];
  if (type === 'list') return [String(index), second];
  return type === 'set' ? [first] : [first, second];
}

/** The beginning of a text, without decoding the rest. */
function shortText(bytes: Uint8Array): string {
  const text = textOf(bytes.length > 4 * CELL_CHARS ? cutAtCharacter(bytes, CELL_CHARS) : bytes);
  const shown = text ?? keyLabel(bytes.subarray(0, CELL_CHARS));
  return shown.length > CELL_CHARS ? `${shown.slice(0, CELL_CHARS)}…` : shown;
}

/** A beginning that does not end within a character of UTF-8. */
function cutAtCharacter(bytes: Uint8Array, count: number): Uint8Array {
  let end = count;
  while (end > 0 && ((bytes[end] as number) & 0xc0) === 0x80) end -= 1;
  return bytes.subarray(0, end);
}

customElements.define('kl-value-table', ValueTable);
