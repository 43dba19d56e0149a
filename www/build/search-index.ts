/** The file `search.json`: all that the search of the site reads, without the pages. It is loaded by the first query. */

import { readFileSync } from 'node:fs';
import { themes } from '../src/lessons/theme-list.ts';
import { type SearchEntry, wordsOf } from '../src/search/search.ts';
import { serverNote } from '../src/base/servers.ts';
import { commandPath, lessonPath } from '../src/base/site-paths.ts';
import type { LessonFile } from './lessons.ts';
import { plainText } from './markdown.ts';
import { SEARCH_WORDS } from './search-words.ts';
import { sessionParts } from './session-prose.ts';

const TABLE = new URL('../../target/npm/keylatch/commands.json', import.meta.url);

/** A guide as the index takes it. */
export interface SearchedGuide {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly path: string;
  readonly markdown: string;
}

/** All entries. */
export function searchEntries(lessons: readonly LessonFile[], guides: readonly SearchedGuide[]): SearchEntry[] {
  return [...lessons.map(ofLesson), ...guides.map(ofGuide), ...commandEntries(), ...useEntries()].map(withoutRepeats);
}

function ofLesson({ name, title, text, themes: ids }: LessonFile): SearchEntry {
  const prose = sessionParts(text).flatMap((part) =>
    part.kind === 'paragraph' || part.kind === 'task' ? part.text : [],
  );
  const [, kind = 'lesson'] = /^\d+-(?:(recipe|task)-)?/.exec(name) ?? [];
  return {
    kind: kind as 'lesson' | 'recipe' | 'task',
    name,
    title,
    about: firstSentence(prose[0] ?? ''),
    path: lessonPath(name),
    words: `${ids.replaceAll(',', '')} ${SEARCH_WORDS[name] ?? ''}`,
    text: prose.join(' '),
  };
}

function ofGuide({ name, title, about, path, markdown }: SearchedGuide): SearchEntry {
  const headings = [...markdown.matchAll(/^## (.*)$/gm)].map(([, heading]) => plainText(heading ?? ''));
  const words = `${SEARCH_WORDS[name] ?? ''} ${headings.join(' ')}`;
  return {
    kind: 'guide',
    name,
    title,
    about,
    path,
    words,
    text: plainText(markdown.replace(/^```[\s\S]*?^```/gm, '')),
  };
}

function commandEntries(): SearchEntry[] {
  const rows = JSON.parse(readFileSync(TABLE, 'utf8')) as {
    name: string;
    summary: string;
    group: string;
    since: string;
  }[];
  return rows.map(({ name, summary, group, since }) => {
    const title = name.replace('|', ' ');
    return {
      kind: 'command',
      name: title,
      title,
      about: summary + serverNote(since),
      path: commandPath(title),
      words: group,
      text: '',
    };
  });
}

/** Commands for a purpose, with their part in it. */
function useEntries(): SearchEntry[] {
  return themes.flatMap(({ words, commands }) =>
    commands.map(({ form, name, use }) => ({
      kind: 'use' as const,
      name,
      title: form,
      about: use,
      path: commandPath(name),
      words,
      text: '',
    })),
  );
}

function firstSentence(text: string): string {
  return plainText(/^.*?[.?:](?=\s|$)/.exec(text)?.[0] ?? text);
}

/** Text without the words of the other fields, each once. */
function withoutRepeats(entry: SearchEntry): SearchEntry {
  const known = new Set([entry.title, entry.words, entry.about].flatMap(wordsOf));
  const words = new Set(wordsOf(entry.text).filter((word) => word.length > 2 && !known.has(word)));
  return { ...entry, text: [...words].join(' ') };
}
