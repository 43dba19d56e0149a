/** Faults of typed lines in words: what is wrong, and what was probably meant. */

import { findFault, type LineFault, splitCommands } from 'keylatch/hints';
import { commandRows } from '../commands/commands.ts';
import { addressedLine } from '../text/addressed-line.ts';
import type { Explanation } from './case.ts';
import { FOR_TESTS, missingSince } from './not-here.ts';

/** Words of the page itself, which are no commands. */
const OWN = /^\s*(?:@|clear\s*$|help(?:\s|$))/i;

/** Length above which a text is not checked: it would be slow at each key. */
const MAX_CHARS = 10_000;

/** The first fault of a typed line, or of several lines, with its place in the whole text. */
export function lineFault(text: string): LineFault | undefined {
  if (text.length > MAX_CHARS) return undefined;
  for (const { text: line, start } of splitCommands(text)) {
    const { command } = addressedLine(line);
    if (OWN.test(command)) continue;
    const fault = findFault(commandRows, command);
    const before = start + line.length - command.length;
    if (fault) return { ...fault, start: fault.start + before, end: fault.end + before };
  }
  return undefined;
}

/** A fault as a sentence, with the lines that were probably meant. */
export function faultSentence(fault: LineFault, text: string): Explanation {
  const near = notHere(fault) === undefined ? fault.near : [];
  const drafts = near.map((word) => `${text.slice(0, fault.start)}${word}${text.slice(fault.end)}`);
  return { text: `${problemOf(fault)}${near.length > 0 ? ' Did you mean this?' : ''}`, drafts };
}

function notHere({ kind, word, row }: LineFault): string | undefined {
  if (kind !== 'command' && kind !== 'subcommand') return undefined;
  return missingSince(kind === 'command' ? word : `${row?.name ?? ''}|${word}`);
}

function problemOf(fault: LineFault): string {
  const { kind, word, row, expected } = fault;
  const name = row?.name.replace('|', ' ') ?? '';
  const since = notHere(fault);
  if (since !== undefined)
    return `Not in keylatch: Redis has ${`${name} ${word}`.trim().toUpperCase()} ${since === FOR_TESTS ? 'for its own tests' : `since ${since}`}.`;
  switch (kind) {
    case 'command':
      return `There is no command ${word}.`;
    case 'subcommand':
      return `${name} has no subcommand ${word}.`;
    case 'option':
      return `${name} has no option ${word} here.`;
    case 'repeated':
      return `${word} does not fit here: it is there already, or another option excludes it.`;
    case 'value':
      return `${word} is ${wantedType(expected?.type)}, which ${expected?.name ?? 'this argument'} has to be.`;
    case 'extra':
      return `${name} takes no more arguments than those in front of ${word}.`;
  }
}

function wantedType(type: string | undefined): string {
  return type === 'double' ? 'no number' : 'no whole number';
}
