/** A link that was made, in a field from which it can be copied by hand, whatever the clipboard allows. */

import { html, nothing, type TemplateResult } from 'lit';
import type { Notice } from './notice.ts';

export class SharedLink {
  private link = '';

  constructor(private readonly notice: Notice) {}

  /** Shows the link, and copies it if the browser permits that. */
  async show(link: string, done: string): Promise<void> {
    this.link = link;
    await this.notice.copy(link, done);
  }

  render(): TemplateResult | typeof nothing {
    if (this.link === '') return nothing;
    return html`<input class="field link" readonly aria-label="Link" .value=${this.link} @focus=${selectAll} />`;
  }
}

function selectAll({ target }: Event): void {
  (target as HTMLInputElement).select();
}
