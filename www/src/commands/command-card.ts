/** Help card of a command: summary, syntax, version, an example, replies and errors, and a link to its page. */

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import type { CommandDetails } from 'virtual:command-details';
import { serverNote, sinceText } from '../base/servers.ts';
import { commandPath } from '../base/site-paths.ts';
import { detailsOf, type CommandRow } from './commands.ts';
import { syntaxParts } from './syntax-parts.ts';
import { controls } from '../style/controls.ts';

export class CommandCard extends LitElement {
  static override properties = { row: { attribute: false }, offer: { type: Boolean }, details: { state: true } };
  declare row: CommandRow;
  /** A text while they are missing. */
  declare private details: CommandDetails | string;
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
      .links {
        display: flex;
        flex-wrap: wrap;
        gap: var(--gap-2) var(--gap-4);
        align-items: center;
        font-size: var(--text-2);
      }
      .links a:not(.button) {
        color: var(--verdigris);
      }
      code {
        font-family: var(--engine);
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
    if (changed.has('row')) void this.loadDetails();
  }

  private async loadDetails(): Promise<void> {
    const { row } = this;
    const details = await detailsOf(row).catch(() => 'Not loaded: there is no network.');
    if (row === this.row) this.details = details ?? '';
  }

  override render(): TemplateResult {
    const { row, details = '' } = this;
    const { name, syntax } = syntaxParts(row);
    const known = typeof details === 'string' ? undefined : details;
    return html`<article aria-label="Help for ${name}">
      <h2>${name}</h2>
      <p>${row.summary}</p>
      <p class="syntax"><strong>${name}</strong>${syntax}</p>
      ${renderServers(row, known)}
      <dl>
        ${known ? html`<dt>Reply</dt><dd>${known.reply}</dd>` : nothing}
        <dt>Since</dt>
        <dd>${sinceText(row.since)}</dd>
        <dt>Group</dt>
        <dd>${row.group}</dd>
        <dt>Complexity</dt>
        <dd>${known?.complexity ?? details}</dd>
        ${row.flags.length > 0 ? html`<dt>Flags</dt><dd>${row.flags.join(', ')}</dd>` : nothing}
        ${known ? renderExamples(known) : nothing}
      </dl>
      <p class="links">${this.offer ? html`<a class="button" href="#type=${encodeURIComponent(`${name} `)}">Insert</a>` : nothing}
        <a href=${commandPath(name)}>Page of ${name}, with an example that runs</a></p>
    </article>`;
  }
}

/** Which servers have the command, where it is not every Redis, and what replaces it. */
function renderServers(
  { name, since }: CommandRow,
  details: CommandDetails | undefined,
): TemplateResult | typeof nothing {
  if (since.startsWith('keylatch '))
    return html`<p>Only in keylatch. On Redis, use <code>keylatch/locks</code> or a <a href=${commandPath(name)}>recipe</a>.</p>`;
  if (details?.deprecatedSince)
    return html`<p>Deprecated since Redis ${details.deprecatedSince}: the replacement is ${details.replacedBy}.</p>`;
  return serverNote(since) === '' ? nothing : html`<p>${serverNote(since)}</p>`;
}

function renderExamples({ replies, errors }: CommandDetails): TemplateResult {
  return html`${replies.map(([reply, request]) => html`<dt>Example</dt><dd><code>${request}</code><br /><code>${reply}</code></dd>`)}
    ${errors.map((error) => html`<dt>Error</dt><dd><code>${error}</code></dd>`)}`;
}

customElements.define('kl-command-card', CommandCard);
