/** The lessons, recipes and tasks: session files, of which the page holds the list. Each text is fetched when it is opened. */

import { headers } from 'virtual:lessons';

export type LessonKind = 'lesson' | 'recipe' | 'task';

export interface Lesson {
  /** File name without its extension, which names the lesson in links. */
  readonly name: string;
  readonly title: string;
  /** Recipes on plain commands and tasks are listed apart from the lessons. */
  readonly kind: LessonKind;
  /** Ids of themes (themes.ts). */
  readonly themes: readonly string[];
  /** Text of the session, which is opened and checked unchanged. */
  readonly load: () => Promise<string>;
}

const texts = import.meta.glob<string>('../../lessons/*.session', { query: '?raw', import: 'default' });

/** Lessons, recipes and tasks, in reading order. */
export const lessons: readonly Lesson[] = headers.map(([name, title, themes]) => ({
  name,
  title,
  kind: kindOf(name),
  themes: themes.split(', '),
  load: () => load(name),
}));

function kindOf(name: string): LessonKind {
  const [, kind] = /^\d+-(recipe|task)-/.exec(name) ?? [];
  return (kind as LessonKind | undefined) ?? 'lesson';
}

function load(name: string): Promise<string> {
  const fetchText = texts[`../../lessons/${name}.session`];
  return fetchText ? fetchText() : Promise.reject(new Error(`no lesson ${name}`));
}
