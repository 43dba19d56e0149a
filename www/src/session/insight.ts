/** Buttons that look at a session as a whole: its picture, and the explorer of its races. Announces `race`. */

import { html, LitElement, type TemplateResult } from 'lit';
import { controls } from '../style/controls.ts';
import type { SessionPage } from './session-page.ts';

export class Insight extends LitElement {
  static override properties = { playground: { attribute: false }, problem: { state: true } };
  static override styles = [controls];
  declare playground: SessionPage;
  declare private problem: string | undefined;

  override render(): TemplateResult {
    return html`<span class="row">
      <button class="button" title="Draw which client holds what, and when" @click=${this.picture}>Picture</button>
      <button class="button" title="Run the lines of a race in every order" @click=${this.race}>Race</button>
      <span role="status">${this.problem}</span>
    </span>`;
  }

  private picture(): void {
    const { report } = this.playground.sessionEditor;
    this.loading(import('./windows.ts').then(({ openPicture }) => openPicture(report?.steps ?? [])));
  }

  private race(): void {
    this.loading(import('./windows.ts').then(() => void this.dispatchEvent(new CustomEvent('race'))));
  }

  private loading(opened: Promise<void>): void {
    this.problem = undefined;
    opened.catch(() => (this.problem = 'Not loaded. Try again with a network.'));
  }
}

customElements.define('kl-insight', Insight);
