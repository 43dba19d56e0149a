/**
 * All runs of a race as a graph of states. States that go on alike are one node, so that a race of many orders has few. The
 * arena goes from a node to its first new one; for every other it runs again from the beginning.
 */
import type { Course } from './course.js';
import type { Node } from './node.js';
import type { Outcomes } from './outcomes.js';
import { Pace } from './pace.js';
import {
  nextIncidents,
  nextLines,
  isIdle,
  type Action,
  type Incidents,
  type LaneState,
  type RaceState,
} from './state.js';

/** Called now and then with the share that is done; false ends the exploration. */
export type Watch = (share: number) => boolean;

interface Frame {
  readonly node: Node;
  readonly actions: readonly Action[];
  readonly next: Node[];
  /** Share of the whole work. */
  readonly share: number;
}

export class Graph {
  readonly #nodes: Node[] = [];
  readonly #known = new Map<string, Node>();
  readonly #keyTexts = new Map<string, string>();
  /** Node at which the arena stands. */
  #here: Node | undefined;
  #share = 0;
  /** True if the keys took much memory once: from then on they are compared by digests. */
  #hasLongKeys = false;

  constructor(
    private readonly course: Course,
    private readonly outcomes: Outcomes,
    private readonly incidents: Incidents,
    private readonly maxNodes: number,
  ) {}

  /** Runs everything. False if it was ended, or if there are too many states. */
  explore(watch: Watch): boolean {
    const root = this.#node(this.course.begin(), undefined, undefined);
    this.#here = root;
    const stack = [this.#frame(root, 1)];
    const pace = new Pace();
    for (let frame = stack.at(-1); frame; frame = stack.at(-1)) {
      const action = frame.actions[frame.next.length];
      if (action === undefined) {
        this.#share += frame.actions.length === 0 ? frame.share : 0;
        stack.pop();
        continue;
      }
      const { node, isNew } = this.#follow(frame.node, action);
      frame.next.push(node);
      const share = frame.share / frame.actions.length;
      if (isNew) stack.push(this.#frame(node, share));
      else this.#share += share;
      if (this.#nodes.length > this.maxNodes) return false;
      if (isNew && pace.isDue() && !watch(this.#share)) return false;
    }
    return true;
  }

  /** Counts the runs of all outcomes. */
  count(): void {
    const [root] = this.#nodes;
    if (root) root.runs = 1;
    const ordered = this.#nodes.sort((one, other) => one.depth - other.depth);
    for (const node of ordered) for (const next of node.next ?? []) next.runs += node.runs;
    for (const node of ordered) if (node.kind) this.outcomes.count(node.kind, node);
  }

  #frame(node: Node, share: number): Frame {
    const lines = nextLines(this.course.script, node.state);
    if (lines.length === 0) this.#end(node);
    node.next = [];
    const actions = [...lines, ...nextIncidents(this.course.script, node.state, this.incidents)];
    return { node, actions, next: node.next, share };
  }

  /** Finds the outcome while the arena stands at the end, so that nothing has to run again. */
  #end(node: Node): void {
    node.kind = this.outcomes.kindOf(node, () => {
      if (this.#here !== node) this.#goTo(node);
    });
    if (this.course.script.conditions.length > 0) this.#here = undefined;
  }

  #follow(from: Node, action: Action): { node: Node; isNew: boolean } {
    const passes = action.kind === 'line' && isIdle(from.state.lanes[action.lane] as LaneState);
    const wasHere = this.#here === from;
    if (!passes && !wasHere) this.#goTo(from);
    const state = passes ? this.course.pass(from.state, action.lane) : this.course.act(from.state, action);
    const keys = passes ? from.keys : this.#keys();
    const key = this.course.key(state, keys);
    const known = key === undefined ? undefined : this.#known.get(key);
    const node = known ?? this.#node(state, from, action, keys, key);
    // An equal state is as good as the state itself.
    if (!passes || wasHere) this.#here = node;
    return { node, isNew: known === undefined };
  }

  #node(state: RaceState, parent: Node | undefined, action: Action | undefined, keys = '', key?: string): Node {
    const depth = parent === undefined ? 0 : parent.depth + 1;
    const node: Node = { state, parent, action, depth, keys, next: undefined, kind: undefined, runs: 0 };
    this.#nodes.push(node);
    if (key !== undefined) this.#known.set(key, node);
    return node;
  }

  /** Runs again from the beginning up to a node. */
  #goTo(node: Node): void {
    this.#here = replay(this.course, actionsTo(node)) && node;
  }

  /** All keys with their values and deadlines; equal texts are one, to take memory once. */
  #keys(): string {
    if (!this.course.arena.mayMerge) return '';
    const whole = this.#wholeKeys();
    const kept = this.#keyTexts.get(whole);
    if (kept !== undefined) return kept;
    this.#keyTexts.set(whole, String(this.#keyTexts.size));
    return this.#keyTexts.get(whole) as string;
  }

  #wholeKeys(): string {
    const { db } = this.course.arena;
    if (this.#hasLongKeys) return db.digestAll();
    const bytes = db.snapshot();
    this.#hasLongKeys = bytes.length > TEXT_MAX;
    return this.#hasLongKeys ? db.digestAll() : String.fromCharCode(...bytes);
  }
}

const TEXT_MAX = 16 * 1024;

/** Actions that lead from the beginning to a node. */
export function actionsTo(node: Node): Action[] {
  const actions: Action[] = [];
  for (let at = node; at.parent && at.action; at = at.parent) actions.push(at.action);
  return actions.reverse();
}

/** Runs actions from the beginning. */
export function replay(course: Course, actions: readonly Action[]): RaceState {
  let state = course.begin();
  for (const action of actions) {
    const passes = action.kind === 'line' && isIdle(state.lanes[action.lane] as LaneState);
    state = passes ? course.pass(state, action.lane) : course.act(state, action);
  }
  return state;
}
