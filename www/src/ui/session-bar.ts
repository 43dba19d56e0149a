/** Actions on a session as a whole: choose one, start a new one, run, undo, copy, save, share, continue. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Playground } from '../model/playground.ts';
import { fileOf, linkTo, LONG_LINK_CHARS, saveFile } from '../model/sharing.ts';
import { controls } from '../style/controls.ts';
import type { Change } from '../text/paste-filter.ts';
import { asHtml, asMarkdown, asScript } from '../text/exports.ts';
import { OPEN_FILE } from './drop-area.ts';
import { icons } from './icons.ts';
import './menu.ts';
import type { MenuAction } from './menu.ts';
import './session-picker.ts';
import { watch } from './watch.ts';

const SAID_MS = 6000;
/** Number of changes that are listed. */
const MAX_CHANGES = 200;

export class SessionBar extends LitElement {
  static override properties = { playground: { attribute: false }, said: { state: true }, tooLong: { state: true } };
  declare playground: Playground;
  declare private said: string;
  /** True after a link was asked for that would be too long. */
  declare private tooLong: boolean;
  private timer: ReturnType<typeof setTimeout> | undefined;

  static override styles = [
    controls,
    css`
      :host {
        min-width: 0;
      }
      .notice.row {
        align-items: start;
      }
      .notice summary {
        min-height: var(--target);
        align-content: center;
        cursor: pointer;
      }
      .notice {
        padding-block-start: var(--gap-2);
        color: var(--ink-soft);
        font-size: var(--text-2);
      }
      .changes {
        max-height: 40dvh;
        overflow-y: auto;
        padding-block: var(--gap-2);
      }
      .changes dd {
        display: grid;
        padding-block-end: var(--gap-2);
        color: var(--ink);
        font: var(--text-engine) / var(--even) var(--engine);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      del {
        color: var(--rust);
      }
      ins {
        color: var(--verdigris);
        text-decoration: none;
      }
      .said {
        color: var(--verdigris);
        font-size: var(--text-2);
      }
      @media (max-width: 44rem) {
        .push {
          margin: 0;
        }
      }
    `,
  ];

  constructor() {
    super();
    this.said = '';
    this.tooLong = false;
    watch(this, () => this.playground.sessionEditor.changes, ['session']);
    watch(this, () => this.playground.store.changes, ['problem']);
  }

  override render(): TemplateResult {
    const { sessionEditor } = this.playground;
    return html`<div class="row" role="toolbar" aria-label="Session">
      <kl-session-picker .sessionEditor=${sessionEditor}></kl-session-picker>
      <a class="button" href="#new">${icons.plus} New</a>
      <button class="button main" @click=${() => this.dispatchEvent(new CustomEvent('run'))}>Run all</button>
      <button class="button bare square" aria-label="Undo" title="Undo (Ctrl+Z)" ?disabled=${!sessionEditor.canUndo} @click=${() => sessionEditor.undo()}>${icons.undo}</button>
      <button class="button bare square" aria-label="Redo" title="Redo (Ctrl+Shift+Z)" ?disabled=${!sessionEditor.canRedo} @click=${() => sessionEditor.redo()}>${icons.redo}</button>
      <span class="said" role="status">${this.said}</span>
      ${this.tooLong ? html`<button class="button" @click=${this.save}>Save as a file</button>` : nothing}
      <div class="row push">
        ${this.renderOwnActions()}
        <button class="button" ?disabled=${!sessionEditor.report} title="Write the received replies into the text" @click=${() => this.playground.fillInReplies()}>Fill in replies</button>
        <button class="button" ?disabled=${!sessionEditor.report} title="Continue from this step in the command line, with the clock stopped" @click=${() => this.playground.continueInLine()}>Continue in the command line</button>
        <kl-menu label="Copy" .actions=${this.copies()}></kl-menu>
        <button class="button" @click=${this.share}>${icons.share} Share</button>
      </div>
    </div>
    ${this.renderNotice()}`;
  }

