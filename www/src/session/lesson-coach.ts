/** Asks for replies before they are uncovered, and shows the task of a lesson. Loaded with a lesson that has either. */

import { css, html, nothing, type TemplateResult } from 'lit';
import { isAnswer, type Question, questionsOf } from './coach.ts';
import { LessonPart } from './lesson-part.ts';
import { progress } from '../lessons/progress.ts';
import { isLoaded } from '../parts/on-demand.ts';
import { printedLines, printedStyles } from '../parts/printed.ts';

interface Answered {
  readonly question: Question;
  readonly answer: string;
  readonly right: boolean;
}

export class LessonCoach extends LessonPart {
  private answers = new Map<number, Answered>();
  private lesson: string | undefined;

  static override styles = [
    LessonPart.styles,
    printedStyles,
    css`
      fieldset {
        display: flex;
        flex-wrap: wrap;
        gap: var(--gap-1) var(--gap-4);
        align-items: center;
        margin: 0;
        padding: 0;
        border: 0;
      }
      legend {
        padding: 0 0 var(--gap-1);
        font-weight: 600;
      }
      label {
        display: flex;
        gap: var(--gap-1);
        align-items: center;
        min-height: var(--target);
        font-family: var(--engine);
      }
      input {
        accent-color: var(--verdigris-fill);
      }
      .right {
        color: var(--verdigris);
      }
    `,
  ];

  override render(): TemplateResult | typeof nothing {
    const { lesson, copiedLesson } = this.sessionEditor;
    if (lesson !== this.lesson) {
      this.lesson = lesson;
      this.answers.clear();
    }
    if ((lesson ?? copiedLesson)?.includes('-task-')) return this.renderTask();
    return lesson === undefined ? nothing : this.renderQuestion();
  }

  private renderTask(): TemplateResult | typeof nothing {
    if (!isLoaded(this, 'kl-lesson-task', () => import('./lesson-task.ts'))) return nothing;
    return html`<kl-lesson-task .playground=${this.playground}></kl-lesson-task>`;
  }

  private renderQuestion(): TemplateResult | typeof nothing {
    const { at, report } = this.sessionEditor;
    const questions = questionsOf(report?.steps ?? []);
    this.recallAnswers(questions);
    const next = questions.find(({ stop }) => stop === at + 1);
    const answered = this.answers.get(at);
    if (answered) return this.renderAnswered(answered, questions.length);
    if (!next) return nothing;
    return html`<section aria-label="A question">
      <form @submit=${(event: SubmitEvent) => this.answer(event, next)}>
        <fieldset>
          <legend>${next.question}</legend>
          ${next.choices.length > 0 ? next.choices.map(renderChoice) : html`<input class="field" name="reply" aria-label="The reply to ${next.step.text}" autocomplete="off" autocapitalize="off" spellcheck="false" required />`}
          <button class="button main" type="submit">Check</button>
        </fieldset>
      </form>
    </section>`;
  }

  /** Takes the answers of earlier visits over. */
  private recallAnswers(questions: readonly Question[]): void {
    const { answers } = progress.of(this.lesson ?? '');
    for (const question of questions) {
      const answer = answers[question.stop];
      if (answer === undefined || this.answers.has(question.stop)) continue;
      this.answers.set(question.stop, { question, answer, right: isAnswer(answer, question.step) });
    }
  }

  /** Compares the answer, then uncovers the step. */
  private answer(event: SubmitEvent, question: Question): void {
    event.preventDefault();
    const answer = String(new FormData(event.target as HTMLFormElement).get('reply') ?? '');
    if (answer === '') return;
    this.answers.set(question.stop, { question, answer, right: isAnswer(answer, question.step) });
    const given = [...this.answers].map(([stop, answered]) => [stop, answered.answer]);
    progress.note(this.lesson ?? '', { answers: Object.fromEntries(given) });
    this.sessionEditor.goTo(question.stop);
    void this.updateComplete.then(() => this.renderRoot.querySelector<HTMLElement>('[tabindex]')?.focus());
  }

  private renderAnswered({ question, answer, right }: Answered, count: number): TemplateResult {
    const hits = [...this.answers.values()].filter((answered) => answered.right).length;
    return html`<section aria-label="Your answer">
      <p tabindex="-1" role="status" class=${right ? 'right' : 'wrong'}>${right ? 'Right.' : `Not ${answer}.`} ${question.step.text} replies:</p>
      <pre class="reply">${printedLines(question.step.printed)}</pre>
      <p>${hits} of ${count} ${count === 1 ? 'question' : 'questions'} of this lesson answered rightly. <button class="button" @click=${() => this.sessionEditor.goTo(question.stop + 1)}>Next step</button></p>
    </section>`;
  }
}

function renderChoice(choice: string): TemplateResult {
  return html`<label><input type="radio" name="reply" value=${choice} required />${choice}</label>`;
}

customElements.define('kl-lesson-coach', LessonCoach);
