/** Titles of sessions: the first heading, else the first command. */

import { linesOf } from './session-lines.ts';

const MAX_CHARS = 60;
/** Part of a text that is searched: a title deep inside a long text is none. */
const SEARCHED_CHARS = 20_000;

export function titleOf(text: string): string {
  const lines = linesOf(text.slice(0, SEARCHED_CHARS));
  const heading = lines.find(({ kind }) => kind === 'heading')?.rest.replace(/^\s*#+/, '');
  const command = lines.find(({ kind }) => kind === 'command')?.rest;
  const title = (heading ?? command ?? '').replace(/\s+/g, ' ').trim();
  return title.length > MAX_CHARS ? `${title.slice(0, MAX_CHARS - 1)}…` : title || 'Untitled';
}

/** Titles of a list, with a number behind those that occur more than once. */
export function distinctTitles(titles: readonly string[]): string[] {
  const seen = new Map<string, number>();
  return titles.map((title) => {
    const count = (seen.get(title) ?? 0) + 1;
    seen.set(title, count);
    return count === 1 ? title : `${title} (${count})`;
  });
}
