/**
 * Editor of a session's text: a plain textarea, with its lines drawn over it in colours and with numbers and verdicts
 * in the margin. A click on a number goes to that line; a key does it from the cursor's line.
 */

import type { SessionLine } from 'keylatch/hints';
import { html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { guard } from 'lit/directives/guard.js';
import { controls, lanes } from '../style/controls.ts';
import { linesOf } from '../text/session-lines.ts';
import { editorStyles } from './editor-styles.ts';

export type LineMark = 'matched' | 'mismatched' | 'ran' | 'problem';

const SIGNS: Readonly<Record<LineMark, string>> = { matched: '✓', mismatched: '✗', ran: '·', problem: '!' };
/** Lengths above which a text is shown without colours, because drawing them at each keystroke would be slow. */
const COLOURED_MAX_CHARS = 64 * 1024;
const COLOURED_MAX_LINES = 1000;

export class Editor extends LitElement {
  static override properties = {
    text: { attribute: false },
    marks: { attribute: false },
    laneNames: { attribute: false },
    currentLine: { type: Number },
    nextLine: { type: Number },
    covers: { type: Boolean, reflect: true },
  };
  static override styles = [controls, lanes, editorStyles];
  declare text: string;
  declare marks: ReadonlyMap<number, LineMark>;
  declare laneNames: readonly string[];
  declare currentLine: number;
  /** The line of the first step that has not run; infinite when all have. */
  declare nextLine: number;
  /** True when the replies behind the current step are covered. */
  declare covers: boolean;
  private lines: readonly HTMLElement[] = [];
  private marked = { here: 0, next: 1 };

  override render(): TemplateResult {
    const coloured = this.text.length <= COLOURED_MAX_CHARS && this.text.split('\n').length <= COLOURED_MAX_LINES;
    const invalid = [...this.marks.values()].includes('problem');
    return html`<div class="paper ${coloured ? 'coloured' : ''}">
      <textarea
        aria-label="Session text"
        aria-keyshortcuts="Control+Enter Control+Shift+Enter"
        aria-invalid=${invalid ? 'true' : nothing}
        placeholder="Paste a transcript here, from documentation or a terminal:\n\n127.0.0.1:6379> SET door me NX\nOK\n\nReplies are checked line by line."
        spellcheck="false"
        autocapitalize="off"
        autocomplete="off"
        autocorrect="off"
        .value=${this.text}
        @input=${this.edited}
        @keydown=${this.pressed}
        @paste=${this.pasted}
      ></textarea>
      <div class="drawn" aria-hidden="true">${guard([this.text, this.marks, this.laneNames], () => this.renderLines(coloured))}</div>
    </div>`;
  }

  /** Independent of the current line: a move in time marks the lines between only. */
  private renderLines(coloured: boolean): unknown {
    return coloured ? linesOf(this.text).map((line, index) => this.renderLine(line, index + 1)) : nothing;
  }

  private renderLine({ kind, client, head, rest }: SessionLine, number: number): TemplateResult {
    const mark = this.marks.get(number);
    const lane = this.laneNames.indexOf(client) + 1;
    const sign = mark && mark !== 'ran' ? SIGNS[mark] : number;
    // No blanks between the tags: the lines keep theirs.
    return html`<div class="line ${kind} ${mark ?? ''}" data-lane=${lane}><span class="number" @click=${() => this.goTo(number)}>${sign}</span><span class="head">${head}</span><span class="rest">${rest}</span>\u200b</div>`;
  }

  private get area(): HTMLTextAreaElement | null {
    return this.renderRoot.querySelector('textarea');
  }

  override updated(changed: PropertyValues): void {
    const { area } = this;
    if (changed.has('text') && area && area.value !== this.text) area.value = this.text;
    const isNew = changed.has('text') || changed.has('marks') || changed.has('laneNames');
    if (isNew) this.lines = [...this.renderRoot.querySelectorAll<HTMLElement>('.line')];
    this.markLines(isNew);
  }

  /** Marks the current line and those of later steps: all of them, or those that changed since the last time. */
  private markLines(isNew: boolean): void {
    const { currentLine, nextLine, lines } = this;
    const last = lines.length + 1;
    const [one, other] = isNew ? [1, last] : [Math.min(this.marked.next, last), Math.min(nextLine, last)];
    for (const [offset, line] of lines.slice(Math.min(one, other) - 1, Math.max(one, other) - 1).entries())
      line.classList.toggle('later', Math.min(one, other) + offset >= nextLine);
    if (isNew) for (const line of lines) line.classList.remove('here');
    lines[this.marked.here - 1]?.classList.remove('here');
    lines[currentLine - 1]?.classList.add('here');
    this.marked = { here: currentLine, next: nextLine };
  }

  private edited(): void {
    this.dispatchEvent(new CustomEvent('edit', { detail: this.area?.value ?? '' }));
  }

  private pressed(event: KeyboardEvent): void {
    this.pressedUndo(event);
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (event.shiftKey) this.goTo(this.caretLine);
    else this.dispatchEvent(new CustomEvent('run'));
  }

  /** Offers pasted text to the model, which may rewrite it; else the browser inserts it. */
  private pasted(event: ClipboardEvent): void {
    const { area } = this;
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!area) return;
    const detail = { text, start: area.selectionStart, end: area.selectionEnd };
    const taken = !this.dispatchEvent(new CustomEvent('pasted', { detail, cancelable: true }));
    if (taken) event.preventDefault();
  }

  /** Undo and redo of the model: the browser's own would not cover what buttons have changed. */
  private pressedUndo(event: KeyboardEvent): void {
    if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
    const key = event.key.toLowerCase();
    const action = key === 'z' ? (event.shiftKey ? 'redo' : 'undo') : key === 'y' ? 'redo' : undefined;
    if (!action) return;
    event.preventDefault();
    this.dispatchEvent(new CustomEvent(action));
  }

  private get caretLine(): number {
    const { area } = this;
    return area ? area.value.slice(0, area.selectionStart).split('\n').length : 1;
  }

  private goTo(line: number): void {
    this.dispatchEvent(new CustomEvent('line', { detail: line }));
  }
}

customElements.define('kl-editor', Editor);
