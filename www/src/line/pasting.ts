/** A pasted text that runs in slices: the page answers meanwhile, and the text can be stopped. */

import type { PastedCommand } from '../text/paste.ts';
import type { CommandEntry } from './log.ts';
import { PasteOutcome } from './paste-outcome.ts';
import { Slices } from '../base/slices.ts';

/** The log's entry of a command for the engine, or the reason why it cannot be parsed. */
export interface PastedResult<Problem> {
  readonly problem: Problem | undefined;
  readonly entry: CommandEntry | undefined;
}

export class Pasting {
  isRunning = false;

  /** Ends the text before its next command. */
  stop(): void {
    this.isRunning = false;
  }

  /** Runs commands up to the first that cannot be parsed; `repaint` is called after each slice. */
  async run<Problem>(
    commands: readonly PastedCommand[],
    run: (command: PastedCommand) => PastedResult<Problem>,
    repaint: () => void,
  ): Promise<{ problem: Problem | undefined; summary: string | undefined }> {
    const outcome = new PasteOutcome();
    const slices = new Slices(repaint);
    let problem: Problem | undefined;
    this.isRunning = true;
    for (const command of commands) {
      await slices.pause();
      if (!this.isRunning) break;
      const result = run(command);
      problem = result.problem;
      if (problem) break;
      outcome.add(command, result.entry);
    }
    this.isRunning = false;
    const isWorthSaying = commands.length > 1 || outcome.compared > 0;
    return { problem, summary: isWorthSaying ? outcome.summary(commands.length) : undefined };
  }
}
