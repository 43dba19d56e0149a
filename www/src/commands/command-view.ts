/** All commands of the engine: a search field, the list, and one card. */

import { css, html, LitElement, nothing, type PropertyValues, type TemplateResult } from 'lit';
import { serverNote } from '../base/servers.ts';
import { rowNamed, searchRows, type CommandRow } from './commands.ts';
import type { SearchEntry } from '../search/search.ts';
import { siteSearch } from '../search/site-search.ts';
import { controls } from '../style/controls.ts';
import './command-card.ts';
import { MediaMatch } from '../parts/media-match.ts';

export class CommandView extends LitElement {
  static override properties = { selected: { attribute: false }, query: { state: true }, intended: { state: true } };
  declare selected: string | undefined;
  declare private query: string;
  /** Commands for the intent that was typed. */
  declare private intended: readonly SearchEntry[];

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        align-content: start;
        gap: var(--gap-4);
        padding: var(--gap-4);
      }
      search {
        display: grid;
        gap: var(--gap-3);
        min-width: 0;
        min-height: 0;
      }
      .field {
        width: 100%;
        min-height: 2.5rem;
        font-size: var(--text-3);
      }
      .list {
        padding: var(--gap-2) 0;
        overflow-y: auto;
      }
      h2.label {
        padding: var(--gap-4) var(--gap-4) var(--gap-2);
      }
      h2.label::first-letter {
        text-transform: uppercase;
      }
      h2.label:first-child {
        padding-block-start: var(--gap-2);
      }
      a {
        display: grid;
        grid-template-columns: minmax(9rem, 30%) minmax(0, 1fr);
        gap: 0 var(--gap-4);
        align-items: baseline;
        min-height: var(--target);
        padding: var(--gap-1) var(--gap-4);
        color: var(--ink-soft);
        font-size: var(--text-2);
        text-decoration: none;
      }
      a:hover {
        background: var(--inset);
      }
      a:focus-visible {
        outline-offset: -3px;
      }
      a[aria-current] {
        background: var(--verdigris-wash);
        box-shadow: inset 2px 0 0 var(--verdigris-fill);
      }
      .name {
        color: var(--ink);
        font-family: var(--engine);
        font-weight: 600;
      }
      .none {
        padding: var(--gap-4);
        color: var(--ink-soft);
      }
      .card {
        position: sticky;
        inset-block-start: var(--gap-4);
      }
      @media (max-width: 61.99rem) {
        .card {
          display: none;
        }
        kl-command-card {
          margin: 0 var(--gap-2) var(--gap-2);
        }
        a {
          grid-template-columns: 1fr;
        }
      }
      @media (min-width: 62rem) {
        :host {
          grid-template-columns: minmax(0, 1fr) minmax(20rem, 30rem);
          align-content: stretch;
        }
        search {
          grid-template-rows: auto auto minmax(0, 1fr);
        }
      }
    `,
  ];

  /** On narrow screens the card stands below its command. */
  private readonly isNarrow = new MediaMatch(this, '(max-width: 61.99rem)');

  constructor() {
    super();
    this.query = '';
    this.intended = [];
  }

  override render(): TemplateResult {
    const rows = searchRows(this.query);
    const shown = this.selected === undefined ? undefined : rowNamed(this.selected);
    return html`
      <search>
        <label class="unseen" for="query">Search the commands</label>
        <input class="field" id="query" type="search" placeholder="Search ${searchRows('').length} commands by name or description" autocomplete="off" spellcheck="false" .value=${this.query} @input=${this.searched} />
        <p class="unseen" role="status">${this.query ? `${rows.length} commands found` : ''}</p>
        <div class="list plate">
          ${this.renderIntended()}
          ${rows.length + this.intended.length === 0 ? html`<p class="none">No command matches.</p>` : groups(rows).map(([group, members]) => this.renderGroup(group, members))}
        </div>
      </search>
      <div class="card" aria-live="polite">${this.isNarrow.matches ? nothing : shown ? html`<kl-command-card offer .row=${shown}></kl-command-card>` : html`<p class="none">Select a command to see its syntax and complexity.</p>`}</div>
    `;
  }

  private renderGroup(group: string, rows: readonly CommandRow[]): TemplateResult {
    return html`<h2 class="label">${group}</h2>
      <ul>
        ${rows.map((row) => this.renderRow(row))}
      </ul>`;
  }

  /** Commands for an intent such as "lock", also without the word in their name. */
  private renderIntended(): TemplateResult | typeof nothing {
    if (this.intended.length === 0) return nothing;
    return html`<h2 class="label">For this purpose</h2>
      <ul class="intended">
        ${this.intended.map(({ title, name, about }) => html`<li><a href="#commands=${encodeURIComponent(name)}"><span class="name">${title}</span><span>${about}</span></a></li>`)}
      </ul>`;
  }

  private renderRow(row: CommandRow): TemplateResult {
    const name = row.name.replace('|', ' ');
    const current = row.name === this.selected ? 'true' : nothing;
    return html`<li>
      <a href="#commands=${encodeURIComponent(name)}" aria-current=${current}><span class="name">${name}</span><span>${row.summary}${serverNote(row.since)}</span></a>
      ${this.isNarrow.matches && row.name === this.selected ? html`<kl-command-card offer .row=${row}></kl-command-card>` : nothing}
    </li>`;
  }

  /** Scrolls the command of a link into view in the list. */
  override updated(changed: PropertyValues): void {
    if (!changed.has('selected')) return;
    const chosen = this.renderRoot.querySelector('a[aria-current]');
    const target = this.isNarrow.matches ? chosen?.closest('li') : chosen;
    target?.scrollIntoView({ block: 'nearest' });
  }

  private searched(event: Event): void {
    const { value } = event.target as HTMLInputElement;
    this.query = value;
    // Without the index the names and descriptions are searched alone.
    siteSearch.find(value).then(
      (hits) => (this.intended = this.query === value ? hits.filter(({ kind }) => kind === 'use') : this.intended),
      () => undefined,
    );
  }
}

function groups(rows: readonly CommandRow[]): [string, CommandRow[]][] {
  const found = new Map<string, CommandRow[]>();
  for (const row of rows) found.set(row.group, [...(found.get(row.group) ?? []), row]);
  return [...found].sort(([one], [other]) => (one < other ? -1 : 1));
}

customElements.define('kl-command-view', CommandView);
