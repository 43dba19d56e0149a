/** A seeded sample of the orders of a race: each with no event, with a crash at a random point, and with a clock step. */
import type { Course } from './course.js';
import type { Watch } from './graph.js';
import type { Node } from './node.js';
import type { Outcomes } from './outcomes.js';
import { Pace } from './pace.js';
import { isIdle, nextIncidents, nextLines, type Action, type Incidents, type LaneState } from './state.js';

/** Numbers below a limit from a seed (mulberry32). */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = this.#state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  }
}

export interface SampleOptions {
  readonly orders: number;
  readonly seed: number;
  readonly incidents: Incidents;
}

/** Runs the sample; the number of orders that were run. Ends early if the watch returns false. */
export function runSample(course: Course, outcomes: Outcomes, options: SampleOptions, watch: Watch): number {
  const { orders, seed, incidents } = options;
  const chance = new Chance(seed);
  const pace = new Pace();
  const kinds = ['none', ...(incidents.crashes ? ['crash'] : []), ...(incidents.clockSteps ? ['clock'] : [])] as const;
  for (let run = 1; run <= orders; run += 1) {
    for (const kind of kinds) {
      const end = sampleRun(course, chance, kind);
      if (end) outcomes.count(outcomes.kindOf(end, standing), end);
    }
    if (pace.isDue() && !watch(run / orders)) return run;
  }
  return orders;
}

/** The arena stands at the end of a run that was just made. */
function standing(): void {}

/** One run; undefined if the event it was to have was never possible. */
function sampleRun(course: Course, chance: Chance, kind: string): Node | undefined {
  const { lanes } = course.script;
  const total = lanes.reduce((sum, { lines }) => sum + lines.length, 0);
  const incidents = { crashes: kind === 'crash', clockSteps: kind === 'clock' };
  let missing = kind === 'none' ? -1 : chance.below(total);
  let node: Node = start(course);
  for (;;) {
    const lines = nextLines(course.script, node.state);
    const events = missing <= 0 ? nextIncidents(course.script, node.state, incidents) : [];
    const isDue = kind !== 'none' && missing <= 0 && events.length > 0;
    const action = isDue ? events[chance.below(events.length)] : chosen(course, node, lines, chance);
    if (action === undefined) break;
    missing -= 1;
    node = follow(course, node, action);
  }
  return kind !== 'none' && node.state.incident === 'none' ? undefined : node;
}

/** A line, by the number of lines that its client has left: so all orders are equally likely. */
function chosen(course: Course, { state }: Node, lines: readonly Action[], chance: Chance): Action | undefined {
  const left = lines.map((action) => {
    if (action.kind !== 'line') return 0;
    return (course.script.lanes[action.lane]?.lines.length ?? 0) - (state.lanes[action.lane] as LaneState).at;
  });
  const total = left.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let drawn = chance.below(total);
  return lines.find((_, index) => (drawn -= left[index] as number) < 0);
}

function start(course: Course): Node {
  return node(course.begin(), undefined, undefined);
}

function follow(course: Course, parent: Node, action: Action): Node {
  const passes = action.kind === 'line' && isIdle(parent.state.lanes[action.lane] as LaneState);
  const state = passes ? course.pass(parent.state, action.lane) : course.act(parent.state, action);
  return node(state, parent, action);
}

function node(state: Node['state'], parent: Node | undefined, action: Action | undefined): Node {
  const depth = parent === undefined ? 0 : parent.depth + 1;
  return { state, parent, action, depth, keys: '', next: undefined, kind: undefined, runs: 1 };
}
