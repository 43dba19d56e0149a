/** A typed line as the commands that it stands for: `3 INCR n` is one, three times, as in redis-cli. */

import type { Keylatch } from 'keylatch/core';
import { LineError } from 'keylatch/core';
import { INVALID_REPETITIONS, repetitionsOf, splitLine } from 'keylatch/hints';
import { commandText } from '../keys/key-edit.ts';

/** Reason why a line was not run, and its column: columns count characters, from 1; 0 is the whole line. */
export interface LineProblem {
  readonly message: string;
  readonly column: number;
}

export interface TypedCommand {
  readonly text: string;
  readonly words: readonly Uint8Array[];
  readonly times: number;
}

const decoder = new TextDecoder();

/** Parses a line; its leading blanks count in the column of a problem. */
export function typedCommand(db: Keylatch, line: string): TypedCommand | LineProblem {
  try {
    const words = splitLine(db, line.trimEnd());
    const repeated = repetitionsOf(words.slice(0, 2).map((word) => decoder.decode(word)));
    if (repeated === undefined) return { message: INVALID_REPETITIONS, column: 1 };
    const command = words.slice(repeated.skipped);
    const text = repeated.skipped === 0 ? line.trim() : commandText(command);
    return { text, words: command, times: repeated.times };
  } catch (error) {
    if (error instanceof LineError) return { message: error.message, column: error.column };
    throw error;
  }
}
