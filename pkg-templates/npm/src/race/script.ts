/** A race as it is written: the lines of each client, and what stands before and behind them. Independent of the engine. */
import type { SessionReport, SessionStep } from '../session/session.js';
import { SESSION_START_MS } from '../host/session-start.js';
import { CallerRangeError } from '../base/caller-errors.js';

/** A movement of the clock: by milliseconds, to an instant, or to the first instant at which something is due. */
export type Move = { readonly byMs: number } | { readonly toMs: number } | 'next';

/** A line of one client in a race, with the marks that belong to it. */
export interface RaceLine {
  /** Line of the session. */
  readonly line: number;
  readonly kind: 'command' | 'receive' | 'mark';
  readonly text: string;
  readonly words: readonly Uint8Array[];
  /** The line as a session of its own, with the replies at which the client goes on; undefined: at any. */
  readonly guard: string | undefined;
  enters: boolean;
  leaves: boolean;
}

export interface Lane {
  readonly name: string;
  startsInside: boolean;
  readonly lines: RaceLine[];
}

/** A line before or behind the race. */
export interface OuterLine {
  readonly line: number;
  readonly client: string;
  readonly text: string;
  readonly kind: 'command' | 'receive' | 'clock';
  readonly words: readonly Uint8Array[];
  readonly move: Move | undefined;
  readonly expects: string | undefined;
}

export interface RaceScript {
  /** Line of `@ race`. */
  readonly line: number;
  readonly setup: readonly OuterLine[];
  readonly lanes: readonly Lane[];
  /** Clock lines of the race; without any, the clock steps to the next deadline. */
  readonly moves: readonly Move[];
  /** Lines behind the race, up to the next heading or race. */
  readonly conditions: readonly OuterLine[];
}

type Split = (line: string) => readonly Uint8Array[];

/** Reads a race, counted from 1, out of the report of its session. */
export function readRace({ steps }: SessionReport, number: number, split: Split): RaceScript {
  const starts = steps.flatMap(({ kind }, index) => (kind === 'race' ? [index] : []));
  const start = starts[number - 1];
  if (start === undefined) throw new CallerRangeError(`the session has ${starts.length} races, not ${number}`);
  const end = steps.findIndex(({ kind }, index) => index > start && kind === 'join');
  const next = steps.findIndex(({ kind }, index) => index > end && (kind === 'heading' || kind === 'race'));
  const racing = steps.slice(start + 1, end);
  const outer = (from: number, to: number): OuterLine[] =>
    steps.slice(from, to).flatMap((step, index) => outerLine(step, steps[from + index - 1], split));
  const moves = racing.flatMap((step, index) => (step.kind === 'clock' ? [moveOf(step, steps[start + index])] : []));
  return {
    line: steps[start]?.line ?? 0,
    setup: outer(0, start),
    lanes: readLanes(racing, split),
    moves,
    conditions: outer(end + 1, next < 0 ? steps.length : next),
  };
}

function readLanes(steps: readonly SessionStep[], split: Split): Lane[] {
  const lanes = new Map<string, Lane>();
  for (const step of steps) {
    if (!['command', 'receive', 'enter', 'leave'].includes(step.kind)) continue;
    const lane = lanes.get(step.client) ?? { name: step.client, startsInside: false, lines: [] };
    lanes.set(step.client, lane);
    if (step.kind === 'command' || step.kind === 'receive') lane.lines.push(raceLine(step, step.kind, split));
    else mark(lane, step);
  }
  return [...lanes.values()].filter(({ lines }) => lines.length > 0);
}

/** A mark belongs to the line above it. Where a client leaves directly after it has entered, that is a line of its own. */
function mark(lane: Lane, step: SessionStep): void {
  const last = lane.lines.at(-1);
  const enters = step.kind === 'enter';
  if (last === undefined && enters) lane.startsInside = true;
  else if (last !== undefined && !last.enters && !last.leaves) last[enters ? 'enters' : 'leaves'] = true;
  else {
    const { line } = step;
    const alone = { line, kind: 'mark', text: '', words: [], guard: undefined } as const;
    lane.lines.push({ ...alone, enters, leaves: !enters });
  }
}

function raceLine(step: SessionStep, kind: 'command' | 'receive', split: Split): RaceLine {
  const words = kind === 'command' ? wordsOf(step, split) : [];
  return { line: step.line, kind, text: step.text, words, guard: expectationOf(step), enters: false, leaves: false };
}

function outerLine(step: SessionStep, before: SessionStep | undefined, split: Split): OuterLine[] {
  const { line, client, text, kind } = step;
  if (kind !== 'command' && kind !== 'receive' && kind !== 'clock') return [];
  const words = kind === 'command' ? wordsOf(step, split) : [];
  const move = kind === 'clock' ? moveOf(step, before) : undefined;
  const isChecked = step.expected.length > 0 || kind === 'receive';
  return [{ line, client, text, kind, words, move, expects: isChecked ? stepText(step) : undefined }];
}

/** A line that cannot be split is not sent: no words. */
function wordsOf(step: SessionStep, split: Split): readonly Uint8Array[] {
  try {
    return split(step.text);
  } catch {
    return [];
  }
}

function expectationOf(step: SessionStep): string | undefined {
  return step.expected.length > 0 ? stepText(step) : undefined;
}

/** The line with its expected replies, each in the form that stands for itself. */
function stepText({ kind, text, expected }: SessionStep): string {
  const head = kind === 'receive' ? 'A<' : `> ${text}`;
  const lines = expected.map((line) => (line.anything ? '...' : `| ${line.text}`));
  return `${[head, ...lines].join('\n')}\n`;
}

function moveOf(step: SessionStep, before: SessionStep | undefined): Move {
  if (step.text === 'next') return 'next';
  if (!/^[+-]/.test(step.text)) return { toMs: step.nowMs };
  return { byMs: step.nowMs - (before?.nowMs ?? SESSION_START_MS) };
}

/** Number of orders of lines that keep those of each client in their order. */
export function countOrders(counts: readonly number[]): number {
  let orders = 1;
  let total = 0;
  for (const count of counts) for (let taken = 1; taken <= count; taken += 1) orders = (orders * (total += 1)) / taken;
  return Math.round(orders);
}
