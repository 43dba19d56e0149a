/** Opens files that are dropped on the page, or chosen after the event `kl-open-file`. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { controls } from '../style/controls.ts';

export const OPEN_FILE = 'kl-open-file';

export class DropArea extends LitElement {
  static override properties = { open: { attribute: false }, over: { state: true } };
  declare open: (file: File) => unknown;
  declare private over: boolean;
  private readonly listeners: readonly (readonly [string, (event: Event) => void])[] = [
    ['dragover', (event) => this.dragged(event as DragEvent)],
    ['dragleave', (event) => this.left(event as DragEvent)],
    ['drop', (event) => this.dropped(event as DragEvent)],
    [OPEN_FILE, () => this.renderRoot.querySelector('input')?.click()],
  ];

  static override styles = [
    controls,
    css`
      .over {
        position: fixed;
        inset: var(--gap-3);
        z-index: 9;
        display: grid;
        place-content: center;
        gap: var(--gap-2);
        border: 2px dashed var(--verdigris-fill);
        border-radius: var(--round-3);
        background: color-mix(in oklch, var(--ground) 90%, transparent);
        text-align: center;
        pointer-events: none;
      }
      .over strong {
        font-size: var(--text-5);
      }
    `,
  ];

  constructor() {
    super();
    this.over = false;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    for (const [name, listener] of this.listeners) addEventListener(name, listener);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    for (const [name, listener] of this.listeners) removeEventListener(name, listener);
  }

  override render(): TemplateResult {
    return html`<input type="file" hidden aria-label="File to open" @change=${this.chosen} />
      ${
        this.over
          ? html`<div class="over"><strong>Drop to open</strong><span>A session, or keys: an RDB file, an append-only file, JSON</span></div>`
          : nothing
      }`;
  }

  private dragged(event: DragEvent): void {
    if (!event.dataTransfer?.types.includes('Files')) return;
    event.preventDefault();
    this.over = true;
  }

  private left(event: DragEvent): void {
    if (event.relatedTarget === null) this.over = false;
  }

  private dropped(event: DragEvent): void {
    this.over = false;
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    this.open(file);
  }

  private chosen(event: Event): void {
    const input = event.target as HTMLInputElement;
    const [file] = input.files ?? [];
    if (file) this.open(file);
    // Without this, choosing a file twice would be one event only.
    input.value = '';
  }
}

customElements.define('kl-drop-area', DropArea);
