/** Who speaks: the clients of the command line, one of them chosen, more to be opened. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Speaker } from '../model/speaker.ts';
import type { Workspace } from '../model/workspace.ts';
import { controls, lanes } from '../style/controls.ts';
import { icons } from './icons.ts';
import { watch } from './watch.ts';

export class Speakers extends LitElement {
  static override properties = { workspace: { attribute: false } };
  declare workspace: Workspace;

  static override styles = [
    controls,
    lanes,
    css`
      fieldset {
        display: flex;
        flex-wrap: wrap;
        align-items: center;
        gap: var(--gap-1);
        min-width: 0;
        margin: 0;
        padding: 0;
        border: 0;
      }
      .speaker {
        position: relative;
        display: inline-flex;
        align-items: center;
        border: 1px solid transparent;
        border-radius: var(--round-2);
        color: var(--ink-soft);
      }
      .speaker:hover {
        background: var(--raised);
      }
      .speaker:has(:checked) {
        border-color: var(--line);
        background: var(--raised);
        color: var(--ink);
      }
      .speaker:has(input:focus-visible) {
        outline: var(--ring);
        outline-offset: 2px;
      }
      label {
        display: inline-flex;
        align-items: center;
        gap: var(--gap-2);
        min-height: calc(var(--target) - 2px);
        padding: 0 var(--gap-3);
        font: var(--text-2) / 1 var(--engine);
        cursor: pointer;
      }
      label::before {
        content: "";
        width: 0.5rem;
        height: 0.5rem;
        border: 2px solid var(--lane);
        border-radius: 50%;
      }
      .speaker:has(:checked) label::before {
        background: var(--lane);
      }
      .button.square {
        width: calc(var(--target) - 0.5rem);
        min-height: calc(var(--target) - 0.5rem);
        margin-inline: -0.25rem 0.25rem;
      }
      .state {
        color: var(--ink-faint);
      }
    `,
  ];

  constructor() {
    super();
    watch(this, () => this.workspace.changes, ['clients']);
  }

  override render(): TemplateResult {
    const { speakers, mayOpenClient } = this.workspace;
    return html`<fieldset>
      <legend class="unseen">Active client</legend>
      ${speakers.map((speaker) => this.renderSpeaker(speaker))}
      <button class="button bare" ?disabled=${!mayOpenClient} @click=${() => this.workspace.openClient()}>${icons.plus} Client</button>
    </fieldset>`;
  }

  private renderSpeaker(speaker: Speaker): TemplateResult {
    const { active, speakers } = this.workspace;
    const state = speaker.prompt.slice(speaker.name.length, -1);
    const id = `speaker-${speaker.lane}`;
    return html`<span class="speaker" data-lane=${speaker.lane}>
      <input class="unseen" type="radio" name="speaker" id=${id} .checked=${speaker === active} @change=${() => this.workspace.speakAs(speaker)} />
      <label for=${id}>${speaker.name}${state && html`<span class="state">${state}</span>`}</label>
      ${
        speakers.length > 1 && speaker === active
          ? html`<button class="button bare square" aria-label="Close ${speaker.name}" title="Close ${speaker.name}" @click=${() => this.workspace.closeClient(speaker)}>${icons.close}</button>`
          : nothing
      }
    </span>`;
  }
}

customElements.define('kl-speakers', Speakers);
