/** Runs the actions of a race on the arena: from a state to the next one. */
import type { Tools } from '../db/engine-tools.js';
import type { Arena } from './arena.js';
import { leasesAfter } from './leases.js';
import { Replies } from './replies.js';
import { nameOf } from './repeatable.js';
import type { Move, RaceLine, RaceScript } from './script.js';
import { initialState, isIdle, type Action, type LaneState, type RaceState, watched, withLane } from './state.js';

/** Listener of a run that goes on, for the session that is made of it. */
export interface Witness {
  sent(lane: number, line: RaceLine, reply: Uint8Array): void;
  arrived(lane: number, line: RaceLine, reply: Uint8Array): void;
  crashed(lane: number, wasBlocked: boolean): void;
  moved(move: Move): void;
}

export class Course {
  readonly replies = new Replies();
  readonly #guards = new Map<string, boolean>();
  readonly #commandNames: readonly (readonly string[])[];
  readonly #hasWatch: boolean;

  constructor(
    readonly script: RaceScript,
    readonly arena: Arena,
    private readonly tools: () => Tools,
  ) {
    this.#commandNames = script.lanes.map(({ lines }) => lines.map(({ words }) => nameOf(words)));
    this.#hasWatch = this.#commandNames.some((names) => names.includes('WATCH'));
  }

  /** Brings the arena to the beginning of the race. */
  begin(): RaceState {
    this.arena.reset();
    return initialState(this.script, this.arena.nowMs, this.arena.due);
  }

  /** Runs an action; what follows from it for other clients is part of the new state. */
  act(state: RaceState, action: Action, witness?: Witness): RaceState {
    let next: RaceState;
    if (action.kind === 'line') next = this.#line(state, action.lane, witness);
    else if (action.kind === 'crash') next = this.#crash(state, action.lane, witness);
    else next = this.#clock(state, action.move, witness);
    next = this.#withLeases(this.#withChanges(this.#deliver(next, witness)));
    return watched({ ...next, nowMs: this.arena.nowMs, due: this.arena.due });
  }

  /** Passes over the line of a client that has ended; nothing happens in the arena. */
  pass(state: RaceState, lane: number): RaceState {
    return withLane(state, lane, { at: (state.lanes[lane] as LaneState).at + 1 });
  }

  /** True if a step of a session expects a reply. */
  expects(step: string, reply: number): boolean {
    const key = `${reply} ${step}`;
    let expected = this.#guards.get(key);
    if (expected === undefined) {
      expected = this.tools().expectsReply(step, this.replies.bytes(reply));
      this.#guards.set(key, expected);
    }
    return expected;
  }

  #line(state: RaceState, index: number, witness: Witness | undefined): RaceState {
    const lane = state.lanes[index] as LaneState;
    const line = this.#lineAt(index, lane.at);
    const begun = line.leaves ? withLane(state, index, { inside: false, leases: [] }) : state;
    if (line.kind === 'mark') return this.#over(begun, index, line);
    if (line.kind === 'receive') return this.#receive(begun, index, line, witness);
    const reply = this.arena.send(this.#name(index), line.words);
    witness?.sent(index, line, reply);
    if (reply.length > 0) return this.#answered(begun, index, line, reply);
    const blocked = Math.max(...begun.lanes.map((other) => other.blocked)) + 1;
    return withLane(begun, index, { blocked, blockedMs: this.arena.nowMs, line: line.line });
  }

