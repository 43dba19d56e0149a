/** Help card of a command: summary, syntax, version and complexity. */

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { complexityOf, type CommandRow } from './commands.ts';
import { syntaxParts } from './syntax-parts.ts';
import { controls } from '../style/controls.ts';

/** Version of Redis, or of the server that alone has the command. */
function sinceText(since: string): string {
  return /^\d/.test(since) ? `Redis ${since}` : since;
}

export class CommandCard extends LitElement {
  static override properties = { row: { attribute: false }, offer: { type: Boolean }, complexity: { state: true } };
  declare row: CommandRow;
  declare private complexity: string;
  /** True when the card offers to open the command line, for cards in other views. */
  declare offer: boolean;

  static override styles = [
    controls,
    css`
      article {
        display: grid;
        gap: var(--gap-3);
        padding: var(--gap-4);
        border: 1px solid var(--line);
        border-radius: var(--round-3);
        background: var(--inset);
      }
      h2 {
        font: 600 var(--text-4) / var(--tight) var(--engine);
      }
      .syntax {
        overflow-wrap: anywhere;
        padding: var(--gap-2) var(--gap-3);
        border-inline-start: 2px solid var(--verdigris-fill);
        background: var(--plate);
        font: var(--text-2) / var(--loose) var(--engine);
      }
      .syntax strong {
        font-weight: 600;
      }
      dl {
        display: grid;
        grid-template-columns: auto minmax(0, 1fr);
        gap: var(--gap-1) var(--gap-4);
        font-size: var(--text-2);
      }
      .button {
        justify-self: start;
      }
      dt {
        color: var(--ink-faint);
      }
      dd {
        color: var(--ink-soft);
        overflow-wrap: anywhere;
      }
    `,
  ];

  override willUpdate(changed: PropertyValues): void {
    if (changed.has('row')) void this.loadComplexity();
  }

  private async loadComplexity(): Promise<void> {
    const { row } = this;
    const complexity = await complexityOf(row).catch(() => 'Not loaded: there is no network.');
    if (row === this.row) this.complexity = complexity;
  }

  override render(): TemplateResult {
    const { row } = this;
    const { name, syntax } = syntaxParts(row);
    return html`<article aria-label="Help for ${name}">
      <h2>${name}</h2>
      <p>${row.summary}</p>
      <p class="syntax"><strong>${name}</strong>${syntax}</p>
      <dl>
        <dt>Since</dt>
        <dd>${sinceText(row.since)}</dd>
        <dt>Group</dt>
        <dd>${row.group}</dd>
        <dt>Complexity</dt>
        <dd>${this.complexity}</dd>
        ${row.flags.length > 0 ? html`<dt>Flags</dt><dd>${row.flags.join(', ')}</dd>` : nothing}
      </dl>
      ${this.offer ? html`<a class="button" href="#type=${encodeURIComponent(`${name} `)}">Insert</a>` : nothing}
    </article>`;
  }
}

customElements.define('kl-command-card', CommandCard);
