/** Durations and instants as people read them, and the page's `@` clock lines. Pure. */

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: SECOND_MS, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS };

/** A remaining time: `850 ms`, `9.3 s`, `4 m 12 s`, `3 h 05 m`, `12 d 4 h`. Rounded up. */
export function remainingText(ms: number): string {
  if (ms < SECOND_MS) return `${Math.max(0, Math.ceil(ms))} ms`;
  if (ms < 10 * SECOND_MS) return `${(Math.ceil(ms / 100) / 10).toFixed(1)} s`;
  const whole = Math.ceil(ms / SECOND_MS) * SECOND_MS;
  if (whole < MINUTE_MS) return `${whole / SECOND_MS} s`;
  if (whole < HOUR_MS) return pair(whole, MINUTE_MS, 'm', SECOND_MS, 's');
  if (whole < DAY_MS) return pair(whole, HOUR_MS, 'h', MINUTE_MS, 'm');
  return pair(whole, DAY_MS, 'd', HOUR_MS, 'h');
}

function pair(ms: number, large: number, largeUnit: string, small: number, smallUnit: string): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)} ${largeUnit} ${String(rest).padStart(2, '0')} ${smallUnit}`;
}

/** A step in the form of session files, in the largest unit that fits exactly: `+5s`, `+1500ms`, `-2m`. */
export function stepText(ms: number): string {
  const size = Math.abs(ms);
  const [unit, unitMs] = Object.entries(UNITS_MS)
    .reverse()
    .find(([, length]) => size >= length && size % length === 0) ?? ['ms', 1];
  return `${ms < 0 ? '-' : '+'}${size / unitMs}${unit}`;
}

export type ClockLine = { readonly stepMs: number } | { readonly instantMs: number } | 'next';

/** Parses `@ +5s`, `@ -2m`, `@ next` and `@ 2026-01-01T00:00:00Z`; undefined for other lines. */
export function readClockLine(line: string): ClockLine | undefined {
  const rest = /^@\s*(\S+)$/.exec(line.trim())?.[1];
  if (!rest) return undefined;
  if (rest === 'next') return 'next';
  const step = /^([+-])(\d+)(ms|s|m|h|d)$/.exec(rest);
  if (step) return { stepMs: Number(`${step[1]}${step[2]}`) * (UNITS_MS[step[3] as string] as number) };
  const instantMs = /^\d{4}-\d\d-\d\d/.test(rest) ? Date.parse(rest) : Number.NaN;
  return Number.isNaN(instantMs) ? undefined : { instantMs };
}

/** The parts of an instant in UTC, for the clock's face. */
export function instantParts(ms: number): { date: string; time: string; millis: string } {
  const iso = isoText(ms);
  const [date = '', rest = ''] = iso.split('T');
  return { date, time: rest.slice(0, 8), millis: rest.slice(9, 12) };
}

/** ISO 8601 of an instant, clamped to the range of Date. */
export function isoText(ms: number): string {
  const LIMIT_MS = 8.64e15;
  return new Date(Math.min(Math.max(ms, -LIMIT_MS), LIMIT_MS)).toISOString();
}
