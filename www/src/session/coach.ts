/** Questions of lessons: each asks for the reply of a step before it is uncovered. */

import type { SessionStep as Step } from 'keylatch/hints';
import { isLesson, lessonMark } from '../lessons/lesson-marks.ts';

/** A question about the reply of a stop. */
export interface Question {
  /** Number of the stop, counted from 1. */
  readonly stop: number;
  readonly question: string;
  readonly choices: readonly string[];
  readonly step: Step;
}

export function questionsOf(steps: readonly Step[]): Question[] {
  if (!isLesson(steps.map(({ text }) => text))) return [];
  const questions: Question[] = [];
  let stop = 0;
  let asked: { question: string; choices: readonly string[] } | undefined;
  for (const step of steps) {
    const mark = step.kind === 'comment' ? lessonMark(step.text) : undefined;
    if (mark?.kind === 'question') asked = mark;
    if (step.kind === 'comment' || step.kind === 'heading') continue;
    stop += 1;
    if (asked) questions.push({ ...asked, stop, step });
    asked = undefined;
  }
  return questions;
}

/** True if an answer is the printed reply: blanks and the notation of types do not count. */
export function isAnswer(answer: string, { printed }: Step): boolean {
  return plain(answer) !== '' && plain(answer) === plain(printed.join(' '));
}

function plain(reply: string): string {
  return reply
    .replace(/^\((?:integer|double)\)|^\(error\) (?=WRONGTYPE)/, '')
    .replace(/^(WRONGTYPE).*/, '$1')
    .replace(/["'\s()]/g, '')
    .toLowerCase();
}
