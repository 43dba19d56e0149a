/** A task of a lesson with its goals. Solved if the replies are the wanted ones, and every order of the commands is safe. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { lessons } from '../lessons/lessons.ts';
import { progress } from '../lessons/progress.ts';
import { begun, type Goal, goalsOf, stepsAboveCheck, type Task, taskOf } from './task.ts';
import type { TrialRun, Verdict } from '../race/trial-run.ts';
import { LessonPart } from './lesson-part.ts';

const trialFiles = import.meta.glob<string>('../../lessons/trials/*.trial', { query: '?raw', import: 'default' });

export class LessonTask extends LessonPart {
  static override properties = { original: { state: true } };
  /** Text and trials of the lesson that the shown one was copied from. */
  declare private original: { readonly name: string; readonly text: string; readonly trials: string } | undefined;
  /** Loaded when a task first meets its goals. */
  private trial: TrialRun | undefined;

  static override styles = [
    LessonPart.styles,
    css`
      h3 {
        font-size: var(--text-3);
        font-weight: 600;
        line-height: var(--even);
      }
      li {
        display: flex;
        gap: var(--gap-2);
        color: var(--ink-soft);
      }
      .met {
        color: var(--verdigris);
      }
    `,
  ];

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.trial?.end();
  }

  protected override willUpdate(): void {
    const { lesson, copiedLesson, text, report } = this.sessionEditor;
    const { original } = this;
    const isTask = lesson === undefined && original !== undefined && original.name === copiedLesson;
    const isReady = isTask && goalsOf(original.text, text, report).every(({ met }) => met);
    if (!isReady) this.trial?.end();
    else if (!this.trial) void this.loadTrial();
    else this.trial.follow(original.trials, stepsAboveCheck(report?.steps ?? []), this.playground);
  }

  private async loadTrial(): Promise<void> {
    const { TrialRun } = await import('../race/trial-run.ts');
    if (this.trial) return;
    this.trial = new TrialRun();
    this.trial.changes.on(['trial'], () => this.requestUpdate());
    this.requestUpdate();
  }

  override render(): TemplateResult | typeof nothing {
    const { lesson, copiedLesson, text } = this.sessionEditor;
    if (lesson === undefined) return copiedLesson === undefined ? nothing : this.renderTask(copiedLesson);
    const task = taskOf(text);
    return task ? this.renderOffer(task) : nothing;
  }

  private renderOffer({ task }: Task): TemplateResult {
    return html`<section aria-labelledby="task">
      <h3 id="task">Your task</h3>
      <p>${task}</p>
      <p class="row"><button class="button main" @click=${this.begin}>Start the task</button></p>
    </section>`;
  }

  /** Makes a copy with a check that states the wanted replies; the lesson stays as it is. */
  private begin(): void {
    const { sessionEditor } = this;
    sessionEditor.replace(
      begun(sessionEditor.text),
      'This is your copy. Edit the commands in the text above the check.',
    );
  }

  private renderTask(name: string): TemplateResult | typeof nothing {
    const lesson = this.textOf(name);
    const task = lesson === undefined ? undefined : taskOf(lesson);
    if (lesson === undefined || !task) return nothing;
    const written = goalsOf(lesson, this.sessionEditor.text, this.sessionEditor.report);
    const isWritten = written.every(({ met }) => met);
    const verdict = isWritten ? this.trial?.verdict : undefined;
    const goals = [...written, { text: 'every order of these commands is safe', met: verdict?.safe === true }];
    const solved = goals.every(({ met }) => met);
    if (solved && !progress.isDone(name)) progress.note(name, { solved });
    return html`<section aria-labelledby="task">
      <h3 id="task" class=${solved ? 'met' : ''}>${solved ? 'Solved: the race is safe' : 'Your task'}</h3>
      <p>${task.task}</p>
      <ul aria-label="Goals">${goals.map(renderGoal)}</ul>
      ${verdict && !verdict.safe ? this.renderFailure(verdict) : nothing}
      <p class="unseen" role="status">${solved ? 'The task is solved.' : isWritten && !verdict ? 'Every order runs.' : `${goals.filter(({ met }) => met).length} of ${goals.length} goals are met.`}</p>
    </section>`;
  }

  private renderFailure({ text, session }: Verdict): TemplateResult {
    const open = (): void => this.sessionEditor.openOwn({ text: session ?? '', title: text });
    return html`<p class="wrong">Not in every order. ${text}. ${session === undefined ? nothing : html`<button class="button" @click=${open}>Open such an order</button>`}</p>`;
  }

  private textOf(name: string): string | undefined {
    if (this.original?.name === name) return this.original.text;
    const lesson = lessons.find((listed) => listed.name === name);
    const trials = trialFiles[`../../lessons/trials/${name}.trial`];
    if (lesson && trials)
      void Promise.all([lesson.load(), trials()]).then(
        ([text, file]) => (this.original = { name, text, trials: file }),
        () => undefined,
      );
    return undefined;
  }
}

function renderGoal({ text, met }: Goal): TemplateResult {
  return html`<li class=${met ? 'met' : ''}><span aria-hidden="true">${met ? '✓' : '○'}</span><span>${text}<span class="unseen">${met ? ', met' : ', not met yet'}</span></span></li>`;
}

customElements.define('kl-lesson-task', LessonTask);
