/** Parts of sentences about keys and time, as they were when a command ran. Pure. */

import { instantParts, remainingText } from '../text/durations.ts';
import type { FieldFacts, KeyFacts, Touch } from './witness.ts';

const TYPES: Readonly<Record<string, string>> = {
  string: 'a string',
  list: 'a list',
  set: 'a set',
  zset: 'a sorted set',
  hash: 'a hash',
};

export function typeName(type: string | undefined): string {
  return TYPES[type ?? ''] ?? 'no key';
}

/** `12 s left`, or that there is no deadline. */
export function timeLeft(deadlineMs: number | null, nowMs: number): string {
  return deadlineMs === null ? 'no deadline' : `${remainingText(deadlineMs - nowMs)} left`;
}

/** `lock exists ("me", 12 s left)`. */
export function existing({ key, type, value, deadlineMs }: KeyFacts, nowMs: number): string {
  const what = value === undefined ? typeName(type) : `"${value}"`;
  return `${key} exists (${what}, ${timeLeft(deadlineMs, nowMs)})`;
}

const WAYS: Readonly<Record<string, string>> = {
  expired: 'expired',
  evicted: 'was evicted',
  del: 'was deleted',
  rename_from: 'was renamed',
  move_from: 'was moved to another database',
};

/** `lock does not exist`, and how it went. */
export function absent({ key, gone }: KeyFacts, nowMs: number): string {
  if (!gone) return `${key} does not exist`;
  const by = gone.by === undefined ? '' : ` by ${gone.by}`;
  return `${key} does not exist: it ${WAYS[gone.event] ?? 'went'}${by} ${ago(gone.atMs, nowMs)}`;
}

export function ago(atMs: number, nowMs: number): string {
  return nowMs <= atMs ? 'at this instant' : `${remainingText(nowMs - atMs)} ago`;
}

/** `was set by C1 2 s ago`, for a change of a watched key. */
export function changed({ event, by, atMs }: Touch, nowMs: number): string {
  const agent = by === undefined ? '' : ` by ${by}`;
  return `${WAYS[event] ?? `was changed (${event})`}${agent} ${ago(atMs, nowMs)}`;
}

export function clockTime(ms: number): string {
  const { time, millis } = instantParts(ms);
  return `${time}.${millis}`;
}

/** A holder of a latch: a field `mode permits depth delay token`. */
export interface Holder {
  readonly owner: string;
  readonly mode: string;
  readonly permits: number;
  readonly token: string;
  readonly deadlineMs: number | null;
}

export function holdersOf(key: KeyFacts | undefined, nowMs: number): Holder[] {
  return (key?.fields ?? []).flatMap((field) => holderOf(field, nowMs));
}

function holderOf({ name, value, deadlineMs }: FieldFacts, nowMs: number): Holder[] {
  const [, mode, permits, token] = /^(x|s|ix|is|p) (\d+) \d+ \d+ (\d+)$/.exec(value) ?? [];
  if (mode === undefined || token === undefined || (deadlineMs !== null && deadlineMs < nowMs)) return [];
  return [{ owner: name, mode, permits: Number(permits), token, deadlineMs }];
}

const MODES: Readonly<Record<string, string>> = {
  x: '',
  s: ' (shared)',
  ix: ' (a part of it)',
  is: ' (a part of it, shared)',
};

/** `ann until 00:00:01.000 (900 ms left)`, for each holder. */
export function heldBy(holders: readonly Holder[], nowMs: number): string {
  return holders
    .map(({ owner, mode, permits, deadlineMs }) => {
      const how = MODES[mode] ?? ` (${permits === 1 ? '1 permit' : `${permits} permits`})`;
      const until = deadlineMs === null ? 'without a deadline' : `until ${clockTime(deadlineMs)}`;
      return `${owner}${how} ${until} (${timeLeft(deadlineMs, nowMs)})`;
    })
    .join(', ');
}
