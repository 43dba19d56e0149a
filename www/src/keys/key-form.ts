/** Form that writes an element of a value, or a whole string, with the command that it runs in view. */

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { commandText, type Draft, removeCommand, type Word, writeCommand } from './key-edit.ts';
import type { KeyRow } from './key-list.ts';
import { textOf } from './key-label.ts';
import { controls } from '../style/controls.ts';

/** An existing element, or the place for a new one. */
export interface Edited {
  readonly index?: number;
  readonly name: Uint8Array;
  readonly value: Uint8Array;
  readonly isNew: boolean;
  readonly mortal: boolean;
}

const NAMES: Readonly<Record<string, string>> = { hash: 'Field', set: 'Member', zset: 'Member' };
const VALUES: Readonly<Record<string, string>> = { hash: 'Value', list: 'Element', zset: 'Score', string: 'Value' };
/** Characters of the command in view. */
const SHOWN_CHARS = 300;

export class KeyForm extends LitElement {
  static override properties = { row: { attribute: false }, edited: { attribute: false }, draft: { state: true } };
  declare row: KeyRow;
  declare edited: Edited;
  declare private draft: Draft | undefined;

  static override styles = [
    controls,
    css`
      :host {
        scroll-margin-block: var(--gap-3);
      }
      form {
        display: grid;
        gap: var(--gap-2);
      }
      label {
        display: grid;
        gap: 2px;
        color: var(--ink-soft);
        font-size: var(--text-1);
      }
      .field {
        width: 100%;
        min-width: 0;
        color: var(--ink);
        font-family: var(--engine);
      }
      textarea.field {
        min-height: var(--target);
        max-height: 10rem;
        padding-block: 0.3rem;
        resize: vertical;
        field-sizing: content;
      }
      .command {
        overflow: hidden;
        padding: var(--gap-1) var(--gap-2);
        border-inline-start: 2px solid var(--verdigris-fill);
        background: var(--plate);
        font: var(--text-1) / var(--even) var(--engine);
        overflow-wrap: anywhere;
      }
      p {
        color: var(--ink-soft);
        font-size: var(--text-1);
      }
    `,
  ];

  override willUpdate(changed: PropertyValues): void {
    if (changed.has('edited')) this.draft = draftOf(this.edited);
  }

  override render(): TemplateResult {
    const { draft, row } = this;
    const remove = this.edited.isNew ? undefined : removeCommand(row.type, row.key, this.edited.name);
    return html`<form @submit=${this.submit}>
      ${draft ? this.renderFields(draft) : html`<p>These bytes are not text: write them in the command line, with \\x escapes.</p>`}
      <div class="row">
        ${draft ? html`<button class="button main" type="submit">Run</button>` : nothing}
        ${remove ? html`<button class="button" type="button" title=${commandText(remove)} @click=${() => this.run(remove)}>Remove</button>` : nothing}
        <button class="button bare" type="button" @click=${this.cancel}>Cancel</button>
      </div>
    </form>`;
  }

  private renderFields(draft: Draft): TemplateResult {
    const { type } = this.row;
    const name = NAMES[type];
    const value = VALUES[type];
    const isFixed = !this.edited.isNew && type !== 'set';
    const text = commandText(this.command(draft));
    return html`
      ${name ? html`<label>${name}<input class="field" name="name" autocomplete="off" spellcheck="false" ?readonly=${isFixed} .value=${String(draft.name)} @input=${this.typed} /></label>` : nothing}
      ${value ? html`<label>${value}<textarea class="field" name="value" rows="1" spellcheck="false" .value=${String(draft.value)} @input=${this.typed}></textarea></label>` : nothing}
      <code class="command" aria-label="Command">${text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text}</code>
    `;
  }

  override firstUpdated(): void {
    this.renderRoot.querySelector<HTMLElement>('.field:not([readonly])')?.focus({ preventScroll: true });
    this.scrollIntoView({ block: 'nearest' });
  }

  private command(draft: Draft): readonly Word[] {
    return writeCommand(this.row.type, this.row.key, draft);
  }

  private typed(event: Event): void {
    const { name, value } = event.target as HTMLInputElement;
    if (this.draft) this.draft = { ...this.draft, [name]: value };
  }

  private submit(event: Event): void {
    event.preventDefault();
    if (this.draft) this.run(this.command(this.draft));
  }

  private run(words: readonly Word[]): void {
    this.dispatchEvent(new CustomEvent('act', { detail: words }));
  }

  private cancel(): void {
    this.dispatchEvent(new CustomEvent('cancel'));
  }
}

/** The element as text; undefined when a part of it is not. */
function draftOf({ index, name, value, isNew, mortal }: Edited): Draft | undefined {
  const [nameText, valueText] = [textOf(name), textOf(value)];
  if (nameText === undefined || valueText === undefined) return undefined;
  return { ...(index === undefined || isNew ? {} : { index }), name: nameText, value: valueText, mortal };
}

customElements.define('kl-key-form', KeyForm);
