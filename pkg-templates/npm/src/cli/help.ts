/** Texts of `help`, built from the command rows. Prints nothing. */
import { syntaxOf } from '../hints/hint.js';
import type { CommandRow, CommandRows } from './package-files.js';

const INTRODUCTION = `Type a command, for example  SET door me NX PX 5000
  help COMMAND    what a command does, as  help set
  help @GROUP     the commands of a group, as  help @string
  Tab completes, the arrows walk through the history
  clear           empties the screen
  quit            ends`;

function card(rows: CommandRows, row: CommandRow): string {
  return [
    '',
    `  ${syntaxOf(rows, row)}`,
    `  summary: ${row.summary}`,
    `  since: ${row.since}`,
    `  group: ${row.group}`,
    `  complexity: ${row.complexity}`,
    '',
  ].join('\n');
}

function groupList(rows: CommandRows, group: string): string | undefined {
  const members = [...rows.values()].filter((row) => row.group === group);
  if (members.length === 0) return undefined;
  return ['', ...members.map((row) => `  ${syntaxOf(rows, row)}\n  ${row.summary}\n`)].join('\n');
}

function groupNames(rows: CommandRows): string {
  return [...new Set([...rows.values()].map(({ group }) => `@${group}`))].sort().join(' ');
}

/** Text for `help WORDS...`. */
export function help(rows: CommandRows, words: readonly string[]): string {
  const [first] = words;
  if (first === undefined) return `${INTRODUCTION}\ngroups: ${groupNames(rows)}`;
  if (first.startsWith('@')) {
    return (
      groupList(rows, first.slice(1).toLowerCase()) ?? `unknown group ${first}; expected one of ${groupNames(rows)}`
    );
  }
  const row = rows.get(words.join('|').toUpperCase()) ?? rows.get(first.toUpperCase());
  return row ? card(rows, row) : `unknown command ${first}`;
}
