/** The picture of a race: a sequence diagram, its sentences, and the button that saves it. */

import { css, html, unsafeCSS, type TemplateResult } from 'lit';
import type { SessionStep } from 'keylatch/hints';
import { rowOf } from '../commands/command-names.ts';
import { saveFile } from '../share/sharing.ts';
import { COLOURS, drawPicture, PICTURE_RULES, type Picture } from './draw.ts';
import { pictureFile } from './file.ts';
import { storyOf } from './story.ts';
import { Dialog } from '../parts/dialog.ts';

export class PictureDialog extends Dialog {
  static override properties = { steps: { attribute: false } };
  static override styles = [
    ...Dialog.dialogStyles,
    unsafeCSS(PICTURE_RULES + laneRules()),
    css`
      svg {
        display: block;
        max-width: none;
      }
      svg {
        --g: var(--plate);
        --i: var(--ink);
        --s: var(--ink-soft);
        --l: var(--line-strong);
        --r: var(--rust);
        --w: var(--rust-wash);
      }
      summary {
        min-height: var(--target);
        align-content: center;
        cursor: pointer;
      }
      li {
        padding-block: var(--gap-1);
      }
    `,
  ];
  declare steps: readonly SessionStep[];
  protected override readonly heading = 'Picture';
  private picture: Picture | undefined;

  protected override renderActions(): TemplateResult {
    return html`<button class="button" @click=${this.save}>Save as SVG</button>`;
  }

  protected override renderContent(): TemplateResult {
    const { words = [] } = this.picture ?? {};
    return html`<details>
        <summary>${words[0]}</summary>
        <ul>
          ${words.slice(1).map((sentence) => html`<li>${sentence}</li>`)}
        </ul>
      </details>
      ${this.picture && drawn(this.picture)}`;
  }

  override willUpdate(changed: Map<string, unknown>): void {
    if (changed.has('steps')) this.picture = drawPicture(storyOf(this.steps, rowOf));
  }

  private save(): void {
    if (this.picture) saveFile('race.svg', pictureFile(this.picture));
  }
}

/** The colour of each class of clients. */
function laneRules(): string {
  return Array.from({ length: COLOURS }, (_, index) => `.c${index + 1}{--c:var(--lane-${index + 1})}`).join('');
}

/** The picture as an element. Its text is escaped, and it has neither scripts nor styles. */
function drawn({ svg }: Picture): Element {
  return document.importNode(new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement, true);
}

customElements.define('kl-picture-dialog', PictureDialog);

export function openPicture(steps: readonly SessionStep[]): void {
  const dialog = new PictureDialog();
  dialog.steps = steps;
  Dialog.open(dialog);
}
