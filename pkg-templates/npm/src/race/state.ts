/** The clients in the middle of a run: where each is, what it was answered, whether it believes itself inside. Pure. */
import type { Lease } from './leases.js';
import { Replies } from './replies.js';
import type { RaceScript } from './script.js';

export interface LaneState {
  /** Number of its lines that are over. */
  readonly at: number;
  readonly end: 'runs' | 'stopped' | 'crashed';
  /** Line of the session that it ran last; 0 before the first. */
  readonly line: number;
  /** Number of its last reply. */
  readonly last: number;
  /** Position among the blocked clients in the order in which they were blocked, from 1; 0: it is not blocked. */
  readonly blocked: number;
  /** Instant at which it was blocked; 0: it is not. */
  readonly blockedMs: number;
  /** Messages that no receive line has taken. */
  readonly inbox: readonly number[];
  readonly inside: boolean;
  /** True if a key that it watches has changed, so that its EXEC will fail. */
  readonly changed: boolean;
  /** Leases that its commands gave it, with their last instants; the first that ends ends the belief. */
  readonly leases: readonly Lease[];
}

export interface RaceState {
  readonly lanes: readonly LaneState[];
  /** Event of the run apart from the lines of its clients. */
  readonly incident: 'none' | 'crash' | 'clock';
  readonly nowMs: number;
  /** Instant at which something is due. */
  readonly due: number | null;
  /** Numbers of the lanes that were inside together first; empty if none were. */
  readonly together: readonly number[];
}

/** A step of a run: a line of a lane, the crash of a lane, or a movement of the clock. */
export type Action =
  | { readonly kind: 'line'; readonly lane: number }
  | { readonly kind: 'crash'; readonly lane: number }
  | { readonly kind: 'clock'; readonly move: number };

export function initialState(script: RaceScript, nowMs: number, due: number | null): RaceState {
  const lanes = script.lanes.map(
    ({ startsInside }): LaneState => ({
      at: 0,
      end: 'runs',
      line: 0,
      last: Replies.NONE,
      blocked: 0,
      blockedMs: 0,
      inbox: [],
      inside: startsInside,
      changed: false,
      leases: [],
    }),
  );
  return watched({ lanes, incident: 'none', nowMs, due, together: [] });
}

/** Numbers of the lanes that believe themselves inside. */
export function lanesInside({ lanes, nowMs }: RaceState): number[] {
  return lanes.flatMap((lane, index) => (isInside(lane, nowMs) ? [index] : []));
}

function isInside({ inside, leases }: LaneState, nowMs: number): boolean {
  return inside && leases.every(({ untilMs }) => nowMs <= untilMs);
}

/** The state with the lanes that are inside together, if these are the first. */
export function watched(state: RaceState): RaceState {
  if (state.together.length > 0) return state;
  const together = lanesInside(state);
  return together.length < 2 ? state : { ...state, together };
}

export function withLane(state: RaceState, index: number, change: Partial<LaneState>): RaceState {
  const lanes = [...state.lanes];
  lanes[index] = { ...(lanes[index] as LaneState), ...change };
  return { ...state, lanes };
}

/** True if the next line of a lane does nothing, since the client has stopped or crashed. */
export function isIdle(lane: LaneState): boolean {
  return lane.end !== 'runs';
}

/** Lines of lanes that may run next. */
export function nextLines(script: RaceScript, state: RaceState): Action[] {
  return state.lanes.flatMap((lane, index): Action[] => {
    const line = script.lanes[index]?.lines[lane.at];
    if (line === undefined) return [];
    const waits = lane.blocked > 0 || (line.kind === 'receive' && lane.inbox.length === 0);
    return waits && !isIdle(lane) ? [] : [{ kind: 'line', lane: index }];
  });
}

/** Events that may come next; a run has at most one. */
export function nextIncidents(script: RaceScript, state: RaceState, kinds: Incidents): Action[] {
  if (state.incident !== 'none') return [];
  const isOver = (lane: LaneState, index: number): boolean =>
    isIdle(lane) || lane.at === script.lanes[index]?.lines.length;
  const crashes = state.lanes.flatMap((lane, index): Action[] =>
    kinds.crashes && !isOver(lane, index) ? [{ kind: 'crash', lane: index }] : [],
  );
  if (!kinds.clockSteps || state.lanes.every(isOver)) return crashes;
  const moves = script.moves.length > 0 ? script.moves : (['next'] as const);
  const clock = moves.flatMap((move, index): Action[] =>
    move === 'next' && state.due === null ? [] : [{ kind: 'clock', move: index }],
  );
  return [...crashes, ...clock];
}

/** Events that are tried at each point. */
export interface Incidents {
  readonly crashes: boolean;
  readonly clockSteps: boolean;
}
