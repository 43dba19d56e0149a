/** Actions on a session as a whole: choose a lesson, start a new one, run, fill in replies, copy, share, continue. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { lessons } from '../model/lessons.ts';
import type { Playground } from '../model/playground.ts';
import { encodeShare } from '../model/share.ts';
import { controls } from '../style/controls.ts';
import { icons } from './icons.ts';
import { watch } from './watch.ts';

/** Length in characters above which chat programs and mail truncate links. */
const LONG_LINK_CHARS = 8 * 1024;
const SAID_MS = 4000;
/** Option value of the visitor's own text among the lessons. */
const OWN = 'own';

export class SessionBar extends LitElement {
  static override properties = { playground: { attribute: false }, said: { state: true } };
  declare playground: Playground;
  declare private said: string;
  private timer: ReturnType<typeof setTimeout> | undefined;

  static override styles = [
    controls,
    css`
      :host {
        min-width: 0;
      }
      label {
        color: var(--ink-soft);
        font-size: var(--text-2);
      }
      select {
        min-width: 0;
        max-width: min(24rem, 100%);
        flex: 0 1 24rem;
        text-overflow: ellipsis;
      }
      .said {
        color: var(--verdigris);
        font-size: var(--text-2);
      }
      @media (max-width: 44rem) {
        select {
          flex: 1 1 100%;
          max-width: 100%;
        }
        .push {
          margin: 0;
        }
      }
    `,
  ];

  constructor() {
    super();
    this.said = '';
    watch(this, () => this.playground.sessionEditor.changes, ['session']);
  }

  override render(): TemplateResult {
    const { sessionEditor } = this.playground;
    return html`<div class="row" role="toolbar" aria-label="Session">
      <label for="lesson" class="unseen">Lesson</label>
      <select class="field" id="lesson" @change=${this.chosen}>
        <option value="" ?selected=${sessionEditor.lesson === undefined}>Select one of ${lessons.length} lessons</option>
        ${sessionEditor.own && sessionEditor.own !== sessionEditor.text ? html`<option value=${OWN}>Your session</option>` : nothing}
        ${lessons.map((lesson, index) => html`<option value=${lesson.name} ?selected=${sessionEditor.lesson === lesson.name}>${index + 1}. ${lesson.title}</option>`)}
      </select>
      <a class="button" href="#new">${icons.plus} New</a>
      <button class="button main" @click=${() => this.dispatchEvent(new CustomEvent('run'))}>Run all</button>
      <span class="said" role="status">${this.said}</span>
      <div class="row push">
        <button class="button bare" ?disabled=${!sessionEditor.report} title="Write the received replies into the text" @click=${() => this.playground.fillInReplies()}>Fill in replies</button>
        <button class="button bare" ?disabled=${!sessionEditor.report} title="Continue from this step in the command line, with the clock stopped" @click=${() => this.playground.continueInLine()}>Continue in the command line</button>
        <button class="button" @click=${this.copy}>${icons.copy} Copy</button>
        <button class="button" @click=${this.share}>${icons.share} Share</button>
      </div>
    </div>`;
  }

  private chosen(event: Event): void {
    const { value } = event.target as HTMLSelectElement;
    if (value) location.hash = value === OWN ? OWN : `lesson=${value}`;
  }

  private async copy(): Promise<void> {
    await this.toClipboard(this.playground.sessionEditor.text, 'Text copied');
  }

  /** Writes the session into the page's address and copies the address to the clipboard. */
  private async share(): Promise<void> {
    const { sessionEditor } = this.playground;
    const hash = sessionEditor.lesson ? `lesson=${sessionEditor.lesson}` : await encodeShare(sessionEditor.text);
    history.replaceState(null, '', `#${hash}`);
    const long = location.href.length > LONG_LINK_CHARS ? '; it is long, some programs may truncate it' : '';
    await this.toClipboard(location.href, `Link copied${long}`);
  }

  private async toClipboard(text: string, done: string): Promise<void> {
    try {
      await navigator.clipboard.writeText(text);
      this.say(done);
    } catch {
      this.say('The browser denied access to the clipboard');
    }
  }

  private say(text: string): void {
    this.said = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => (this.said = ''), SAID_MS);
  }
}

customElements.define('kl-session-bar', SessionBar);
