/** The command line at an earlier moment, in the place of the log: its steps, a slider through them, and their picture. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { LookBack } from './look-back.ts';
import { controls } from '../style/controls.ts';
// The slider and the steps of the session view, in its file: apart they would weigh more.
import type { LinePage } from './line-page.ts';
import '../session/session-view.ts';
import { watch } from '../parts/watch.ts';

export class LookBackPanel extends LitElement {
  static override properties = { past: { attribute: false } };
  static override styles = [
    controls,
    css`
      :host {
        display: flex;
        flex: 1;
        flex-direction: column;
        min-height: 0;
      }
      kl-timeline {
        flex: 1;
        min-height: 8rem;
      }
      p {
        padding: var(--gap-2) var(--gap-4);
        background: var(--brass-wash);
        color: var(--ink-soft);
        font-size: var(--text-2);
      }
    `,
  ];
  declare past: LookBack;

  constructor() {
    super();
    watch(this, () => this.past.model.changes, ['session']);
  }

  override render(): TemplateResult {
    const { model, isPast } = this.past;
    const { problem, report } = model;
    return html`
      <p class="row" role="status">
        ${problem ? `This recording cannot run again: ${problem.message}` : isPast ? 'An earlier moment. A line that you type continues from here; what came after is kept in Sessions.' : 'The present. Move the slider to look back.'}
 <span class="engine">${model.clients.map(clientText).join(' · ')}</span>
        <button class="button push" @click=${this.picture}>Picture</button>
      </p>
      ${report ? html`<kl-timeline .steps=${this.past.steps} .at=${model.at} @stop=${(event: CustomEvent<number>) => model.goTo(event.detail)}></kl-timeline>` : nothing}
      <kl-scrubber .sessionEditor=${model}></kl-scrubber>
    `;
  }

  private async picture(): Promise<void> {
    const { openPicture } = await import('../session/windows.ts');
    openPicture(this.past.model.report?.steps ?? []);
  }
}

/** A client as its prompt shows it. */
function clientText({ name, database, inTransaction }: LookBack['model']['clients'][number]): string {
  return `${name || 'keylatch'}${database === 0 ? '' : `[${database}]`}${inTransaction ? '(TX)' : ''}`;
}

customElements.define('kl-look-back', LookBackPanel);

export function lookBackAt(playground: LinePage): LookBack {
  return playground.lookBack(LookBack);
}
