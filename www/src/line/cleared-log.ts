/** Undo of clearing the command line's log, for which its entries and the recording are kept. */

import type { Log } from './log.ts';
import type { Recording } from '../recording/recording.ts';

/** Called before the log is cleared. Returns what puts log and recording in front of what came since. */
export function keptLogOf(log: Log, recording: Recording): () => void {
  const { entries } = log;
  const { recorded } = recording;
  return () => {
    const later = log.entries;
    log.clear();
    log.restore([...entries, ...later]);
    const { lines } = recording.recorded;
    // A recording that could not begin anew has gone on.
    if (lines !== recorded.lines) recording.resume({ ...recorded, lines: [...recorded.lines, ...lines] });
  };
}
