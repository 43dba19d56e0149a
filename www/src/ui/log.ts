/** Log of the command line: commands, replies and notes. Plain text that can be selected and read out. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { CommandEntry, LogEntry } from '../model/log.ts';
import type { Workspace } from '../model/workspace.ts';
import { controls, lanes } from '../style/controls.ts';
import './command-card.ts';
import { icons } from './icons.ts';
import { printedLines, printedStyles } from './printed.ts';
import { commandLine, commandLineStyles } from './command-line.ts';
import { vars } from './vars.ts';
import { watch } from './watch.ts';

/** Distance in pixels that counts as scrolled to the end. */
const END_PX = 48;

export class LogPanel extends LitElement {
  static override properties = { workspace: { attribute: false }, columns: { type: Boolean } };
  declare workspace: Workspace;
  declare columns: boolean;
  private atEnd = true;

  static override styles = [
    controls,
    lanes,
    printedStyles,
    commandLineStyles,
    css`
      :host {
        display: flex;
        flex-direction: column;
        min-height: 0;
      }
      .scroll {
        flex: 1;
        min-height: 0;
        overflow-y: auto;
        overscroll-behavior: contain;
        padding: var(--gap-4) var(--gap-5);
      }
      .scroll:focus-visible {
        outline-offset: -3px;
      }
      .entries {
        display: grid;
        gap: var(--gap-3) var(--gap-5);
      }
      .entries > * {
        min-width: 0;
        content-visibility: auto;
        contain-intrinsic-block-size: auto 3rem;
      }
      .command {
        padding-inline-start: var(--gap-3);
        border-inline-start: 2px solid var(--lane);
      }
      .note {
        display: flex;
        align-items: center;
        gap: var(--gap-3);
        color: var(--brass);
        font-size: var(--text-1);
      }
      .note::after {
        content: "";
        flex: 1;
        border-block-start: 1px solid var(--line);
      }
      .columns {
        grid-template-columns: repeat(var(--count), minmax(12rem, 1fr));
        align-items: start;
      }
      .columns > .command {
        grid-column: var(--column);
      }
      .columns > :not(.command) {
        grid-column: 1 / -1;
      }
      .scroll:has(.welcome) {
        display: flex;
        flex-direction: column;
      }
      .welcome {
        display: grid;
        gap: var(--gap-4);
        max-width: 36rem;
        margin: auto;
        padding: var(--gap-5) 0;
      }
      .welcome h2 {
        font-size: var(--text-5);
        font-weight: 600;
        letter-spacing: -0.02em;
        line-height: var(--tight);
        text-wrap: balance;
      }
      .welcome p {
        color: var(--ink-soft);
        line-height: var(--loose);
      }
      .welcome ol {
        display: grid;
        gap: var(--gap-1);
        justify-items: start;
      }
      .welcome li {
        font-size: var(--text-2);
        line-height: var(--loose);
      }
      .welcome li.faint {
        padding-inline-start: calc(var(--gap-3) + 1.25rem);
      }
      .welcome a {
        color: var(--verdigris);
        text-underline-offset: 0.2em;
      }
      .next {
        padding-block-start: var(--gap-4);
      }
      .try {
        max-width: 100%;
        padding-block: var(--gap-1);
        border-color: transparent;
        background: var(--verdigris-wash);
        color: var(--verdigris);
        font-family: var(--engine);
        line-height: var(--even);
        white-space: normal;
        text-align: start;
      }
      .try svg {
        width: 0.75rem;
        height: 0.75rem;
      }
      @media (max-width: 44rem) {
        .scroll {
          padding: var(--gap-3);
        }
      }
    `,
  ];

  constructor() {
    super();
    this.columns = false;
    watch(this, () => this.workspace.changes, ['log']);
  }

  override render(): TemplateResult {
    const { entries } = this.workspace.log;
    const layout = this.columns ? 'entries columns' : 'entries';
    return html`
      <div class="scroll" role="log" aria-label="Commands and replies" tabindex="0" @scroll=${this.scrolled}>
        ${entries.length === 0 ? this.renderWelcome() : ''}
        <div class=${layout} ${vars({ count: this.workspace.clients.length })}>
          ${repeat(
            entries,
            (entry) => entry.id,
            (entry) => this.renderEntry(entry),
          )}
        </div>
        ${this.renderNextStep()}
      </div>
    `;
  }

  private renderEntry(entry: LogEntry): TemplateResult {
    switch (entry.kind) {
      case 'command':
        return this.renderCommand(entry);
      case 'note':
        return html`<p class="note">${entry.text}</p>`;
      case 'card':
        return html`<kl-command-card .row=${entry.row}></kl-command-card>`;
    }
  }

  private renderCommand(entry: CommandEntry): TemplateResult {
    const column = this.workspace.clients.findIndex((client) => client.lane === entry.lane) + 1;
    return html`<div class="command" data-lane=${entry.lane} ${vars({ column: column || '1 / -1' })}>
      <p class="command-line">${commandLine(entry.prompt, entry.text)}</p>
      <pre class="reply">${entry.printed.length > 0 ? printedLines(entry.printed) : html`<span class="faint">no reply yet</span>`}</pre>
    </div>`;
  }

  private renderWelcome(): TemplateResult {
    const [first, ...later] = this.workspace.tour.steps;
    return html`<div class="welcome">
      <h2>A key-value engine is running in this tab.</h2>
      <p>
        It runs Redis commands. Nothing you type leaves the page, the clock can be stopped, and several clients can compete for
        the same keys. Here is a lock that expires:
      </p>
      <ol>
        <li>${this.renderTry(first ?? '')}</li>
        ${later.map((text) => html`<li class="engine faint">${text}</li>`)}
      </ol>
      <p>
        Or <a href="#lesson=01-setnx-basics">read a lesson</a>, <a href="#new">paste a transcript</a> to have it
        checked, or <a href="#commands">see all commands</a>.
      </p>
    </div>`;
  }

  private renderNextStep(): TemplateResult | typeof nothing {
    const { next } = this.workspace.tour;
    return next === undefined ? nothing : html`<p class="next">${this.renderTry(next)}</p>`;
  }

  private renderTry(text: string): TemplateResult {
    return html`<button class="button try" @click=${() => this.workspace.runLine(text)}>${icons.play}${text}</button>`;
  }

  /** Keeps the newest entry in view while the log grows, unless the reader has scrolled up. */
  override firstUpdated(): void {
    const scroll = this.scroller;
    const entries = this.renderRoot.querySelector('.entries');
    if (!scroll || !entries) return;
    const observer = new ResizeObserver(() => this.stick());
    observer.observe(scroll);
    observer.observe(entries);
  }

  private get scroller(): Element | null {
    return this.renderRoot.querySelector('.scroll');
  }

  private scrolled(): void {
    const scroll = this.scroller;
    if (scroll) this.atEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < END_PX;
  }

  private stick(): void {
    const scroll = this.scroller;
    if (scroll && this.atEnd && this.workspace.log.entries.length > 0) scroll.scrollTop = scroll.scrollHeight;
  }
}

customElements.define('kl-log', LogPanel);
