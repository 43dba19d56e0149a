/**
 * The list of lessons as a module, `virtual:lessons`: names, titles and headers of the session files in www/lessons,
 * without their texts. The page fetches a text when its lesson is opened.
 */

import { readdirSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const FOLDER = new URL('../lessons/', import.meta.url);
const NAME = 'virtual:lessons';
const RESOLVED = `\0${NAME}`;

export function lessonList(): Plugin {
  return {
    name: 'keylatch-lesson-list',
    resolveId: { filter: { id: /^virtual:lessons$/ }, handler: () => RESOLVED },
    load: { filter: { id: /virtual:lessons$/ }, handler: () => `export const headers = ${JSON.stringify(headers())};` },
  };
}

/** A lesson, recipe or task as its file has it. */
export interface LessonFile {
  /** File name without its extension. */
  readonly name: string;
  readonly title: string;
  /** Ids of themes, separated by commas. */
  readonly themes: string;
  readonly text: string;
}

/** For each lesson its name, title and themes, in reading order. */
function headers(): [name: string, title: string, themes: string][] {
  return lessonFiles().map(({ name, title, themes }) => [name, title, themes]);
}

/** All lessons, recipes and tasks, in reading order. */
export function lessonFiles(): LessonFile[] {
  const files = readdirSync(FOLDER).filter((file) => file.endsWith('.session'));
  files.sort((one, other) => rankOf(one) - rankOf(other) || (one < other ? -1 : 1));
  return files.map((file) => {
    const text = readFileSync(new URL(file, FOLDER), 'utf8');
    const title = /^##\s*(?:(?:Recipe|Task):\s*)?(.+)$/m.exec(text)?.[1];
    const themes = /^# Themes: (.+)$/m.exec(text)?.[1];
    if (!title || !themes) throw new Error(`www/lessons/${file} lacks a heading or a line "# Themes: "`);
    return {
      name: file.replace(/\.session$/, ''),
      title: `${title.charAt(0).toUpperCase()}${title.slice(1)}`,
      themes,
      text,
    };
  });
}

/** Lessons come before recipes, and recipes before tasks. */
function rankOf(file: string): number {
  return file.includes('-task-') ? 2 : Number(file.includes('-recipe-'));
}
