/** Writes the log of the command line as a session file that the engine can run and check. */

import { isoText, stepText } from '../text/durations.ts';
import { asReply } from '../text/session-lines.ts';

export interface SpokenLine {
  readonly prompt: string;
  readonly text: string;
  readonly printed: readonly string[];
  readonly nowMs: number;
  /** Index among the printed lines at which others are left out: `...` stands for them. */
  readonly gap?: number | undefined;
}

/** Prompt of a line that is a movement of the clock. */
export const CLOCK_PROMPT = '@';

/** A session text with the number of the line at which each of its commands stands. */
export interface Transcript {
  readonly text: string;
  readonly at: readonly number[];
}

/** Line of a session that stands for any lines. */
const ANYTHING = '...';
export function transcript(lines: readonly SpokenLine[]): Transcript {
  const first = lines[0];
  if (!first) return { text: '', at: [] };
  const written = [`@ ${isoText(first.nowMs)}`];
  const at: number[] = [];
  let nowMs = first.nowMs;
  for (const line of lines) {
    if (line.nowMs !== nowMs) written.push(`@ ${stepText(line.nowMs - nowMs)}`);
    nowMs = line.nowMs;
    const isMove = line.prompt === CLOCK_PROMPT;
    at.push(written.length + (isMove ? 0 : 1));
    if (isMove) continue;
    const replies = asReply(line.printed);
    if (line.gap !== undefined) replies.splice(line.gap, 0, ANYTHING);
    written.push(`${line.prompt} ${line.text}`.trimEnd(), ...replies);
  }
  return { text: `${written.join('\n')}\n`, at };
}

export function sessionText(lines: readonly SpokenLine[]): string {
  return transcript(lines).text;
}
