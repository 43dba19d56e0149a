/** The index of lessons, recipes and tasks by theme, with the commands of each theme, and a search by intent. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { Lesson } from './lessons.ts';
import { findByIntent, lessonsOf, themes, type ThemeCommand } from './themes.ts';
import { controls } from '../style/controls.ts';

const KINDS: Readonly<Record<Lesson['kind'], string>> = { lesson: '', recipe: 'recipe', task: 'task' };

export class LessonIndex extends LitElement {
  static override properties = { query: { state: true } };
  declare private query: string;

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
  }

  override render(): TemplateResult {
    return html`
      <search>
        <label class="unseen" for="intent">Search by intent</label>
        <input class="field" id="intent" type="search" placeholder="What do you want to build? lock, rate limit, job queue …" autocomplete="off" spellcheck="false" .value=${this.query} @input=${this.searched} />
      </search>
      ${this.query.trim().length > 1 ? this.renderFound() : html`<div class="themes">${themes.map((theme) => renderGroup(theme.title, theme.commands, lessonsOf(theme)))}</div>`}
    `;
  }

  private renderFound(): TemplateResult {
    const { commands, lessons } = findByIntent(this.query);
    const count = `${commands.length} commands and ${lessons.length} lessons found`;
    return html`<p class="unseen" role="status">${count}</p>
      ${commands.length + lessons.length === 0 ? html`<p class="none plate">Nothing matches. The <a href="#commands">Commands</a> view searches names and descriptions.</p>` : renderGroup(`For “${this.query.trim()}”`, commands, lessons)}`;
  }

  private searched(event: Event): void {
    this.query = (event.target as HTMLInputElement).value;
  }
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
  return html`<li><a href="#lesson=${name}"><span>${title}</span>${KINDS[kind] ? html`<span class="kind">${KINDS[kind]}</span>` : nothing}</a></li>`;
}

customElements.define('kl-lesson-index', LessonIndex);
