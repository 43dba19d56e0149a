/** Part of a lesson that asks something; follows the shown session. */

import { css, type CSSResultGroup, LitElement, type PropertyDeclarations } from 'lit';
import type { SessionEditorModel } from './session-editor-model.ts';
import { controls } from '../style/controls.ts';
import type { SessionPage } from './session-page.ts';
import { watch } from '../parts/watch.ts';

const asking = css`
  section {
    display: grid;
    gap: var(--gap-2);
    padding: var(--gap-3) var(--gap-5);
    border-block-start: 1px solid var(--line);
    background: var(--inset);
    font-size: var(--text-2);
  }
  @media (max-width: 61.99rem) {
    section {
      max-height: 50dvh;
      overflow-y: auto;
      box-shadow: var(--float);
    }
  }
  @media (max-width: 44rem) {
    section {
      padding: var(--gap-3);
    }
  }
  .wrong {
    color: var(--rust);
  }
`;

export abstract class LessonPart extends LitElement {
  static override properties: PropertyDeclarations = { playground: { attribute: false } };
  static override styles: CSSResultGroup = [controls, asking];
  declare playground: SessionPage;

  constructor() {
    super();
    watch(this, () => this.sessionEditor.changes, ['session']);
  }

  protected get sessionEditor(): SessionEditorModel {
    return this.playground.sessionEditor;
  }
}
