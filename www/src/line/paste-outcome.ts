/** Result of a pasted transcript: errors, and replies that differ from the pasted ones. */

import { isAsPasted, type PastedCommand } from '../text/paste.ts';
import { isUnordered } from '../commands/command-names.ts';
import type { CommandEntry } from './log.ts';

/** Number of replies that are shown beside the pasted ones. */
const MAX_SHOWN = 3;

export class PasteOutcome {
  /** Number of replies that were pasted, too. */
  compared = 0;
  private ran = 0;
  private readonly failures: string[] = [];
  private readonly differing: string[] = [];

  /** Adds a command that ran; `entry` is missing, or another command's, when it was one of the page. */
  add(command: PastedCommand, entry: CommandEntry | undefined): void {
    this.ran += 1;
    if (entry?.text !== command.text) return;
    if (command.expected.length > 0) this.compare(command, entry);
    else if (entry.failed) this.failures.push(entry.text);
  }

  /** `count` commands were pasted. */
  summary(count: number): string {
    const some = this.ran < count ? `${this.ran} of ` : '';
    const parts = [count === 1 ? '1 line ran' : `${some}${count} lines ran`];
    if (this.failures.length > 0)
      parts.push(`${this.failures.length} answered with an error; the first: ${this.failures[0]}`);
    const differ = this.differing.length;
    if (differ > 0) parts.push(`${differ} of ${this.compared} replies differ from the pasted ones`);
    else if (this.compared > 0)
      parts.push(this.compared === 1 ? 'the reply is as pasted' : `all ${this.compared} replies are as pasted`);
    return [parts.join(', '), ...this.differing.slice(0, MAX_SHOWN)].join('. ');
  }

  private compare({ expected, text }: PastedCommand, { printed }: CommandEntry): void {
    this.compared += 1;
    if (isAsPasted(expected, printed, isUnordered(text))) return;
    this.differing.push(`${text}: pasted ${shown(expected)}, here ${shown(printed)}`);
  }
}

function shown(lines: readonly (string | undefined)[]): string {
  const text = lines.map((line) => line ?? '...').join(' ⏎ ');
  return text === '' ? 'nothing' : text.length > 80 ? `${text.slice(0, 79)}…` : text;
}