  /** Message about a change that the page made, and about storage that fails. */
  private renderNotice(): TemplateResult | typeof nothing {
    const { notice, pasteChanges } = this.playground.sessionEditor;
    const { problem } = this.playground.store;
    if (pasteChanges.length > 0) return this.renderPaste(pasteChanges);
    if (!notice && !problem) return nothing;
    return html`<p class="notice" role="status">${notice} ${problem ?? ''}</p>`;
  }

  private renderPaste(changes: readonly Change[]): TemplateResult {
    const count = changes.length === 1 ? '1 line' : `${changes.length} lines`;
    const said = `The pasted text was rewritten as a session: ${count} changed`;
    return html`<p class="unseen" role="status">${said}</p>
    <div class="notice row">
      <details>
        <summary>${said}</summary>
        <dl class="changes">
          ${changes.slice(0, MAX_CHANGES).map(
            ({ line, was, now, why }) => html`<dt>Line ${line}: ${why}</dt>
              <dd><del>${was}</del>${now ? html`<ins>${now}</ins>` : nothing}</dd>`,
          )}
        </dl>
      </details>
      <button class="button" @click=${() => this.playground.sessionEditor.keepAsPasted()}>Keep as pasted</button>
    </div>`;
  }

  private renderOwnActions(): TemplateResult | typeof nothing {
    const { sessionEditor } = this.playground;
    if (sessionEditor.shown.id === undefined) return nothing;
    return html`${sessionEditor.copiedLesson ? html`<button class="button" title="Show the lesson as it was; your copy is kept" @click=${() => void sessionEditor.resetLesson()}>Reset lesson</button>` : nothing}
      <button class="button" @click=${() => sessionEditor.discard()}>Delete</button>`;
  }

  private copies(): MenuAction[] {
    const { sessionEditor } = this.playground;
    const { shown, report, notebook } = sessionEditor;
    const title = notebook.titleOf(shown);
    const copy = (what: string, text: () => string | Promise<string>) => ({
      label: `Copy ${what}`,
      act: () => void this.copy(text, `Copied ${what}`),
    });
    return [
      copy('the text', () => shown.text),
      copy('as Markdown', async () => asMarkdown(title, shown.text, await this.link())),
      copy('as HTML', async () => asHtml(title, shown.text, await this.link())),
      ...(report ? [copy('as a redis-cli script', () => asScript(title, report.steps))] : []),
      { label: 'Save as a file', act: () => this.save() },
      { label: 'Open a file…', act: () => dispatchEvent(new CustomEvent(OPEN_FILE)) },
    ];
  }

  private link(): Promise<string | undefined> {
    const { sessionEditor, theme } = this.playground;
    const { at, stops, lesson, shown } = sessionEditor;
    const chosen = theme.current === 'auto' ? undefined : theme.current;
    return linkTo(shown, lesson, { step: at === stops.length ? undefined : at, theme: chosen });
  }

  /** Writes the session into the page's address and copies the address to the clipboard. */
  private async share(): Promise<void> {
    const link = await this.link();
    this.tooLong = link === undefined;
    if (link === undefined) return this.say('This session is too long for a link, which programs would cut short.');
    const long = link.length > LONG_LINK_CHARS ? '; it is long, some programs may truncate it' : '';
    await this.copy(() => link, `Link copied${long}`);
  }

  private save(): void {
    const { name, content } = fileOf(this.playground.sessionEditor.shown);
    saveFile(name, content);
    this.tooLong = false;
    this.say(`Saved as ${name}`);
  }

  private async copy(text: () => string | Promise<string>, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(await text());
      this.say(done);
    } catch {
      this.say('The browser denied access to the clipboard');
    }
  }

  private say(text: string): void {
    this.said = text;
    clearTimeout(this.timer);
    if (!this.tooLong) this.timer = setTimeout(() => (this.said = ''), SAID_MS);
  }
}

customElements.define('kl-session-bar', SessionBar);
