/** One key: facts, deadline, value, and forms that run ordinary commands. Reading it leaves no trace in the engine. */

import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { KeyCommands, Word } from './key-edit.ts';
import type { KeyList, KeyRow } from './key-list.ts';
import type { Element } from './elements.ts';
import { controls } from '../style/controls.ts';
import { isoText } from '../text/durations.ts';
import { sketchedCount } from './sketch.ts';
import { Countdown, type Time } from '../parts/countdown.ts';
import { icons } from '../parts/icons.ts';
import { keyDetailStyles } from './key-detail-styles.ts';
import type { Edited } from './key-form.ts';
import './key-form.ts';
import './value-table.ts';
import './value-text.ts';

/** Bytes of a string that are shown at first. */
const SHOWN_BYTES = 4096;
/** Bytes of the largest HyperLogLog. */
const SKETCH_BYTES = 16 + 12_288;
/** Bytes up to which a string can be edited here. */
const EDITED_MAX_BYTES = 64 * 1024;
const NOTHING = new Uint8Array();

export class KeyDetail extends LitElement {
  static override properties = {
    row: { attribute: false },
    list: { attribute: false },
    time: { attribute: false },
    workspace: { attribute: false },
    edited: { state: true },
    shownBytes: { state: true },
  };
  static override styles = [controls, keyDetailStyles];
  declare row: KeyRow;
  declare list: KeyList;
  declare time: Time;
  /** Workspace that runs commands; without it the key is read-only. */
  declare workspace: KeyCommands | undefined;
  declare private edited: Edited | undefined;
  declare private shownBytes: number;

  constructor() {
    super();
    this.shownBytes = SHOWN_BYTES;
    new Countdown(this);
  }

  override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get('row');
    if (before && before.label !== this.row.label) {
      this.edited = undefined;
      this.shownBytes = SHOWN_BYTES;
    }
  }

  override render(): TemplateResult {
    const { row } = this;
    const found = this.list.read(row, 0, row.type === 'string' ? this.shownBytes : 0);
    const facts = found && `${row.type}, ${found.encoding}, ${found.memoryBytes.toLocaleString('en')} B of memory`;
    return html`
      <div class="head">
        <h3>${row.label.slice(0, 500)}</h3>
        <button class="button bare square" aria-label="Close the key" title="Close" @click=${() => this.dispatchEvent(new CustomEvent('close'))}>${icons.close}</button>
      </div>
      <p>${facts}</p>
      ${row.deadlineMs === null ? nothing : html`<p class="due">Expires in <span data-due=${row.deadlineMs}></span>, at ${instantText(row.deadlineMs)}</p>`}
      ${found?.type === 'string' ? this.renderString(found.value) : this.renderElements()}
      ${this.edited ? this.renderForm(this.edited) : nothing}
      ${this.workspace && !this.edited ? this.renderActions(this.workspace) : nothing}
    `;
  }

  private renderString(value: Uint8Array): TemplateResult {
    const { row } = this;
    const count = row.size <= SKETCH_BYTES ? this.sketchedCount() : undefined;
    const isShort = this.workspace && row.size <= EDITED_MAX_BYTES;
    return html`
      ${count === undefined ? nothing : html`<p>A HyperLogLog of about ${count.toLocaleString('en')} distinct elements.</p>`}
      <kl-value-text .bytes=${value} .size=${row.size} @more=${() => (this.shownBytes *= 16)}></kl-value-text>
      ${isShort && !this.edited ? html`<div class="row"><button class="button" @click=${this.editString}>Edit the value</button></div>` : nothing}
    `;
  }

  private sketchedCount(): number | undefined {
    const found = this.list.read(this.row, 0, SKETCH_BYTES);
    return found?.type === 'string' ? sketchedCount(found.value) : undefined;
  }

  private renderElements(): TemplateResult {
    const { edited, row } = this;
    const index = edited && !edited.isNew ? (edited.index ?? -1) : -1;
    return html`
      <kl-value-table .row=${row} .list=${this.list} .time=${this.time} .chosen=${index} @choose=${this.chosen}></kl-value-table>
      ${this.workspace && !edited ? html`<div class="row"><button class="button" @click=${this.addElement}>${icons.plus} Add an element</button></div>` : nothing}
    `;
  }

  private renderForm(edited: Edited): TemplateResult {
    return html`<kl-key-form .row=${this.row} .edited=${edited} @act=${this.act} @cancel=${this.endEdit}></kl-key-form>`;
  }

  private renderActions(workspace: KeyCommands): TemplateResult {
    const { row } = this;
    return html`
      <form class="row actions" @submit=${this.expire}>
        <label for="seconds">Expire in</label>
        <input class="field" id="seconds" name="seconds" inputmode="numeric" pattern="\\d+" required value="30" />
        <label for="seconds">s</label>
        <button class="button" type="submit">Expire</button>
      </form>
      <div class="row">
        <button class="button" ?disabled=${row.deadlineMs === null} @click=${() => workspace.runForKeys('PERSIST', row.key)}>Persist</button>
        <button class="button" @click=${() => workspace.runForKeys('DEL', row.key)}>Delete</button>
      </div>
    `;
  }

  private expire(event: SubmitEvent): void {
    event.preventDefault();
    const seconds = new FormData(event.target as HTMLFormElement).get('seconds');
    this.workspace?.runForKeys('EXPIRE', this.row.key, String(seconds));
  }

  private editString(): void {
    const found = this.list.read(this.row, 0, EDITED_MAX_BYTES);
    if (found?.type === 'string')
      this.edited = { name: NOTHING, value: found.value, isNew: false, mortal: this.row.deadlineMs !== null };
  }

  private addElement(): void {
    this.edited = { name: NOTHING, value: NOTHING, isNew: true, mortal: false };
  }

  private chosen(event: CustomEvent<{ index: number; element: Element | undefined }>): void {
    const { index, element } = event.detail;
    if (!element || !this.workspace) return;
    const { name, value, deadlineMs } = element;
    this.edited = { index, name, value, isNew: false, mortal: deadlineMs !== null };
  }

  private act(event: CustomEvent<readonly Word[]>): void {
    this.workspace?.runForKeys(...event.detail);
    this.endEdit();
  }

  /** Closes the form; the focus returns to the value. */
  private endEdit(): void {
    this.edited = undefined;
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('.row > .button')?.focus());
  }
}

function instantText(ms: number): string {
  return `${isoText(ms).replace('T', ' ').replace('Z', '')} UTC`;
}

customElements.define('kl-key-detail', KeyDetail);
