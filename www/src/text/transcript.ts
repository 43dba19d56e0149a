/** Writes the log of the command line as a session file that the engine can run and check. Pure. */

import { isoText, stepText } from './durations.ts';

export interface SpokenLine {
  readonly prompt: string;
  readonly text: string;
  readonly printed: readonly string[];
  readonly nowMs: number;
}

/** Lines that the session format would not parse as a reply. */
const NOT_A_REPLY = /^\s*$|^\s|^[#@!|]|^[\w.:[\]()-]*> ?|^[\w.-]+<$|^\(\d+\.\d\ds\)$|^Reading messages\.\.\./;

export function sessionText(lines: readonly SpokenLine[]): string {
  const first = lines[0];
  if (!first) return '';
  const written = [`@ ${isoText(first.nowMs)}`];
  let nowMs = first.nowMs;
  for (const line of lines) {
    if (line.nowMs !== nowMs) written.push(`@ ${stepText(line.nowMs - nowMs)}`);
    nowMs = line.nowMs;
    written.push(`${line.prompt} ${line.text.replace(/\n/g, '\\n')}`.trimEnd(), ...line.printed.map(replyLine));
  }
  return `${written.join('\n')}\n`;
}

function replyLine(line: string): string {
  return NOT_A_REPLY.test(line) ? `| ${line}` : line;
}
