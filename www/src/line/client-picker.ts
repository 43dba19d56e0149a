/** The clients of the command line as radio buttons, with buttons to open and close clients. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { NamedClient } from './named-client.ts';
import type { Workspace } from './workspace.ts';
import { controls, lanes } from '../style/controls.ts';
import { icons } from '../parts/icons.ts';
import { watch } from '../parts/watch.ts';

export class ClientPicker extends LitElement {
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
      .client {
        position: relative;
        display: inline-flex;
        align-items: center;
        border: 1px solid transparent;
        border-radius: var(--round-2);
        color: var(--ink-soft);
      }
      .client:hover {
        background: var(--raised);
      }
      .client:has(:checked) {
        border-color: var(--line);
        background: var(--raised);
        color: var(--ink);
      }
      .client:has(input:focus-visible) {
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
      .client:has(:checked) label::before {
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
      @media (forced-colors: active) {
        .client:has(:checked) {
          outline: 2px solid Highlight;
          outline-offset: -2px;
        }
        label::before {
          forced-color-adjust: none;
        }
      }
    `,
  ];

  constructor() {
    super();
    watch(this, () => this.workspace.changes, ['clients']);
  }

  override render(): TemplateResult {
    const { clients, mayOpenClient } = this.workspace;
    return html`<fieldset>
      <legend class="unseen">Active client</legend>
      ${clients.map((client, index) => this.renderClient(client, index + 1))}
      <button class="button bare" ?disabled=${!mayOpenClient} @click=${() => this.act(() => this.workspace.openClient())}>${icons.plus} Client</button>
    </fieldset>`;
  }

  /** After an action by mouse the focus goes to the prompt. Arrow keys stay among the clients. */
  private act(action: () => unknown): void {
    action();
    this.dispatchEvent(new CustomEvent('done'));
  }

  /** Without the label's own action, which would focus the radio button. */
  private chosen(event: Event, client: NamedClient): void {
    event.preventDefault();
    this.act(() => this.workspace.selectClient(client));
  }

  private renderClient(client: NamedClient, number: number): TemplateResult {
    const { active, clients } = this.workspace;
    const state = client.prompt.slice(client.name.length, -1);
    const id = `client-${client.lane}`;
    return html`<span class="client" data-lane=${client.lane}>
      <input class="unseen" type="radio" name="client" id=${id} aria-keyshortcuts="Alt+${number}" .checked=${client === active} @change=${() => this.workspace.selectClient(client)} />
      <label for=${id} title="Alt+${number}" @mousedown=${(event: Event) => event.preventDefault()} @click=${(event: Event) => this.chosen(event, client)}>${client.name}${state && html`<span class="state">${state}</span>`}</label>
      ${
        clients.length > 1 && client === active
          ? html`<button class="button bare square" aria-label="Close ${client.name}" title="Close ${client.name}" @click=${() => this.act(() => this.workspace.closeClient(client))}>${icons.close}</button>`
          : nothing
      }
    </span>`;
  }
}

customElements.define('kl-client-picker', ClientPicker);
