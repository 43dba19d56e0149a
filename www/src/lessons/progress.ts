/** How far the visitor is in each lesson: the step, the answers, a solved task. Kept between visits. */

import { Emitter } from '../base/emitter.ts';
import { keep, recall } from '../base/storage.ts';

const NAME = 'progress';

export interface LessonProgress {
  /** Steps that were taken, of all. */
  readonly step: number;
  readonly steps: number;
  /** Answers by the numbers of their steps. */
  readonly answers: Readonly<Record<string, string>>;
  readonly solved: boolean;
}

const NONE: LessonProgress = { step: 0, steps: 0, answers: {}, solved: false };

class Progress {
  readonly changes = new Emitter<'progress'>();
  /** By the name of the lesson, the latest one last. */
  private readonly lessons = readLessons(recall(NAME));

  of(name: string): LessonProgress {
    return this.lessons.get(name) ?? NONE;
  }

  /** True for a lesson that was read to its end, or a task that was solved. */
  isDone(name: string): boolean {
    const { step, steps, solved } = this.of(name);
    return solved || (step > 0 && step >= steps && !name.includes('-task-'));
  }

  /** Name of the latest lesson that was begun and is not done. */
  get begun(): string | undefined {
    return [...this.lessons.keys()].reverse().find((name) => this.of(name).step > 1 && !this.isDone(name));
  }

  note(name: string, changed: Partial<LessonProgress>): void {
    const noted = { ...this.of(name), ...changed };
    this.lessons.delete(name);
    this.lessons.set(name, noted);
    keep(NAME, JSON.stringify([...this.lessons]));
    this.changes.emit('progress');
  }
}

/** Text that is not of this page counts as none. */
function readLessons(text: string | undefined): Map<string, LessonProgress> {
  try {
    const entries = JSON.parse(text ?? '[]') as [string, Partial<LessonProgress>][];
    return new Map(entries.map(([name, kept]) => [name, { ...NONE, ...kept }]));
  } catch {
    return new Map();
  }
}

export const progress = new Progress();
