/** The command line view: client picker, log and prompt; beside them the clock and the keys. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { lessons } from '../lessons/lessons.ts';
import type { LookBack } from './look-back.ts';
import { controls } from '../style/controls.ts';
import '../clock/clock-panel.ts';
import { OPEN_FILE } from '../parts/drop-area.ts';
import { icons } from '../parts/icons.ts';
import '../keys/key-panel.ts';
import type { LinePage } from './line-page.ts';
import './log-view.ts';
import '../parts/menu.ts';
import type { MenuAction } from '../parts/menu.ts';
import '../prompt/prompt.ts';
import './share-line.ts';
import './client-picker.ts';
import { watch } from '../parts/watch.ts';

export class LineView extends LitElement {
  static override properties = {
    playground: { attribute: false },
    columns: { state: true },
    utf8: { state: true },
    past: { state: true },
    resp: { state: true },
  };
  declare playground: LinePage;
  declare private columns: boolean;
  declare private utf8: boolean;
  /** The earlier moment that is shown. */
  declare private past: LookBack | undefined;
  /** Protocol in which bytes are shown; 0: they are not. */
  declare private resp: 0 | 2 | 3;

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: var(--gap-4);
        padding: var(--gap-4);
      }
      .talk {
        display: flex;
        flex-direction: column;
        min-width: 0;
        min-height: min(36rem, 80dvh);
        overflow: clip;
      }
      .top {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--gap-1) var(--gap-3);
        padding: var(--gap-2) var(--gap-3);
        border-block-end: 1px solid var(--line);
      }
      .top .row {
        gap: var(--gap-1);
      }
      kl-log {
        flex: 1;
      }
      kl-prompt {
        flex: none;
      }
      aside {
        display: grid;
        align-content: start;
        gap: var(--gap-4);
        min-width: 0;
      }
      .lessons {
        overflow-y: auto;
        padding: var(--gap-3) 0;
      }
      .lessons h2 {
        padding: var(--gap-1) var(--gap-4) var(--gap-2);
      }
      .lessons ol {
        counter-reset: lesson;
      }
      .lessons a {
        display: grid;
        grid-template-columns: 1.75rem minmax(0, 1fr);
        align-items: baseline;
        padding: var(--gap-2) var(--gap-4);
        color: var(--ink);
        font-size: var(--text-2);
        line-height: var(--even);
        text-decoration: none;
      }
      .lessons a::before {
        counter-increment: lesson;
        content: counter(lesson);
        color: var(--ink-faint);
        font-variant-numeric: tabular-nums;
      }
      .lessons a:hover {
        background: var(--inset);
      }
      .lessons a:focus-visible {
        outline-offset: -3px;
      }
      @media (max-width: 44rem) {
        .columns {
          display: none;
        }
        :host {
          gap: var(--gap-2);
          padding: var(--gap-2);
        }
        kl-log {
          max-height: 70dvh;
        }
      }
      @media (min-width: 62rem) {
        :host {
          grid-template-columns: minmax(0, 1fr) minmax(20rem, 25rem);
          grid-template-rows: minmax(0, 1fr);
        }
        .talk {
          min-height: 0;
        }
        aside {
          grid-template-rows: auto minmax(0, 1fr);
          align-content: stretch;
          min-height: 0;
        }
        aside:has(.lessons) {
          grid-template-rows: auto auto minmax(0, 1fr);
        }
      }
    `,
  ];

  constructor() {
    super();
    this.columns = this.utf8 = false;
    this.resp = 0;
    watch(this, () => this.playground.workspace.changes, ['clients', 'log']);
  }

  override render(): TemplateResult {
    const { workspace } = this.playground;
    const several = workspace.clients.length > 1;
    const said = workspace.log.entries.length > 0;
    return html`
      <section class="talk plate" aria-label="Command line">
        <div class="top">
          <kl-client-picker .workspace=${workspace} @done=${this.focusPrompt}></kl-client-picker>
          <div class="row push">
            ${
              several
                ? html`<button class="button square columns" aria-label="Columns" title="A column for each client" aria-pressed=${this.columns} @click=${() => (this.columns = !this.columns)}>${icons.columns}</button>`
                : nothing
            }
            <button class="button" aria-pressed=${this.utf8} title="Show bytes that are UTF-8 as text" @click=${() => (this.utf8 = !this.utf8)}>UTF-8</button>
            <button class="button" aria-pressed=${this.past !== undefined} ?disabled=${!said && !this.past} title="Move through the commands so far" @click=${this.lookBack}>Look back</button>
            ${this.renderProtocols()}
            <kl-menu label="File" .actions=${this.fileActions()}></kl-menu>
            <kl-share-line .playground=${this.playground}></kl-share-line>
            <button class="button" ?disabled=${!said} title="Open the typed commands as a session that can be run, checked and shared" @click=${this.openAsSession}>Open as session</button>
            <button class="button bare square" ?disabled=${!said} aria-label="Clear the log" title="Clear the log" @click=${() => workspace.clearLog()}>${icons.clear}</button>
          </div>
        </div>
        ${this.past ? html`<kl-look-back .past=${this.past}></kl-look-back>` : html`<kl-log .workspace=${workspace} ?columns=${this.columns && several} ?utf8=${this.utf8} .resp=${this.resp} @read=${this.focusPrompt}></kl-log>`}
        <kl-prompt .workspace=${workspace} @keys=${this.showKeys} @takeover=${() => void this.playground.visit.takeOver()}></kl-prompt>
      </section>
      <aside aria-label="Clock and keys">
        ${this.past ? nothing : html`<kl-clock-panel .workspace=${workspace}></kl-clock-panel>`}
        ${this.renderKeys()}
        ${said || workspace.keys.count > 0 ? nothing : renderLessons()}
      </aside>
    `;
  }

  /** The keys of the moment that is shown; those of the past cannot be changed here. */
  private renderKeys(): TemplateResult {
    const { workspace } = this.playground;
    const { keys = workspace.keys, database = workspace.active.connection.db } = this.past?.model ?? {};
    const { time = workspace.clock } = this.past ?? {};
    return html`<kl-key-panel .list=${keys} .time=${time} .workspace=${this.past ? undefined : workspace} .database=${database}></kl-key-panel>`;
  }

  private async lookBack(): Promise<void> {
    const { workspace } = this.playground;
    const toPresent = (): void => {
      workspace.past = this.past = undefined;
    };
    if (this.past) return toPresent();
    const { lookBackAt } = await import('./look-back-panel.ts');
    const past = lookBackAt(this.playground);
    past.model.changes.on(['session'], () => this.requestUpdate());
    this.past = past;
    workspace.past = () => {
      toPresent();
      past.continueHere();
    };
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.playground.workspace.past = this.past = undefined;
  }

  /** The switch of the view of bytes, and of its protocol. */
  private renderProtocols(): TemplateResult {
    const choice = ([2, 3] as const).map(
      (protocol) =>
        html`<button aria-pressed=${this.resp === protocol} @click=${() => (this.resp = protocol)}>RESP${protocol}</button>`,
    );
    return html`<button class="button" aria-pressed=${this.resp !== 0} title="Show the bytes of requests and replies" @click=${() => (this.resp = this.resp === 0 ? 2 : 0)}>Bytes</button>
      ${this.resp === 0 ? nothing : html`<div class="choice" role="group" aria-label="Protocol of the bytes">${choice}</div>`}`;
  }

  private fileActions(): MenuAction[] {
    const { playground } = this;
    const { bringBack } = playground.visit;
    return [
      { label: 'Open a file…', act: () => dispatchEvent(new CustomEvent(OPEN_FILE)) },
      { label: 'Save keys as RDB', act: () => void playground.saveKeys('rdb') },
      { label: 'Save keys as append-only file', act: () => void playground.saveKeys('aof') },
      { label: 'Save keys as JSON', act: () => void playground.saveKeys('json') },
      ...(bringBack ? [{ label: 'Bring back what was replaced', act: bringBack }] : []),
    ];
  }

  private showKeys(): void {
    const panel = this.renderRoot.querySelector('kl-key-panel');
    panel?.scrollIntoView({ block: 'start' });
    panel?.focusPanel();
  }

  focusPrompt(): void {
    this.renderRoot.querySelector('kl-prompt')?.focusLine();
  }

  private openAsSession(): void {
    this.playground.openAsSession();
  }
}

/** Lessons for a first visitor, in the place of the keys. */
function renderLessons(): TemplateResult {
  return html`<section class="lessons plate" aria-labelledby="lessons">
    <h2 class="label" id="lessons">Lessons</h2>
    <ol>
      ${lessons.filter(({ kind }) => kind === 'lesson').map(({ name, title }) => html`<li><a href="#lesson=${name}">${title}</a></li>`)}
    </ol>
  </section>`;
}

customElements.define('kl-line-view', LineView);

declare global {
  interface HTMLElementTagNameMap {
    'kl-line-view': LineView;
  }
}
