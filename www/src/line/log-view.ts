/** Log of the command line: commands, replies and notes. Plain text that can be selected and read out. */

import { html, LitElement, nothing, type TemplateResult } from 'lit';
import { repeat } from 'lit/directives/repeat.js';
import type { CommandEntry, LogEntry } from './log.ts';
import type { Workspace } from './workspace.ts';
import { controls, lanes } from '../style/controls.ts';
import { readable } from '../text/output.ts';
import '../commands/command-card.ts';
import { icons } from '../parts/icons.ts';
import { logStyles } from './log-styles.ts';
import { isLoaded } from '../parts/on-demand.ts';
import { outputStyles, renderOutput, WholeOutputs } from '../parts/output.ts';
import { printedStyles } from '../parts/printed.ts';
import { commandLine, commandLineStyles } from '../parts/command-line.ts';
import { vars } from '../parts/vars.ts';
import { watch } from '../parts/watch.ts';

/** Distance in pixels that counts as scrolled to the end. */
const END_PX = 48;
/** Entries on the page, and those that a button adds. */
const PART_ENTRIES = 200;
/** Characters of a typed command that are shown at first. */
const TYPED_CHARS = 600;

export class LogPanel extends LitElement {
  static override properties = {
    workspace: { attribute: false },
    columns: { type: Boolean },
    utf8: { type: Boolean },
    resp: { type: Number },
  };
  declare workspace: Workspace;
  declare columns: boolean;
  /** True when bytes that are UTF-8 are shown as text. */
  declare utf8: boolean;
  /** Protocol in which the bytes of requests and replies are shown; 0: they are not. */
  declare resp: 0 | 2 | 3;
  private atEnd = true;
  private top = 0;
  /** Id of the newest entry that was on the screen, and the number of newer ones. */
  private seen = 0;
  private missed = 0;
  /** Number of entries on the page. */
  private shown = PART_ENTRIES;
  private readonly whole = new WholeOutputs(this);

  static override styles = [controls, lanes, printedStyles, commandLineStyles, outputStyles, logStyles];

  constructor() {
    super();
    this.columns = this.utf8 = false;
    this.resp = 0;
    watch(this, () => this.workspace.changes, ['log']);
  }

  override render(): TemplateResult {
    const { entries } = this.workspace.log;
    const layout = this.columns ? 'entries columns' : 'entries';
    const earlier = Math.max(entries.length - this.shown, 0);
    return html`
      <div class="scroll" role="log" aria-label="Commands and replies" tabindex="0" @scroll=${this.scrolled}>
        ${entries.length === 0 ? this.renderWelcome() : ''}
        ${earlier > 0 ? this.renderEarlier(earlier) : nothing}
        <div class=${layout} ${vars({ count: this.workspace.clients.length })}>
          ${repeat(
            entries.slice(earlier),
            (entry) => entry.id,
            (entry, index) => this.renderEntry(entry, index + 1),
          )}
        </div>
        ${this.renderNextStep()}
      </div>
      ${this.missed > 0 ? html`<button class="button missed" @click=${this.toEnd}>${this.missed === 1 ? '1 new line' : `${this.missed} new lines`} ${icons.down}</button>` : nothing}
    `;
  }

  /** Only the last entries are on the page; the others come when they are asked for. */
  private renderEarlier(earlier: number): TemplateResult {
    return html`<p class="earlier"><button class="button" @click=${this.showEarlier}>Show ${Math.min(earlier, PART_ENTRIES)} of ${earlier} earlier lines</button></p>`;
  }

  private renderEntry(entry: LogEntry, row: number): TemplateResult {
    switch (entry.kind) {
      case 'command':
        return this.renderCommand(entry, row);
      case 'note':
        return html`<p class="note" ${vars({ row })}>${entry.text}</p>`;
      case 'card':
        return html`<kl-command-card .row=${entry.row} ${vars({ row })}></kl-command-card>`;
    }
  }

  private renderCommand(entry: CommandEntry, row: number): TemplateResult {
    const column = this.workspace.clients.findIndex((client) => client.lane === entry.lane) + 1;
    const lines = entry.raw ?? entry.printed;
    return html`<div class="command" data-lane=${entry.lane} ${vars({ column: column || '1 / -1', row })}>
      ${this.renderTyped(entry)}
      ${this.renderBytes(entry) ?? (lines.length > 0 ? renderOutput(this.utf8 ? lines.map(readable) : lines, `reply ${entry.id}`, this.whole) : html`<pre class="reply"><span class="faint">no reply yet</span></pre>`)}
      ${this.renderWhy(entry)}
    </div>`;
  }

