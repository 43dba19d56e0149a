/** The page's own words at the prompt: `clear`, `help`, and the clock lines of session files. */

import { readClockLine } from '../text/durations.ts';
import { type ClockedLine, moveClockTo, stepClock, stepToNextExpiry } from '../clock/clock-moves.ts';
import { rowNamed } from '../commands/commands.ts';
import type { Log } from './log.ts';

/** Parts of the command line that the page's words act on. */
interface WordedLine extends ClockedLine {
  readonly log: Log;
  clearLog(): void;
}

/** Runs a line that is for the page and not for the engine; false: it is a command. */
export function runPageWord(line: WordedLine, text: string): boolean {
  const [word = '', ...rest] = text.split(/\s+/);
  if (word.toLowerCase() === 'clear' && rest.length === 0) line.clearLog();
  else if (word.toLowerCase() === 'help') help(line, rest.join(' '));
  else if (word.startsWith('@')) moveClock(line, text);
  else return false;
  return true;
}

/** Opens a help card; without a topic, lists the words of the page. */
function help(line: WordedLine, topic: string): void {
  const row = rowNamed(topic);
  if (row) line.log.add({ kind: 'card', row });
  else if (topic) line.note(`Unknown command ${topic}. The Commands view lists all commands.`);
  else
    line.note(
      'help SET shows the command. clear clears the log. @ +5s moves the clock, @ next moves it to the next expiry.',
    );
}

function moveClock(line: WordedLine, text: string): void {
  const move = readClockLine(text);
  if (move === undefined) line.note('Expected @ +5s, @ -2m, @ next or @ 2026-01-01T00:00:00Z.');
  else if (move === 'next') stepToNextExpiry(line);
  else if ('stepMs' in move) stepClock(line, move.stepMs);
  else moveClockTo(line, move.instantMs);
}
