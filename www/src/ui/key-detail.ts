/** Details of one key: the beginning of its value, its exact deadline, and commands for it. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { PREVIEW_BYTES, PREVIEW_ITEMS, type KeyList, type KeyRow } from '../model/key-list.ts';
import type { Workspace } from '../model/workspace.ts';
import { controls } from '../style/controls.ts';
import { isoText } from '../text/durations.ts';

export class KeyDetail extends LitElement {
  static override properties = {
    row: { attribute: false },
    list: { attribute: false },
    workspace: { attribute: false },
  };
  declare row: KeyRow;
  declare list: KeyList;
  declare workspace: Workspace | undefined;

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        gap: var(--gap-3);
        padding: var(--gap-1) var(--gap-4) var(--gap-4);
        background: var(--inset);
      }
      pre {
        max-height: 8rem;
        overflow: auto;
        padding: var(--gap-2) var(--gap-3);
        border: 1px solid var(--line);
        border-radius: var(--round-2);
        background: var(--plate);
        font-size: var(--text-2);
        white-space: pre-wrap;
        overflow-wrap: anywhere;
      }
      ul {
        display: grid;
        gap: var(--gap-1);
        margin: 0;
        padding: 0;
        list-style: none;
      }
      p,
      li {
        color: var(--ink-soft);
        font-size: var(--text-1);
        font-variant-numeric: tabular-nums;
      }
      .field {
        width: 6rem;
      }
      label {
        color: var(--ink-soft);
        font-size: var(--text-2);
      }
    `,
  ];

  override render(): TemplateResult {
    const { row } = this;
    const preview = this.list.preview(row);
    return html`
      ${preview === undefined ? nothing : html`<pre tabindex="0" aria-label="Value">${preview}</pre>`}
      ${preview === undefined ? nothing : renderCut(row)}
      ${this.renderMeaning()}
      <p>${row.deadlineMs === null ? 'No expiry.' : `Expires at ${instantText(row.deadlineMs)}.`}</p>
      ${this.workspace ? this.renderActions(this.workspace) : nothing}
    `;
  }

  /** Facts that the printed value does not contain. */
  private renderMeaning(): TemplateResult | typeof nothing {
    const count = this.list.sketched(this.row);
    const fields = this.list.mortalFields(this.row);
    if (count !== undefined) return html`<p>A HyperLogLog of about ${count} distinct elements.</p>`;
    if (fields.length === 0) return nothing;
    return html`<ul>${fields.map(({ label, deadlineMs }) => html`<li>Field <code>${label}</code> expires at ${instantText(deadlineMs)}.</li>`)}</ul>`;
  }

  private renderActions(workspace: Workspace): TemplateResult {
    const { row } = this;
    return html`
      <form class="row" @submit=${this.expire}>
        <label for="seconds">Expire in</label>
        <input class="field" id="seconds" name="seconds" inputmode="numeric" pattern="\\d+" required value="30" />
        <label for="seconds">seconds</label>
        <button class="button" type="submit">Expire</button>
      </form>
      <div class="row">
        <button class="button" ?disabled=${row.deadlineMs === null} @click=${() => workspace.runForKeys('PERSIST', row.key)}>Persist</button>
        <button class="button" @click=${() => workspace.runForKeys('DEL', row.key)}>Delete</button>
      </div>
    `;
  }

  private expire(event: SubmitEvent): void {
    event.preventDefault();
    const seconds = new FormData(event.target as HTMLFormElement).get('seconds');
    this.workspace?.runForKeys('EXPIRE', this.row.key, String(seconds));
  }
}

function instantText(ms: number): string {
  return `${isoText(ms).replace('T', ' ').replace('Z', '')} UTC`;
}

/** Note below a value that is only shown in part. */
function renderCut(row: KeyRow): TemplateResult | typeof nothing {
  const [most, what] = row.type === 'string' ? [PREVIEW_BYTES, 'bytes'] : [PREVIEW_ITEMS, 'items'];
  return row.size > most ? html`<p>The first ${most} of ${row.size} ${what}.</p>` : nothing;
}

customElements.define('kl-key-detail', KeyDetail);
