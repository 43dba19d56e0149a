/** Lines of texts as the engine's parser reads them. */

import type { Keylatch } from 'keylatch/core';
import { replyLines, type SessionLine, sessionLines } from 'keylatch/hints';

let reader: Keylatch | undefined;

/** Names the engine that reads lines. The page is shown after it was loaded. */
export function readLinesWith(db: Keylatch): void {
  reader = db;
}

function engine(): Keylatch {
  if (!reader) throw new Error('lines are read before the engine is loaded');
  return reader;
}

/** Lines of a session text, in order. */
export function linesOf(text: string): readonly SessionLine[] {
  return sessionLines(engine(), text);
}

/** Printed lines of a reply as lines of a session. */
export function asReply(printed: readonly string[]): string[] {
  return replyLines(engine(), printed);
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
