/**
 * A recording as a session that passes: it is run from the recorded start, and where a reply cannot be the same again
 * (numbers of clients, memory, statistics), the lines that differ become `...`.
 */

import { runSessionOn, type SessionStep } from 'keylatch/hints';
import { type SpokenLine, transcript, type Transcript } from './transcript.ts';
import type { EngineMaker } from '../engine/engine.ts';
import type { Recorded } from './recording.ts';
import type { Source } from '../session/session-editor-model.ts';

export function sessionOf(recorded: Recorded, maker: EngineMaker): Source {
  return { text: transcriptOf(recorded, maker).text, start: recorded.start };
}

/** The text of the session, and where its recorded lines stand in it. */
export function transcriptOf(recorded: Recorded, maker: EngineMaker): Transcript {
  const lines = [...recorded.setup, ...recorded.lines];
  const once = relaxed(lines, recorded, maker, partly);
  const twice = once && relaxed(once, recorded, maker, wholly);
  return transcript(twice ?? once ?? lines);
}

/** The lines with looser replies where they differ; undefined when none does. */
function relaxed(
  lines: readonly SpokenLine[],
  { start }: Recorded,
  maker: EngineMaker,
  loosen: (line: SpokenLine, step: SessionStep) => SpokenLine,
): readonly SpokenLine[] | undefined {
  const { text, at } = transcript(lines);
  const { db } = maker.make();
  try {
    if (start) db.load(start);
    const steps = runSessionOn(db, text).steps.filter(({ verdict }) => verdict === 'mismatched');
    if (steps.length === 0) return undefined;
    const differing = new Map(steps.map((step) => [step.line, step]));
    return lines.map((line, index) => {
      const step = differing.get(at[index] ?? 0);
      return step ? loosen(line, step) : line;
    });
  } finally {
    db.close();
  }
}

/** Keeps the beginning and the end that both replies share. */
function partly(line: SpokenLine, { printed }: SessionStep): SpokenLine {
  const { printed: wanted } = line;
  const shorter = Math.min(wanted.length, printed.length);
  let head = 0;
  while (head < shorter && wanted[head] === printed[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && wanted.at(-1 - tail) === printed.at(-1 - tail)) tail += 1;
  const kept = [...wanted.slice(0, head), ...wanted.slice(wanted.length - tail)];
  return { ...line, printed: kept, gap: head };
}

function wholly(line: SpokenLine): SpokenLine {
  return { ...line, printed: [], gap: 0 };
}
