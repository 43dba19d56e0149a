/** Movements of the command line's clock, which are logged and recorded. */

import { instantParts, isoText, stepText } from '../text/durations.ts';
import type { PageClock } from './page-clock.ts';

/** Parts of the command line that a movement of its clock needs. */
export interface ClockedLine {
  readonly clock: PageClock;
  readonly db: { nextExpiry(): number | null };
  readonly recording: { moved(nowMs: number): void };
  note(text: string): void;
}

export function stepClock(line: ClockedLine, ms: number): void {
  const before = dayOf(line.clock.now());
  line.clock.step(ms);
  const day = dayOf(line.clock.now());
  line.note(`clock ${stepText(ms)}${day === before ? '' : `, to ${day}`}`);
  record(line);
}

export function moveClockTo(line: ClockedLine, instantMs: number): void {
  line.note(`clock ${isoText(instantMs)}`);
  line.clock.moveTo(instantMs);
  record(line);
}

export function stepToNextExpiry(line: ClockedLine): void {
  const { clock, db } = line;
  clock.sync();
  const due = db.nextExpiry();
  if (due === null) return line.note('Nothing is due: no key has an expiry.');
  line.note(`clock ${stepText(due - clock.now())}, to the next expiry`);
  clock.moveTo(due);
  record(line);
}

/** The day of an instant, as `2026-01-02`. */
function dayOf(ms: number): string {
  return instantParts(ms).date;
}

function record({ clock, recording }: ClockedLine): void {
  recording.moved(clock.now());
}
