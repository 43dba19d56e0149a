/** The race explorer under a session: runs every order of a race, and lists how the runs end. Each outcome opens step by step. */

import { css, html, LitElement, nothing, type TemplateResult } from 'lit';
import type { RaceReport } from 'keylatch/testing';
import { raceExamples, type RaceExample } from './examples.ts';
import { Exploration } from './exploration.ts';
import type { RacePage } from './raced-session.ts';
import type { SharedSession } from '../share/sharing.ts';
import { controls } from '../style/controls.ts';
import { icons } from '../parts/icons.ts';
import { isLoaded } from '../parts/on-demand.ts';
import { vars } from '../parts/vars.ts';

/** Announces `close`. */
export class RacePanel extends LitElement {
  static override properties = { playground: { attribute: false }, race: { state: true }, source: { state: true } };
  static override styles = [
    controls,
    css`
      section {
        display: grid;
        gap: var(--gap-2);
        max-height: 50dvh;
        padding: var(--gap-3) var(--gap-5);
        overflow-y: auto;
        border-block-start: 1px solid var(--line);
        background: var(--inset);
      }
      @media (max-width: 61.99rem) {
        section {
          max-height: none;
          padding: var(--gap-3);
        }
      }
      .bar {
        height: 0.5rem;
        margin-block: var(--gap-2);
        border-radius: 1rem;
        background: linear-gradient(to right, var(--brass-fill) var(--share), var(--line) var(--share));
      }
      label {
        display: inline-flex;
        align-items: center;
        gap: var(--gap-1);
        min-height: var(--target);
        font-size: var(--text-2);
      }
      .field {
        min-width: 0;
        max-width: 100%;
      }
      .hint {
        max-width: 44rem;
        padding-block-end: var(--gap-3);
        color: var(--ink-soft);
      }
    `,
  ];
  declare playground: RacePage;
  declare private race: number;
  /** The session with the explored race, which stays while its outcomes are shown. */
  declare private source: SharedSession;
  private readonly exploration = new Exploration();

  constructor() {
    super();
    this.race = 1;
    this.source = { text: '' };
    this.exploration.changes.on(['race'], () => this.requestUpdate());
  }

  override render(): TemplateResult {
    return html`<section aria-labelledby="heading">
      <div class="row">
        <h2 class="label" id="heading">Race explorer</h2>
        <select class="field push" aria-label="Races of the lessons" @change=${this.choose}>
          <option value="">Races of the lessons</option>
          ${raceExamples.map(({ name, title }) => html`<option value=${name}>${title}</option>`)}
        </select>
        <button class="button bare square" aria-label="Close" title="Close" @click=${() => this.dispatchEvent(new CustomEvent('close'))}>${icons.close}</button>
      </div>
      ${this.renderContent()}
    </section>`;
  }

  private renderContent(): TemplateResult {
    const races = this.races();
    if (races.length === 0) return this.renderGuide();
    const { report, problem, share } = this.exploration;
    const running = share !== undefined;
    return html`<div class="row">
        ${races.length > 1 ? this.renderRaces(races) : nothing}
        <label><input type="checkbox" id="crashes" checked /> with a crash of each client</label>
        <label><input type="checkbox" id="clock" checked /> with a step of the clock</label>
        <button class="button main" @click=${running ? () => this.exploration.cancel() : this.explore}>${running ? 'Cancel' : 'Explore all orders'}</button>
      </div>
      ${
        running
          ? html`<div class="bar" role="progressbar" aria-label="Progress" aria-valuenow=${Math.round(share * 100)} aria-valuemin="0" aria-valuemax="100" ${vars({ share: `${share * 100}%` })}></div>
        <p class="faint">${Math.floor(share * 100)} %, ${this.exploration.commands.toLocaleString('en')} commands</p>`
          : nothing
      }
      ${report ? this.renderOutcomes(report) : html`<p role="status">${problem}</p>`}`;
  }

  private renderGuide(): TemplateResult {
    return html`<p class="hint">This session has no race. Write <code>@ race</code> and <code>@ join</code> around the lines of two or
      more clients: they run in every order that keeps each client's own. A client that gets another reply than the one
      below its line stops. <code>A+</code> and <code>A-</code> mark where A believes itself inside. Replies below
      <code>@ join</code>, up to the next heading, are conditions. Or choose one of the races of the lessons, above.</p>`;
  }

  private renderRaces(races: readonly string[]): TemplateResult {
    return html`<select class="field" aria-label="Race" @change=${(event: Event) => (this.race = Number((event.target as HTMLSelectElement).value))}>
      ${races.map((title, index) => html`<option value=${index + 1} ?selected=${index + 1 === this.race}>${title}</option>`)}
    </select>`;
  }

  private renderOutcomes(report: RaceReport): TemplateResult | typeof nothing {
    if (!isLoaded(this, 'kl-race-outcomes', () => import('./race-outcomes.ts'))) return nothing;
    return html`<kl-race-outcomes .report=${report} .source=${this.source} .sessionEditor=${this.playground.sessionEditor}></kl-race-outcomes>`;
  }

  /** Titles of the races: the heading above each, or its line. */
  private races(): string[] {
    let title = '';
    return this.source.text.split('\n').flatMap((line, index) => {
      if (line.startsWith('## ')) title = line.slice('## '.length);
      return /^\s*@ race\b/.test(line) ? [title || `line ${index + 1}`] : [];
    });
  }

  /** Explores the race of the shown session; on a lesson without one, that of the lesson. */
  async begin({ runs }: { readonly runs: boolean }): Promise<void> {
    const { shown, lesson } = this.playground.sessionEditor;
    this.exploration.forget();
    this.race = 1;
    this.source = shown;
    const own = this.races().length > 0 ? undefined : raceOfLesson(lesson);
    if (own) this.source = { text: await own.load(), title: own.title };
    if ((runs || own) && this.races().length > 0) this.explore();
  }

  private explore(): void {
    const { text, start } = this.source;
    const isOn = (id: string): boolean => this.renderRoot.querySelector<HTMLInputElement>(`#${id}`)?.checked ?? true;
    const incidents = { crashes: isOn('crashes'), clockSteps: isOn('clock') };
    this.exploration.start(
      { text, options: { race: this.race, ...incidents, start } },
      this.playground.engineFor(text),
    );
  }

  private choose({ target }: Event): void {
    const { value } = target as HTMLSelectElement;
    if (value !== '') location.hash = `race=${value}`;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.exploration.cancel();
  }
}

/** The race with a lesson's number. */
function raceOfLesson(lesson: string | undefined): RaceExample | undefined {
  return lesson === undefined ? undefined : raceExamples.find(({ name }) => name.slice(0, 3) === lesson.slice(0, 3));
}

customElements.define('kl-race-panel', RacePanel);

declare global {
  interface HTMLElementTagNameMap {
    'kl-race-panel': RacePanel;
  }
}
