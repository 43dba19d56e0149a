/** Guide to the session format, shown while the text is empty. */

import { css, html, LitElement, type TemplateResult } from 'lit';
import type { SessionEditorModel } from './session-editor-model.ts';
import { controls } from '../style/controls.ts';
import { icons } from '../parts/icons.ts';

const LINES: readonly (readonly [line: string, meaning: string])[] = [
  ['> SET door me PX 5000', 'a command; prompts copied from a terminal or from documentation work too'],
  ['OK', 'the expected reply; without it the command runs unchecked'],
  ['...', 'any lines of a reply: for what differs at each run'],
  ['C1> GET door', 'a command of the client C1, which connects at its first command'],
  ['@ +5s', 'moves the clock, which is stopped otherwise; @ next moves it to the next expiry'],
  ['! expired door', 'an event of a key that is expected during the step above'],
  ['| #5', 'a reply line that would otherwise be read as another kind of line'],
  ['@ race', 'begins lines that may run in any order that keeps each client’s own; @ join ends them'],
  ['C1+', 'C1 believes itself inside from here, up to C1-; in a race only'],
  ['# Why', 'a comment; ## starts a heading'],
];

const EXAMPLE = `## A door that closes by itself

C1> SET door open PX 5000
OK
C2> GET door
"open"
@ +5001ms
! expired door
C2> GET door
(nil)
`;

export class SessionGuide extends LitElement {
  static override properties = { sessionEditor: { attribute: false } };
  declare sessionEditor: SessionEditorModel;

  static override styles = [
    controls,
    css`
      :host {
        padding: var(--gap-5);
        overflow-y: auto;
      }
      h2 {
        padding-block-end: var(--gap-4);
        font-size: var(--text-5);
        font-weight: 650;
        letter-spacing: -0.02em;
        line-height: var(--tight);
      }
      dl {
        display: grid;
        grid-template-columns: max-content minmax(0, 30rem);
        gap: var(--gap-3) var(--gap-5);
        padding-block-end: var(--gap-5);
      }
      dt {
        font: var(--text-engine) / var(--even) var(--engine);
      }
      dd {
        color: var(--ink-soft);
      }
      @media (max-width: 44rem) {
        :host {
          padding: var(--gap-3);
        }
        dl {
          grid-template-columns: minmax(0, 1fr);
          gap: 0;
        }
        dd {
          padding-block-end: var(--gap-3);
        }
      }
    `,
  ];

  override render(): TemplateResult {
    return html`
      <h2>The session format</h2>
      <dl>
        ${LINES.map(([line, meaning]) => html`<dt>${line}</dt><dd>${meaning}</dd>`)}
      </dl>
      <button class="button" @click=${() => this.sessionEditor.open({ text: EXAMPLE })}>${icons.play} Run an example</button>
    `;
  }
}

customElements.define('kl-session-guide', SessionGuide);
