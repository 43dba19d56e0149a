/** A long output as a whole, in a box of its own: lines are broken at its width, and only those in view are on the page. */

import { css, html, LitElement, type PropertyValues, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import { controls } from '../style/controls.ts';
import { vars } from './vars.ts';
import { rowPixels, visibleRange } from './virtual.ts';

/** Text that is measured: long, so that rounding does not matter. */
const RULER = 'x'.repeat(64);

export class LongText extends LitElement {
  static override properties = { lines: { attribute: false } };
  declare lines: readonly string[];
  /** For each line the number of rows before it, and that of all. */
  private starts = new Uint32Array(1);
  private columns = 80;
  private readonly sizes = new ResizeObserver(() => this.measure());

  static override styles = [
    controls,
    css`
      :host {
        --row: 1.3125rem;
      }
      .scroll {
        height: min(28rem, 60dvh);
        overflow-y: auto;
        overscroll-behavior: contain;
        border: 1px solid var(--line);
        border-radius: var(--round-2);
        background: var(--inset);
      }
      .body {
        position: relative;
        height: calc(var(--count) * var(--row));
        contain: strict;
      }
      .body,
      .ruler {
        margin: 0 var(--gap-3);
        font: var(--text-engine) / var(--row) var(--engine);
        font-variant-ligatures: none;
      }
      .line {
        position: absolute;
        inset: 0 0 auto;
        height: var(--row);
        overflow: hidden;
        white-space: pre;
        transform: translateY(calc(var(--at) * var(--row)));
      }
      .ruler {
        position: absolute;
        visibility: hidden;
      }
    `,
  ];

  override willUpdate(changed: PropertyValues): void {
    if (changed.has('lines')) this.breakLines();
  }

  override render(): TemplateResult {
    const count = this.starts.at(-1) ?? 0;
    const { from, to } = visibleRange(this.scroller, rowPixels(this), count);
    const rows = Array.from({ length: to - from }, (_, offset) => from + offset);
    return html`<div class="scroll" tabindex="0" role="region" aria-label="The whole output" @scroll=${() => this.requestUpdate()}>
      <span class="ruler" aria-hidden="true">${RULER}</span>
      <div class="body" ${vars({ count })}>
        ${repeat(
          rows,
          (row) => row,
          (row) => html`<div class="line" ${vars({ at: row })}>${this.textOf(row)}</div>`,
        )}
      </div>
    </div>`;
  }

  override firstUpdated(): void {
    if (this.scroller) this.sizes.observe(this.scroller);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.sizes.disconnect();
  }

  private get scroller(): HTMLElement | null {
    return this.renderRoot?.querySelector('.scroll') ?? null;
  }

  private measure(): void {
    const ruler = this.renderRoot.querySelector('.ruler');
    const body = this.renderRoot.querySelector('.body');
    if (!ruler || !body) return;
    const character = ruler.getBoundingClientRect().width / RULER.length;
    const columns = Math.max(Math.floor(body.clientWidth / character), 16);
    if (columns !== this.columns) {
      this.columns = columns;
      this.breakLines();
    }
    this.requestUpdate();
  }

  private breakLines(): void {
    const starts = new Uint32Array(this.lines.length + 1);
    let rows = 0;
    for (const [index, line] of this.lines.entries()) {
      starts[index] = rows;
      rows += Math.max(Math.ceil(line.length / this.columns), 1);
    }
    starts[this.lines.length] = rows;
    this.starts = starts;
  }

  private textOf(row: number): string {
    const { columns, starts } = this;
    let low = 0;
    let high = this.lines.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((starts[middle] as number) <= row) low = middle;
      else high = middle - 1;
    }
    const at = (row - (starts[low] ?? 0)) * columns;
    return (this.lines[low] ?? '').slice(at, at + columns);
  }
}

customElements.define('kl-long-text', LongText);
