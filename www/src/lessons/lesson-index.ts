/** The index of lessons, recipes and tasks by theme, with the commands of each theme, and a search by intent. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { type Lesson, lessons } from './lessons.ts';
import { progress } from './progress.ts';
import { type ThemeCommand, themes } from './theme-list.ts';
import { lessonsOf } from './themes.ts';
import type { SearchEntry } from '../search/search.ts';
import { siteSearch } from '../search/site-search.ts';
import { controls } from '../style/controls.ts';

const KINDS: Readonly<Record<Lesson['kind'], string>> = { lesson: '', recipe: 'recipe', task: 'task' };
const MAX_HITS = 60;

/** Result of a query; `problem` says why there are no hits. */
interface Found {
  readonly query: string;
  readonly hits: readonly SearchEntry[];
  readonly problem: string;
}

export class LessonIndex extends LitElement {
  static override properties = { query: { state: true }, found: { state: true } };
  declare private query: string;
  declare private found: Found;

  static override styles = [
    controls,
    css`
      :host {
        display: grid;
        align-content: start;
        gap: var(--gap-4);
        padding: var(--gap-4);
        overflow-y: auto;
      }
      .field {
        width: 100%;
        min-height: 2.5rem;
        font-size: var(--text-3);
      }
      .themes {
        columns: 24rem;
        column-gap: var(--gap-4);
      }
      section {
        break-inside: avoid;
        margin-block-end: var(--gap-4);
        padding: var(--gap-3) 0;
      }
      h2,
      h3 {
        padding: var(--gap-1) var(--gap-4) var(--gap-2);
      }
      h2 {
        font-size: var(--text-4);
        font-weight: 600;
      }
      a {
        display: grid;
        grid-template-columns: minmax(0, 1fr) auto;
        gap: 0 var(--gap-3);
        align-items: center;
        min-height: var(--target);
        padding: var(--gap-1) var(--gap-4);
        color: var(--ink);
        font-size: var(--text-2);
        line-height: var(--even);
        text-decoration: none;
      }
      .commands a {
        grid-template-columns: 9.5rem minmax(0, 1fr);
        align-items: baseline;
        color: var(--ink-soft);
      }
      a:hover {
        background: var(--inset);
      }
      a:focus-visible {
        outline-offset: -3px;
      }
      .form {
        color: var(--ink);
        font-family: var(--engine);
        font-weight: 600;
      }
      a.lesson {
        grid-template-columns: 1.5rem minmax(0, 1fr) auto;
      }
      .number {
        color: var(--ink-faint);
        font-variant-numeric: tabular-nums;
      }
      .title {
        color: var(--ink);
        font-weight: 600;
      }
      .found a {
        grid-template-columns: minmax(0, 2fr) minmax(0, 3fr);
      }
      .kind {
        color: var(--brass);
        font-size: var(--text-1);
      }
      .none {
        padding: var(--gap-4);
        color: var(--ink-soft);
      }
      @media (max-width: 44rem) {
        .commands a {
          grid-template-columns: minmax(0, 1fr);
        }
      }
    `,
  ];

  constructor() {
    super();
    this.query = '';
    this.found = { query: '', hits: [], problem: '' };
  }

  override render(): TemplateResult {
    return html`
      <search>
        <label class="unseen" for="intent">Search commands, lessons and guides</label>
        <input class="field" id="intent" type="search" placeholder="What do you want to build? lock, rate limit, job queue …" autocomplete="off" spellcheck="false" .value=${this.query} @input=${this.searched} />
      </search>
      ${this.query.trim().length > 1 ? this.renderFound() : html`${renderBegun()}<div class="themes">${themes.map((theme) => renderGroup(theme.title, theme.commands, lessonsOf(theme)))}</div>`}
    `;
  }

  private renderFound(): TemplateResult {
    const { query, hits, problem } = this.found;
    if (hits.length === 0) return html`<p class="none plate" role="status">${problem}</p>`;
    return html`<p class="unseen" role="status">${hits.length} found</p>
      <section class="plate found"><h2>For “${query.trim()}”</h2><ul class="commands">${hits.slice(0, MAX_HITS).map(renderHit)}</ul></section>`;
  }

  private async searched(event: Event): Promise<void> {
    const { value: query } = event.target as HTMLInputElement;
    this.query = query;
    const found = await siteSearch.find(query).then(
      (hits) => ({ query, hits, problem: 'Nothing matches.' }),
      () => ({ query, hits: [], problem: 'The search was not loaded. It needs a connection once.' }),
    );
    if (this.query === query) this.found = found;
  }
}

/** Addresses of the playground for what it shows itself. */
const VIEWS: Partial<Readonly<Record<SearchEntry['kind'], string>>> = {
  command: '#commands=',
  use: '#commands=',
  lesson: '#lesson=',
  recipe: '#lesson=',
  task: '#lesson=',
};

function renderHit({ kind, name, title, about, path }: SearchEntry): TemplateResult {
  const view = VIEWS[kind];
  const address = view === undefined ? path : view + encodeURIComponent(name);
  const isCommand = kind === 'command' || kind === 'use';
  return html`<li><a href=${address}><span class=${isCommand ? 'form' : 'title'}>${title}</span><span>${about}${isCommand ? nothing : html` <span class="kind">${kind}</span>`}</span></a></li>`;
}

function renderGroup(title: string, commands: readonly ThemeCommand[], found: readonly Lesson[]): TemplateResult {
  return html`<section class="plate">
    <h2>${title}</h2>
    ${found.length > 0 ? html`<ul>${found.map(renderLesson)}</ul>` : nothing}
    ${commands.length > 0 ? html`<h3 class="label">Commands</h3>${commandList(commands)}` : nothing}
  </section>`;
}

/** Commands with their part in an intent. */
function commandList(commands: readonly ThemeCommand[]): TemplateResult {
  return html`<ul class="commands">${commands.map(({ form, name, use }) => html`<li><a href="#commands=${encodeURIComponent(name)}"><span class="form">${form}</span><span>${use}</span></a></li>`)}</ul>`;
}

function renderLesson({ name, title, kind }: Lesson): TemplateResult {
  const isDone = progress.isDone(name);
  return html`<li><a class="lesson" href="#lesson=${name}"><span class="number" aria-hidden="true">${isDone ? '✓' : Number.parseInt(name, 10)}</span><span>${title}${isDone ? html`<span class="unseen">, done</span>` : nothing}</span>${KINDS[kind] ? html`<span class="kind">${KINDS[kind]}</span>` : nothing}</a></li>`;
}

/** A link to the lesson that the visitor has begun. */
function renderBegun(): TemplateResult | typeof nothing {
  const lesson = lessons.find(({ name }) => name === progress.begun);
  if (lesson === undefined) return nothing;
  const { step, steps } = progress.of(lesson.name);
  return html`<p class="begun plate"><a href="#lesson=${lesson.name}"><span>Continue where you were: ${lesson.title}</span><span class="kind">step ${step} of ${steps}</span></a></p>`;
}

customElements.define('kl-lesson-index', LessonIndex);