  /** The bytes in place of the printed reply, which is part of their view. */
  private renderBytes(entry: CommandEntry): TemplateResult | undefined {
    if (this.resp === 0 || !isLoaded(this, 'kl-resp-view', () => import('../resp/resp-view.ts'))) return undefined;
    return html`<kl-resp-view .workspace=${this.workspace} .entry=${entry} .protocol=${this.resp}></kl-resp-view>`;
  }

  /** Loads the explanations with the first reply that may need one. */
  private renderWhy(entry: CommandEntry): TemplateResult | typeof nothing {
    if (!entry.circumstances) return nothing;
    if (!isLoaded(this, 'kl-why', () => import('../why/why.ts'))) return nothing;
    return html`<kl-why .entry=${entry} @draft=${(event: CustomEvent<string>) => this.useDraft(event.detail)}></kl-why>`;
  }

  private useDraft(text: string): void {
    this.workspace.offerLine(text);
    this.dispatchEvent(new CustomEvent('read'));
  }

  private renderTyped({ id, prompt, text }: CommandEntry): TemplateResult {
    if (text.length <= TYPED_CHARS) return html`<p class="command-line">${commandLine(prompt, text)}</p>`;
    const key = `typed ${id}`;
    const isOpen = this.whole.has(key);
    return html`<p class="command-line">${commandLine(prompt, `${text.slice(0, TYPED_CHARS)}…`)}</p>
      ${isOpen ? html`<kl-long-text .lines=${text.split('\n')}></kl-long-text>` : nothing}
      <p class="cut">${isOpen ? '' : 'the beginning of '}${text.length.toLocaleString('en')} characters <button class="button" @click=${() => this.whole.toggle(key)}>${isOpen ? 'Show less' : 'Show all'}</button></p>`;
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
    const { next, isOver } = this.workspace.tour;
    if (isOver)
      return html`<p class="next">The lock has ended by itself, and the next client has it. See what goes wrong without a deadline:
        <a href="#lesson=03-crashed-holder">A holder crashes, and all others wait for ever</a>, or <a href="#lessons">all lessons</a>.</p>`;
    // The welcome of an empty log has the first step.
    return next === undefined || this.workspace.log.entries.length === 0
      ? nothing
      : html`<p class="next">${this.renderTry(next)}</p>`;
  }

  private renderTry(text: string): TemplateResult {
    return html`<button class="button try" @click=${() => this.workspace.runLine(text)}>${icons.play}${text}</button>`;
  }

  override willUpdate(): void {
    const last = this.workspace.log.entries.at(-1)?.id ?? 0;
    if (this.atEnd) this.seen = last;
    this.missed = Math.max(last - this.seen, 0);
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
    if (!scroll) return;
    const isAtEnd = scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < END_PX;
    // Entries that came since are no reason: only a move upwards is the reader's.
    if (isAtEnd || scroll.scrollTop < this.top) this.atEnd = isAtEnd;
    this.top = scroll.scrollTop;
    if (this.atEnd && this.missed > 0) this.requestUpdate();
  }

  private stick(): void {
    const scroll = this.scroller;
    if (scroll && this.atEnd && this.workspace.log.entries.length > 0) scroll.scrollTop = scroll.scrollHeight;
  }

  private toEnd(): void {
    this.atEnd = true;
    this.stick();
    this.requestUpdate();
    this.dispatchEvent(new CustomEvent('read'));
  }

  /** Shows earlier entries; what is in view stays where it is. */
  private async showEarlier(): Promise<void> {
    const scroll = this.scroller;
    const below = scroll ? scroll.scrollHeight - scroll.scrollTop : 0;
    this.shown += PART_ENTRIES;
    this.requestUpdate();
    await this.updateComplete;
    if (!scroll) return;
    scroll.scrollTop = scroll.scrollHeight - below;
    if (!this.renderRoot.querySelector('.earlier')) (scroll as HTMLElement).focus();
  }
}

customElements.define('kl-log', LogPanel);
