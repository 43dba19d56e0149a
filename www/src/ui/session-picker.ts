/** The list of sessions to choose from: the visitor's own, the lessons and the recipes. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import { lessons } from '../model/lessons.ts';
import type { SessionEditorModel } from '../model/session-editor-model.ts';
import { controls } from '../style/controls.ts';
import { distinctTitles } from '../text/titles.ts';
import { watch } from './watch.ts';

export class SessionPicker extends LitElement {
  static override properties = { sessionEditor: { attribute: false } };
  declare sessionEditor: SessionEditorModel;

  static override styles = [
    controls,
    css`
      :host {
        min-width: 0;
        flex: 0 1 24rem;
      }
      select {
        width: 100%;
        text-overflow: ellipsis;
      }
      @media (max-width: 44rem) {
        :host {
          flex: 1 1 100%;
        }
      }
    `,
  ];

  constructor() {
    super();
    watch(this, () => this.sessionEditor.changes, ['session']);
    watch(this, () => this.sessionEditor.notebook.changes, ['pages']);
  }

  override render(): TemplateResult {
    const { shown, lesson, notebook } = this.sessionEditor;
    const chosen = lesson ?? (notebook.pages.some(({ id }) => id === shown.id) ? shown.id : undefined);
    const titles = distinctTitles(notebook.pages.map((page) => notebook.titleOf(page)));
    const own = notebook.pages.map(
      ({ id }, index) => html`<option value="session=${id}" .selected=${chosen === id}>${titles[index]}</option>`,
    );
    return html`<label class="unseen" for="session">Session or lesson</label>
      <select class="field" id="session" @change=${this.choose}>
        <option value="" .selected=${chosen === undefined}>Select a session or one of ${lessons.length} lessons and recipes</option>
        ${own.length > 0 ? html`<optgroup label="Your sessions">${own}</optgroup>` : nothing}
        <optgroup label="Lessons">${renderLessons(chosen, false)}</optgroup>
        <optgroup label="Recipes on plain commands">${renderLessons(chosen, true)}</optgroup>
      </select>`;
  }

  private choose(event: Event): void {
    const { value } = event.target as HTMLSelectElement;
    if (value) location.hash = value;
  }
}

/** The options of one group, numbered through both groups. */
function renderLessons(chosen: string | undefined, recipes: boolean): (TemplateResult | typeof nothing)[] {
  return lessons.map(({ name, title, isRecipe }, index) =>
    isRecipe === recipes
      ? html`<option value="lesson=${name}" .selected=${chosen === name}>${index + 1}. ${title}</option>`
      : nothing,
  );
}

customElements.define('kl-session-picker', SessionPicker);
