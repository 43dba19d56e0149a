/** Bytes of a value as text, JSON or hexadecimal digits. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { keyLabel, textOf } from './key-label.ts';
import { controls } from '../style/controls.ts';
import { hexText, jsonText, type ValueForm } from './value-forms.ts';

const FORMS: readonly { form: ValueForm; label: string }[] = [
  { form: 'text', label: 'Text' },
  { form: 'json', label: 'JSON' },
  { form: 'hex', label: 'Hex' },
];

export class ValueText extends LitElement {
  static override properties = { bytes: { attribute: false }, size: { type: Number }, form: { state: true } };
  declare bytes: Uint8Array;
  /** Length of the whole value in bytes. */
  declare size: number;
  declare private form: ValueForm;

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: var(--gap-2);
        min-width: 0;
      }
      pre {
        max-height: 12rem;
        overflow: auto;
        padding: var(--gap-2) var(--gap-3);
        border: 1px solid var(--line);
        border-radius: var(--round-2);
        background: var(--plate);
        font-size: var(--text-2);
        line-height: var(--even);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      .hex {
        font-size: var(--text-1);
        white-space: pre;
      }
      p {
        color: var(--ink-soft);
        font-size: var(--text-1);
      }
    `,
  ];

  constructor() {
    super();
    this.form = 'text';
  }

  override render(): TemplateResult {
    const { bytes, size } = this;
    const text = textOf(bytes);
    const json = text === undefined || size > bytes.length ? undefined : jsonText(text);
    const form = this.form === 'json' && json === undefined ? 'text' : this.form;
    const shown = { text: text ?? keyLabel(bytes), json, hex: hexText(bytes) }[form];
    return html`
      <div class="row">
        <div class="choice" role="group" aria-label="Show the value as">
          ${FORMS.map((one) => html`<button aria-pressed=${form === one.form} ?disabled=${one.form === 'json' && json === undefined} @click=${() => (this.form = one.form)}>${one.label}</button>`)}
        </div>
      </div>
      <pre class=${form} tabindex="0" role="region" aria-label="Value">${shown}</pre>
      ${size > bytes.length ? this.renderCut() : nothing}
    `;
  }

  private renderCut(): TemplateResult {
    const text = `The first ${this.bytes.length.toLocaleString('en')} of ${this.size.toLocaleString('en')} bytes.`;
    return html`<p class="row">${text} <button class="button" @click=${() => this.dispatchEvent(new CustomEvent('more'))}>Show more</button></p>`;
  }
}

customElements.define('kl-value-text', ValueText);
