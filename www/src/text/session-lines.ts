/** Lines of texts as the engine's parser reads them. */

import type { Keylatch } from 'keylatch/core';
import { type SessionLine, sessionLines } from 'keylatch/hints';

let reader: Keylatch | undefined;

/** Names the engine that reads lines. The page is shown after it was loaded. */
export function readLinesWith(db: Keylatch): void {
  reader = db;
}

/** Lines of a session text, in order. */
export function linesOf(text: string): readonly SessionLine[] {
  if (!reader) throw new Error('lines are read before the engine is loaded');
  return sessionLines(reader, text);
}

/** Lines of foreign text, each as if it stood alone: the indentation of a block is not that of a session yet. */
export function linesApart(text: string): readonly SessionLine[] {
  // A blank line ends a block.
  return linesOf(text.replaceAll('\n', '\n\n')).filter((_, index) => index % 2 === 0);
}

/** The first line of a text by itself. */
export function firstLine(text: string): SessionLine {
  const [line] = linesOf(text.split('\n', 1)[0] ?? '');
  return line as SessionLine;
}
