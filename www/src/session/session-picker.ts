/** The session that is open, as a button; it opens the list of the visitor's own sessions, lessons, recipes and tasks. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { type Lesson, type LessonKind, lessons } from '../lessons/lessons.ts';
import type { SessionEditorModel } from './session-editor-model.ts';
import { controls } from '../style/controls.ts';
import { distinctTitles } from '../text/titles.ts';
import { Disclosure } from '../parts/disclosure.ts';
import { icons } from '../parts/icons.ts';
import { watch } from '../parts/watch.ts';

/** Entry of the list; `href` opens it. */
interface Choice {
  readonly href: string;
  readonly title: string;
  readonly isChosen: boolean;
}

const GROUPS: readonly (readonly [LessonKind, string])[] = [
  ['lesson', 'Lessons'],
  ['recipe', 'Recipes on plain commands'],
  ['task', 'Tasks'],
];

export class SessionPicker extends LitElement {
  static override properties = { sessionEditor: { attribute: false }, query: { state: true } };
  declare sessionEditor: SessionEditorModel;
  declare private query: string;
  private readonly list = new Disclosure(this, '.panel input, .panel a');

  static override styles = [
    controls,
    css`
      :host {
        position: relative;
        min-width: 0;
        flex: 0 1 24rem;
      }
      .button.chosen {
        width: 100%;
        justify-content: space-between;
      }
      .title {
        overflow: hidden;
        line-height: var(--even);
        text-overflow: ellipsis;
      }
      .panel {
        position: absolute;
        inset-block-start: calc(100% + var(--gap-1));
        inset-inline-start: 0;
        z-index: 5;
        display: grid;
        grid-template-rows: auto minmax(0, 1fr);
        width: max(100%, 26rem);
        max-height: min(32rem, 70vh);
        overflow: hidden;
        box-shadow: 0 8px 24px rgb(0 0 0 / 0.18);
      }
      .field {
        margin: var(--gap-2);
      }
      .groups {
        overflow-y: auto;
        overscroll-behavior: contain;
        padding-block-end: var(--gap-2);
      }
      h2 {
        padding: var(--gap-3) var(--gap-3) var(--gap-1);
      }
      a {
        display: flex;
        align-items: center;
        min-height: var(--target);
        padding: var(--gap-1) var(--gap-3);
        color: var(--ink);
        font-size: var(--text-2);
        line-height: var(--even);
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
        color: var(--verdigris);
        font-weight: 600;
      }
      .none {
        padding: var(--gap-3);
        color: var(--ink-soft);
      }
      @media (max-width: 44rem) {
        :host {
          flex: 1 1 100%;
        }
        .panel {
          width: 100%;
        }
      }
    `,
  ];

  constructor() {
    super();
    this.query = '';
    watch(this, () => this.sessionEditor.changes, ['session']);
    watch(this, () => this.sessionEditor.notebook.changes, ['pages']);
  }

  override render(): TemplateResult {
    const groups = this.groups();
    const chosen = groups.flatMap(([, choices]) => choices).find(({ isChosen }) => isChosen);
    return html`<button class="button chosen" aria-expanded=${this.list.isOpen ? 'true' : 'false'} @click=${this.toggle}>
        <span class="title"><span class="unseen">Session or lesson: </span>${chosen?.title ?? this.linkTitle() ?? 'Choose a session or a lesson'}</span>${icons.down}
      </button>
      ${this.list.isOpen ? this.renderPanel(groups) : nothing}`;
  }

  /** The title of a session from a link, which is in no list. */
  private linkTitle(): string | undefined {
    const { shown, notebook } = this.sessionEditor;
    return shown.text === '' ? undefined : notebook.titleOf(shown);
  }

  private renderPanel(groups: readonly (readonly [string, readonly Choice[]])[]): TemplateResult {
    const words = this.query.toLowerCase().split(/\s+/);
    const isFound = ({ title }: Choice): boolean => words.every((word) => title.toLowerCase().includes(word));
    const found = groups.map(([label, choices]) => [label, choices.filter(isFound)] as const);
    const count = found.reduce((sum, [, choices]) => sum + choices.length, 0);
    return html`<div class="panel plate" tabindex="-1">
      <input class="field" type="search" aria-label="Search sessions and lessons" placeholder="Search" autocomplete="off" spellcheck="false" .value=${this.query} @input=${this.searched} @keydown=${this.pressed} />
      <div class="groups">
        ${found.map(([label, choices]) => (choices.length === 0 ? nothing : this.renderGroup(label, choices)))}
        ${count === 0 ? html`<p class="none">No title has these words.</p>` : nothing}
        <a href="#lessons" @click=${() => this.list.close()}>All lessons by theme</a>
      </div>
      <span class="unseen" role="status">${this.query ? `${count} found` : ''}</span>
    </div>`;
  }

  private renderGroup(label: string, choices: readonly Choice[]): TemplateResult {
    const items = choices.map(
      ({ href, title, isChosen }) =>
        html`<li><a href=${href} aria-current=${isChosen ? 'true' : nothing} @click=${() => this.list.close()}>${title}</a></li>`,
    );
    return html`<section aria-label=${label}><h2 class="label">${label}</h2><ul>${items}</ul></section>`;
  }

  /** Choices by their heading. */
  private groups(): [string, Choice[]][] {
    const { shown, lesson, notebook } = this.sessionEditor;
    const titles = distinctTitles(notebook.pages.map((page) => notebook.titleOf(page)));
    const own = notebook.pages.map(({ id }, index) => {
      return { href: `#session=${id}`, title: titles[index] ?? '', isChosen: !lesson && shown.id === id };
    });
    const listed = GROUPS.map(([kind, label]): [string, Choice[]] => [label, lessonChoices(kind, lesson)]);
    return own.length > 0 ? [['Your sessions', own], ...listed] : listed;
  }

  private toggle(): void {
    this.query = '';
    this.list.toggle();
    if (!this.list.isOpen) return;
    void this.updateComplete.then(() => {
      this.renderRoot.querySelector('input')?.focus();
      this.renderRoot.querySelector('a[aria-current]')?.scrollIntoView({ block: 'nearest' });
    });
  }

  private searched(event: Event): void {
    this.query = (event.target as HTMLInputElement).value;
  }

  /** Enter opens the first that was found. */
  private pressed({ key }: KeyboardEvent): void {
    if (key === 'Enter') this.renderRoot.querySelector('a')?.click();
  }
}

/** Lessons of a kind, numbered through all kinds. */
function lessonChoices(kind: LessonKind, chosen: string | undefined): Choice[] {
  const choice = ({ name, title }: Lesson, index: number): Choice => {
    return { href: `#lesson=${name}`, title: `${index + 1}. ${title}`, isChosen: name === chosen };
  };
  return lessons.flatMap((lesson, index) => (lesson.kind === kind ? [choice(lesson, index)] : []));
}

customElements.define('kl-session-picker', SessionPicker);