  #receive(state: RaceState, index: number, line: RaceLine, witness: Witness | undefined): RaceState {
    const [first = Replies.NONE, ...inbox] = (state.lanes[index] as LaneState).inbox;
    const reply = this.replies.bytes(first);
    witness?.arrived(index, line, reply);
    return this.#answered(withLane(state, index, { inbox }), index, line, reply);
  }

  /** A reply of a command or a message: the client goes on if its guard, if there is one, expects it. */
  #answered(state: RaceState, index: number, line: RaceLine, bytes: Uint8Array): RaceState {
    const last = this.replies.numberOf(bytes);
    const seen = withLane(state, index, { last, line: line.line, blocked: 0, blockedMs: 0 });
    if (line.guard !== undefined && !this.expects(line.guard, last))
      return withLane(seen, index, { end: 'stopped', inside: false, at: (seen.lanes[index] as LaneState).at + 1 });
    const over = this.#over(seen, index, line);
    const lane = over.lanes[index] as LaneState;
    // A receive line takes the reply of the command directly above it, also if that came at once.
    const isTaken = line.kind === 'command' && line.guard === undefined;
    const below = this.script.lanes[index]?.lines[lane.at];
    return isTaken && below?.kind === 'receive' ? withLane(over, index, { inbox: [...lane.inbox, last] }) : over;
  }

  /** The state with the leases that the last action gave to clients, also to those that were blocked. */
  #withLeases(state: RaceState): RaceState {
    let next = state;
    const facts = this.arena.takeFacts();
    for (const [index, { leases }] of state.lanes.entries()) {
      const own = facts.filter(({ client }) => client === this.#name(index));
      const after = leasesAfter(leases, own);
      if (after !== leases) next = withLane(next, index, { leases: after });
    }
    return next;
  }

  #over(state: RaceState, index: number, line: RaceLine): RaceState {
    const lane = state.lanes[index] as LaneState;
    return withLane(state, index, { at: lane.at + 1, line: line.line, inside: lane.inside || line.enters });
  }

  #crash(state: RaceState, index: number, witness: Witness | undefined): RaceState {
    this.arena.disconnect(this.#name(index));
    witness?.crashed(index, (state.lanes[index] as LaneState).blocked > 0);
    const crashed = { end: 'crashed', inside: false, blocked: 0, blockedMs: 0, inbox: [] } as const;
    return { ...withLane(state, index, crashed), incident: 'crash' };
  }

  #clock(state: RaceState, move: number, witness: Witness | undefined): RaceState {
    const { moves } = this.script;
    const chosen = moves[move] ?? 'next';
    this.arena.move(chosen);
    witness?.moved(chosen);
    return { ...state, incident: 'clock' };
  }

  /** Takes late replies of blocked clients, and messages of those that will receive some. */
  #deliver(state: RaceState, witness: Witness | undefined): RaceState {
    let next = state;
    state.lanes.forEach((lane, index) => {
      if (isIdle(lane) || !(lane.blocked > 0 || this.#willReceive(index, lane.at))) return;
      for (const bytes of this.arena.arrived(this.#name(index))) next = this.#late(next, index, bytes, witness);
    });
    return next;
  }

  #late(state: RaceState, index: number, bytes: Uint8Array, witness: Witness | undefined): RaceState {
    const lane = state.lanes[index] as LaneState;
    if (lane.blocked === 0) return withLane(state, index, { inbox: [...lane.inbox, this.replies.numberOf(bytes)] });
    const line = this.#lineAt(index, lane.at);
    const next = this.#answered(state, index, line, bytes);
    const isKept = (next.lanes[index] as LaneState).inbox.length > lane.inbox.length;
    if (!isKept) witness?.arrived(index, line, bytes);
    return next;
  }

  #willReceive(index: number, at: number): boolean {
    return this.script.lanes[index]?.lines.slice(at).some(({ kind }) => kind === 'receive') ?? false;
  }

  #lineAt(index: number, at: number): RaceLine {
    return this.script.lanes[index]?.lines[at] as RaceLine;
  }

  #name(index: number): string {
    return this.script.lanes[index]?.name ?? '';
  }

  /** Equal for states that go on alike, with equal keys; undefined if that cannot be told. */
  key(state: RaceState, keys: string): string | undefined {
    if (!this.arena.mayMerge) return undefined;
    const lanes = state.lanes.map((lane) => {
      const { at, end, line, last, blocked, blockedMs, inbox, inside, leases, changed } = lane;
      return [at, end, line, last, blocked, blockedMs, inbox.join(':'), inside, JSON.stringify(leases), changed].join();
    });
    return `${lanes.join(';')};${state.incident};${state.nowMs};${state.together};${keys}`;
  }

  /** The state with each client marked of which watched keys have changed. */
  #withChanges(state: RaceState): RaceState {
    if (!this.#hasWatch) return state;
    let next = state;
    state.lanes.forEach((lane, index) => {
      const changed = this.#watches(index, lane) && this.arena.watchesChanged(this.#name(index));
      if (changed !== lane.changed) next = withLane(next, index, { changed });
    });
    return next;
  }

  #watches(index: number, { at, end }: LaneState): boolean {
    if (end !== 'runs') return false;
    const names = this.#commandNames[index]?.slice(0, at) ?? [];
    const ends = Math.max(...['EXEC', 'DISCARD', 'UNWATCH'].map((name) => names.lastIndexOf(name)));
    return names.lastIndexOf('WATCH') > ends;
  }
}
