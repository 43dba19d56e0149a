/** The page's own words at the prompt: `clear`, `help`, and the clock lines of session files. */

import { moveClockTo, stepClock, stepToNextExpiry } from './clock-moves.ts';
import { readClockLine } from '../text/durations.ts';
import { rowNamed } from './commands.ts';
import type { Workspace } from './workspace.ts';

/** Runs a line that is for the page and not for the engine; false: it is a command. */
export function runPageWord(workspace: Workspace, text: string): boolean {
  const [word = '', ...rest] = text.split(/\s+/);
  if (word.toLowerCase() === 'clear' && rest.length === 0) workspace.clearLog();
  else if (word.toLowerCase() === 'help') help(workspace, rest.join(' '));
  else if (word.startsWith('@')) moveClock(workspace, text);
  else return false;
  return true;
}

/** Opens a help card; without a topic, lists the words of the page. */
function help(workspace: Workspace, topic: string): void {
  const row = rowNamed(topic);
  if (row) workspace.log.add({ kind: 'card', row });
  else if (topic) workspace.note(`Unknown command ${topic}. The Commands view lists all commands.`);
  else
    workspace.note(
      'help SET shows the command. clear clears the log. @ +5s moves the clock, @ next moves it to the next expiry.',
    );
}

function moveClock(workspace: Workspace, text: string): void {
  const line = readClockLine(text);
  if (line === undefined) workspace.note('Expected @ +5s, @ -2m, @ next or @ 2026-01-01T00:00:00Z.');
  else if (line === 'next') stepToNextExpiry(workspace);
  else if ('stepMs' in line) stepClock(workspace, line.stepMs);
  else moveClockTo(workspace, line.instantMs);
}
