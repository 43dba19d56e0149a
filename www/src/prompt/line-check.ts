/**
 * Checks the line while it is typed: a word that fits nowhere is marked, with the reason below and what was probably
 * meant. A finished word is marked immediately, the one under the cursor when the typing pauses. The rules are loaded
 * with the first word.
 */

import type { LineFault } from 'keylatch/hints';
import { html, nothing, type ReactiveControllerHost, type TemplateResult } from 'lit';
import type { LineEditor } from './line-editor.ts';
import type { Explanation } from '../why/case.ts';

/** Time without a key after which a word that may be typed on counts as finished. */
const PAUSE_MS = 900;

type Rules = typeof import('../why/line-faults.ts');

export class LineCheck {
  /** The marked word. */
  fault: LineFault | undefined;
  private explanation: Explanation | undefined;
  private rules: Rules | undefined;
  private loading = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly host: ReactiveControllerHost) {}

  /** Follows a change of the line. */
  follow(editor: LineEditor): void {
    clearTimeout(this.timer);
    if (editor.mode === 'search' || editor.text.trim() === '') return this.show(undefined, '');
    const { rules } = this;
    if (!rules) return this.load(editor);
    const { text } = editor;
    const fault = rules.lineFault(text);
    // Which options exclude each other is known to the engine alone.
    const found = fault?.kind === 'repeated' ? undefined : fault;
    if (!found?.unfinished) return this.show(found, text);
    this.show(undefined, text);
    this.timer = setTimeout(() => this.show(found, text), PAUSE_MS);
  }

  /** The lines that were probably meant, the likeliest first. */
  get drafts(): readonly string[] {
    return this.explanation?.drafts ?? [];
  }

  /** The reason, and buttons that put another word in the place of the marked one. */
  render(use: (text: string) => void): TemplateResult {
    const { explanation } = this;
    return html`<div class="fault">
      <p role="status">${explanation?.text ?? ''}</p>
      ${this.drafts.length > 0 ? html`<kbd aria-hidden="true">Tab</kbd>` : nothing}
      ${this.drafts.map((draft) => html`<button class="button" @click=${() => use(draft)}>${draft}</button>`)}
    </div>`;
  }

  private load(editor: LineEditor): void {
    if (this.loading) return;
    this.loading = true;
    // Without a network the line is not checked; the next visit tries again.
    import('../why/line-faults.ts').then(
      (rules) => {
        this.rules = rules;
        this.follow(editor);
      },
      () => undefined,
    );
  }

  private show(fault: LineFault | undefined, text: string): void {
    const isSame = fault?.start === this.fault?.start && fault?.word === this.fault?.word;
    this.fault = fault;
    this.explanation = fault && this.rules?.faultSentence(fault, text);
    if (!isSame || fault) this.host.requestUpdate();
  }
}
