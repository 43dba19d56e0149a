/** Verdicts of sessions in words. Pure. */
import type { SessionStep } from '../session/session.js';

/** Verdict on the stops of a session. */
export interface SessionVerdict {
  /** Number of stops that differ from what was expected. */
  readonly differing: number;
  /** Number of stops that expect something. */
  readonly checked: number;
  /** The verdict in words. */
  readonly words: string;
  /** Words for commands that ran unchecked, to stand behind others; empty for none. */
  readonly unchecked: string;
}

/** The verdict on stops, as the playground has it. */
export function sessionVerdict(stops: readonly SessionStep[]): SessionVerdict {
  const checked = stops.filter(({ verdict }) => verdict !== 'ran').length;
  const differing = stops.filter(({ verdict }) => verdict === 'mismatched').length;
  const ran = stops.filter(({ verdict, kind }) => verdict === 'ran' && kind !== 'clock').length;
  const unchecked = ran > 0 ? `, ${ran} ran unchecked` : '';
  return { differing, checked, words: wordsOf(differing, checked, ran, unchecked), unchecked };
}

function wordsOf(differing: number, checked: number, ran: number, unchecked: string): string {
  if (differing > 0) return `${differing} of ${checked} checked steps differ`;
  if (checked > 0) return `${checked} checked, all as expected${unchecked}`;
  return `${ran} step${ran === 1 ? '' : 's'} ran, none has an expected reply`;
}
