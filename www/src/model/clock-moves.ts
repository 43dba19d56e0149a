/** Movements of the command line's clock, which are logged and recorded. */

import { isoText, remainingText, stepText } from '../text/durations.ts';
import type { Workspace } from './workspace.ts';

export function stepClock(workspace: Workspace, ms: number): void {
  workspace.note(`clock ${stepText(ms)}`);
  workspace.clock.step(ms);
  record(workspace);
}

export function moveClockTo(workspace: Workspace, instantMs: number): void {
  workspace.note(`clock ${isoText(instantMs)}`);
  workspace.clock.moveTo(instantMs);
  record(workspace);
}

export function stepToNextExpiry(workspace: Workspace): void {
  const { clock, db } = workspace;
  clock.sync();
  const due = db.nextExpiry();
  if (due === null) return workspace.note('Nothing is due: no key has an expiry.');
  workspace.note(`clock +${remainingText(due - clock.now())}, to the next expiry`);
  clock.moveTo(due);
  record(workspace);
}

function record({ clock, recording }: Workspace): void {
  recording.moved(clock.now());
}
