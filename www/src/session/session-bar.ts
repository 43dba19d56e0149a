/** Actions on a session as a whole: choose one, start a new one, run, undo, copy, save, share, continue. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { saveFile } from '../share/sharing.ts';
import { fileOf, linkTo, LONG_LINK_CHARS } from '../share/sharing.ts';
import { controls } from '../style/controls.ts';
import type { Change } from '../text/paste-filter.ts';
import { asEmbed, asHtml, asMarkdown, asScript } from '../share/exports.ts';
import { OPEN_FILE } from '../parts/drop-area.ts';
import { icons } from '../parts/icons.ts';
import { MediaMatch } from '../parts/media-match.ts';
import '../parts/menu.ts';
import type { MenuAction } from '../parts/menu.ts';
import { Notice } from '../parts/notice.ts';
import { SharedLink } from '../parts/shared-link.ts';
import type { SessionPage } from './session-page.ts';
import './session-picker.ts';
import { watch } from '../parts/watch.ts';

interface SessionAction extends MenuAction {
  readonly title?: string;
  readonly isOff?: boolean;
}

/** Number of changes that are listed. */
const MAX_CHANGES = 200;

export class SessionBar extends LitElement {
  static override properties = { playground: { attribute: false }, tooLong: { state: true } };
  declare playground: SessionPage;
  /** True after a link was asked for that would be too long. */
  declare private tooLong: boolean;
  private readonly notice = new Notice(this);
  private readonly shared = new SharedLink(this.notice);
  private readonly narrow = new MediaMatch(this, '(max-width: 44rem)');

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
    this.tooLong = false;
    watch(this, () => this.playground.sessionEditor.changes, ['session']);
  }

  override render(): TemplateResult {
    const { sessionEditor } = this.playground;
    const isNarrow = this.narrow.matches;
    return html`<div class="row" role="toolbar" aria-label="Session">
      <kl-session-picker .sessionEditor=${sessionEditor}></kl-session-picker>
      <a class="button" href="#new">${icons.plus} New</a>
      <button class="button main" @click=${() => this.dispatchEvent(new CustomEvent('run'))}>Run all</button>
      <button class="button bare square" aria-label="Undo" title="Undo (Ctrl+Z)" ?disabled=${!sessionEditor.canUndo} @click=${() => sessionEditor.undo()}>${icons.undo}</button>
      <button class="button bare square" aria-label="Redo" title="Redo (Ctrl+Shift+Z)" ?disabled=${!sessionEditor.canRedo} @click=${() => sessionEditor.redo()}>${icons.redo}</button>
      <span class="said" role="status">${this.notice.text}</span>
      ${this.shared.render()}
      ${this.tooLong ? html`<button class="button" @click=${this.save}>Save as a file</button>` : nothing}
      <div class="row push">
        ${isNarrow ? nothing : this.actions().map((action) => renderAction(action))}
        <kl-menu label=${isNarrow ? 'More' : 'Copy'} .actions=${this.menuActions()}></kl-menu>
        <button class="button" @click=${this.share}>${icons.share} Share</button>
      </div>
    </div>
    ${this.renderNotice()}`;
  }

  /** Message about a change that the page made. */
  private renderNotice(): TemplateResult | typeof nothing {
    const { notice, pasteChanges } = this.playground.sessionEditor;
    if (pasteChanges.length > 0) return this.renderPaste(pasteChanges);
    return notice ? html`<p class="notice" role="status">${notice}</p>` : nothing;
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

  /** Actions that are buttons where there is room, and else stand in the menu. */
  private actions(): SessionAction[] {
    const { sessionEditor } = this.playground;
    const isOff = !sessionEditor.report;
    return [
      ...this.ownActions(),
      {
        label: 'Fill in replies',
        title: 'Write the received replies into the text',
        isOff,
        act: () => sessionEditor.fillInReplies(),
      },
      {
        label: 'Continue in the command line',
        title: 'Continue from this step in the command line, with the clock stopped',
        isOff,
        act: () => this.playground.continueInLine(),
      },
    ];
  }

  private ownActions(): SessionAction[] {
    const { sessionEditor } = this.playground;
    if (sessionEditor.shown.id === undefined) return [];
    const title = 'Show the lesson as it was; your copy is kept';
    const reset = { label: 'Reset lesson', title, act: () => void sessionEditor.resetLesson() };
    return [...(sessionEditor.copiedLesson ? [reset] : []), { label: 'Delete', act: () => sessionEditor.discard() }];
  }

  private menuActions(): MenuAction[] {
    const more = this.narrow.matches ? this.actions().filter(({ isOff }) => !isOff) : [];
    return [...more, ...this.copies()];
  }

  private copies(): MenuAction[] {
    const { sessionEditor } = this.playground;
    const { shown, report, notebook } = sessionEditor;
    const title = notebook.titleOf(shown);
    const copy = (what: string, text: () => string | Promise<string>) => ({
      label: `Copy ${what}`,
      act: () => void this.notice.copy(text(), `Copied ${what}`),
    });
    return [
      copy('the text', () => shown.text),
      copy('as Markdown', async () => asMarkdown(title, shown.text, await this.link())),
      copy('as HTML', async () => asHtml(title, shown.text, await this.link())),
      copy('for another page', async () => asEmbed(shown.text, embedScript(), shown.start && (await this.link()))),
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
    if (link === undefined) {
      this.notice.say('This session is too long for a link, which programs would cut short.', { stays: true });
      return;
    }
    const long = link.length > LONG_LINK_CHARS ? '; it is long, some programs may truncate it' : '';
    await this.shared.show(link, `Link copied${long}`);
  }

  private save(): void {
    const { name, content } = fileOf(this.playground.sessionEditor.shown);
    saveFile(name, content);
    this.tooLong = false;
    this.notice.say(`Saved as ${name}`);
  }
}

function renderAction({ label, title, isOff = false, act }: SessionAction): TemplateResult {
  return html`<button class="button" ?disabled=${isOff} title=${title ?? nothing} @click=${act}>${label}</button>`;
}

/** Address of the element that other pages include. */
function embedScript(): string {
  return new URL(`embed/${__VERSION__}/keylatch-repl.js`, location.href).href;
}

customElements.define('kl-session-bar', SessionBar);
