/** Button of the command line that copies a link to what was typed, with the keys it started from. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Playground } from '../model/playground.ts';
import { fileOf, linkTo, saveFile } from '../model/sharing.ts';
import { controls } from '../style/controls.ts';
import { icons } from './icons.ts';
import { watch } from './watch.ts';

const SAID_MS = 6000;

export class ShareLine extends LitElement {
  static override properties = { playground: { attribute: false }, said: { state: true }, tooLong: { state: true } };
  declare playground: Playground;
  declare private said: string;
  declare private tooLong: boolean;
  private timer: ReturnType<typeof setTimeout> | undefined;

  static override styles = [
    controls,
    css`
      :host {
        display: contents;
      }
      .said {
        color: var(--verdigris);
        font-size: var(--text-2);
      }
    `,
  ];

  constructor() {
    super();
    this.said = '';
    this.tooLong = false;
    watch(this, () => this.playground.workspace.changes, ['log']);
  }

  override render(): TemplateResult {
    const { isFresh } = this.playground.workspace;
    return html`<span class="said" role="status">${this.said}</span>
      ${this.tooLong ? html`<button class="button" @click=${this.save}>Save as a file</button>` : nothing}
      <button class="button" ?disabled=${isFresh} title="Copy a link that continues from here" @click=${this.share}>${icons.share} Share</button>`;
  }

  private async share(): Promise<void> {
    const { theme } = this.playground;
    const shown = { view: 'line', theme: theme.current === 'auto' ? undefined : theme.current } as const;
    const link = await linkTo(this.playground.recordedSource(), undefined, shown);
    this.tooLong = link === undefined;
    if (link === undefined) return this.say('Too long for a link, which programs would cut short.');
    try {
      await navigator.clipboard.writeText(link);
      this.say('Link copied');
    } catch {
      this.say('The browser denied access to the clipboard');
    }
  }

  private save(): void {
    const { name, content } = fileOf(this.playground.recordedSource());
    saveFile(name, content);
    this.tooLong = false;
    this.say(`Saved as ${name}`);
  }

  private say(text: string): void {
    this.said = text;
    clearTimeout(this.timer);
    if (!this.tooLong) this.timer = setTimeout(() => (this.said = ''), SAID_MS);
  }
}

customElements.define('kl-share-line', ShareLine);
