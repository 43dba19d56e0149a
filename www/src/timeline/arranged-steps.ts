/**
 * A report arranged for reading: prose joined to paragraphs, a lane for each client, the position of each step in time.
 * Pure.
 */

import type { SessionStep as Step } from 'keylatch/hints';
import { isLesson, lessonMark } from '../lessons/lesson-marks.ts';

export type Item =
  | { readonly kind: 'heading'; readonly line: number; readonly text: string }
  | {
      readonly kind: 'prose';
      readonly line: number;
      readonly text: string;
      /** The stop with a question that the prose answers. */
      readonly answers?: number | undefined;
    }
  | { readonly kind: 'stop'; readonly line: number; readonly step: Step; readonly stop: number };

/** Lines of a race in words. */
const MARKS: Partial<Record<Step['kind'], (client: string) => string>> = {
  race: () => 'A race: the lines up to its end may run in any order that keeps each client’s own.',
  join: () => 'End of the race.',
  enter: (client) => `${client} believes itself inside.`,
  leave: (client) => `${client} is outside.`,
};
/** Steps that may hold the header of a lesson. */
const HEAD_STEPS = 4;

/** Steps as items; stops are counted from 1, as in the scrubber. */
export function arrange(steps: readonly Step[]): Item[] {
  const arrangement = new Arrangement(isLesson(steps.slice(0, HEAD_STEPS).map(({ text }) => text)));
  for (const step of steps) arrangement.add(step);
  return arrangement.items;
}

class Arrangement {
  readonly items: Item[] = [];
  private stops = 0;
  private lastProseLine = -1;
  /** True after a question, until the stop that it asks about. */
  private isAsked = false;
  /** The stop of the question before, until the next stop. */
  private answers: number | undefined;

  /** In lessons, some comments are marks. */
  constructor(private readonly isLesson: boolean) {}

  add(step: Step): void {
    const { kind, line } = step;
    const text = step.text.replace(/^\s*#+\s?/, '').trim();
    const mark = MARKS[kind]?.(step.client || 'keylatch');
    if (kind === 'comment') this.addComment(step, text);
    else if (kind === 'heading') this.items.push({ kind, line, text });
    else if (mark !== undefined) this.items.push({ kind: 'prose', line, text: mark });
    else this.addStop(step);
  }

  private addStop(step: Step): void {
    this.stops += 1;
    this.items.push({ kind: 'stop', line: step.line, step, stop: this.stops });
    this.answers = this.isAsked ? this.stops : undefined;
    this.isAsked = false;
  }

  private addComment(step: Step, text: string): void {
    const mark = this.isLesson ? lessonMark(step.text) : undefined;
    if (mark || text === '') this.lastProseLine = -1;
    if (mark?.kind === 'question') {
      this.items.push({ kind: 'prose', line: step.line, text: mark.question });
      this.isAsked = true;
    } else if (!mark && text !== '') this.addProse(step.line, text);
  }

  /** Lines without one between them are a paragraph. */
  private addProse(line: number, text: string): void {
    const previous = this.items.at(-1);
    if (previous?.kind === 'prose' && this.lastProseLine === line - 1)
      this.items[this.items.length - 1] = { ...previous, text: `${previous.text} ${text}` };
    else this.items.push({ kind: 'prose', line, text, answers: this.answers });
    this.lastProseLine = line;
  }
}

/** Names of the clients in the order of their first command; "" is the default client. */
export function clientNamesOf(steps: readonly Step[]): string[] {
  const speaking = steps.filter((step) => step.kind === 'command' || step.kind === 'receive');
  return [...new Set(speaking.map((step) => step.client))];
}
