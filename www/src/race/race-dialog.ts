/** The race explorer: runs every order of a race, and lists how the runs end. Each outcome opens as a session. */

import { css, html, nothing, type TemplateResult } from 'lit';
import type { RaceReport } from 'keylatch/testing';
import { raceExamples, type RaceExample } from './examples.ts';
import { Exploration } from './exploration.ts';
import type { RacePage } from './raced-session.ts';
import { Dialog } from '../parts/dialog.ts';
import { isLoaded } from '../parts/on-demand.ts';
import { vars } from '../parts/vars.ts';

export class RaceDialog extends Dialog {
  static override properties = { playground: { attribute: false }, race: { state: true } };
  static override styles = [
    ...Dialog.dialogStyles,
    css`
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
  protected override readonly heading = 'Race explorer';
  private readonly exploration = new Exploration();

  constructor() {
    super();
    this.race = 1;
    this.exploration.changes.on(['race'], () => this.requestUpdate());
  }

  protected override renderActions(): TemplateResult {
    return html`<select class="field" aria-label="Races of the lessons" @change=${this.choose}>
      <option value="">Races of the lessons</option>
      ${raceExamples.map(({ name, title }) => html`<option value=${name}>${title}</option>`)}
    </select>`;
  }

  protected override renderContent(): TemplateResult {
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
    const { lesson = '' } = this.playground.sessionEditor;
    const own = raceExamples.find(({ name }) => lesson !== '' && name.slice(0, 3) === lesson.slice(0, 3));
    return html`<p class="hint">This session has no race. Write <code>@ race</code> and <code>@ join</code> around the lines of two or
      more clients: they run in every order that keeps each client's own. A client that gets another reply than the one
      below its line stops. <code>A+</code> and <code>A-</code> mark where A believes itself inside. Replies below
      <code>@ join</code>, up to the next heading, are conditions.</p>
      ${own ? html`<button class="button main" @click=${() => this.show(own)}>Open the race of this lesson</button>` : html`<p class="hint">Or choose one of the races of the lessons, above.</p>`}`;
  }

  private renderRaces(races: readonly string[]): TemplateResult {
    return html`<select class="field" aria-label="Race" @change=${(event: Event) => (this.race = Number((event.target as HTMLSelectElement).value))}>
      ${races.map((title, index) => html`<option value=${index + 1} ?selected=${index + 1 === this.race}>${title}</option>`)}
    </select>`;
  }

  private renderOutcomes(report: RaceReport): TemplateResult | typeof nothing {
    if (!isLoaded(this, 'kl-race-outcomes', () => import('./race-outcomes.ts'))) return nothing;
    return html`<kl-race-outcomes .report=${report} .sessionEditor=${this.playground.sessionEditor} @opened=${this.close}></kl-race-outcomes>`;
  }

  /** Titles of the races: the heading above each, or its line. */
  private races(): string[] {
    const { report } = this.playground.sessionEditor;
    let title = '';
    return (report?.steps ?? []).flatMap(({ kind, text, line }) => {
      if (kind === 'heading') title = text;
      return kind === 'race' ? [title || `line ${line}`] : [];
    });
  }

  private explore(): void {
    const { text, shown } = this.playground.sessionEditor;
    const isOn = (id: string): boolean => this.renderRoot.querySelector<HTMLInputElement>(`#${id}`)?.checked ?? true;
    const incidents = { crashes: isOn('crashes'), clockSteps: isOn('clock') };
    const options = { race: this.race, ...incidents, start: shown.start };
    this.exploration.start({ text, options }, this.playground.engineFor(text));
  }

  private async choose(event: Event): Promise<void> {
    const { value } = event.target as HTMLSelectElement;
    const example = raceExamples.find(({ name }) => name === value);
    if (example) await this.show(example);
  }

  private async show(example: RaceExample): Promise<void> {
    this.exploration.cancel();
    this.playground.sessionEditor.open({ text: await example.load(), title: example.title });
    this.race = 1;
    this.exploration.report = undefined;
    this.requestUpdate();
  }

  protected override closed(): void {
    this.exploration.cancel();
    super.closed();
  }
}

customElements.define('kl-race-dialog', RaceDialog);

export function openRace(playground: RacePage): void {
  const dialog = new RaceDialog();
  dialog.playground = playground;
  Dialog.open(dialog);
}
