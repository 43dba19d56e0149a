/** Button of the command line that copies a link to what was typed, with the keys it started from. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { saveFile } from '../share/sharing.ts';
import { fileOf, linkTo } from '../share/sharing.ts';
import { controls } from '../style/controls.ts';
import { icons } from '../parts/icons.ts';
import type { LinePage } from './line-page.ts';
import { Notice } from '../parts/notice.ts';
import { SharedLink } from '../parts/shared-link.ts';
import { watch } from '../parts/watch.ts';

export class ShareLine extends LitElement {
  static override properties = { playground: { attribute: false }, tooLong: { state: true } };
  declare playground: LinePage;
  declare private tooLong: boolean;
  private readonly notice = new Notice(this);
  private readonly link = new SharedLink(this.notice);

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
    this.tooLong = false;
    watch(this, () => this.playground.workspace.changes, ['log']);
  }

  override render(): TemplateResult {
    const { isFresh } = this.playground.workspace;
    return html`<span class="said" role="status">${this.notice.text}</span>
      ${this.link.render()}
      ${this.tooLong ? html`<button class="button" @click=${this.save}>Save as a file</button>` : nothing}
      <button class="button" ?disabled=${isFresh} title="Copy a link that continues from here" @click=${this.share}>${icons.share} Share</button>`;
  }

  private async share(): Promise<void> {
    const { theme } = this.playground;
    const shown = { view: 'line', theme: theme.current === 'auto' ? undefined : theme.current } as const;
    const link = await linkTo(this.playground.recordedSource(), undefined, shown);
    this.tooLong = link === undefined;
    if (link === undefined) this.notice.say('Too long for a link, which programs would cut short.', { stays: true });
    else await this.link.show(link, 'Link copied');
  }

  private save(): void {
    const { name, content } = fileOf(this.playground.recordedSource());
    saveFile(name, content);
    this.tooLong = false;
    this.notice.say(`Saved as ${name}`);
  }
}

customElements.define('kl-share-line', ShareLine);
