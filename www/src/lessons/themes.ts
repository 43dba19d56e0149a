/** Lessons of the purposes in the list of themes. */

import { lessons, type Lesson } from './lessons.ts';
import type { Theme } from './theme-list.ts';

export function lessonsOf({ id }: Theme): readonly Lesson[] {
  return lessons.filter((lesson) => lesson.themes.includes(id));
}
