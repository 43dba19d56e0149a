/** Ways in which runs end: runs with equal ends are one outcome. Of many outcomes, some are listed and the others counted. */
import type { Course } from './course.js';
import { keyTexts } from './key-texts.js';
import type { Counts, Description, Kind, Node } from './node.js';
import type { RaceClient, RaceKey } from './report.js';
import { LONG_BYTES, shortened } from './short-texts.js';
import { type LaneState, lanesInside, type RaceState } from './state.js';

/** Number of outcomes that are listed of those that are not safe, of deadlocks, and of further ones. */
export const OUTCOMES_MAX = 1_000;

interface End {
  readonly keys: readonly RaceKey[];
  readonly failed: readonly number[];
}

export class Outcomes {
  readonly #kinds = new Map<string, Kind>();
  /** Numbers of listed outcomes by rank. */
  readonly #listed = [0, 0, 0];
  readonly #keys = new Map<string, readonly RaceKey[]>();

  constructor(
    private readonly course: Course,
    private readonly print: (reply: Uint8Array) => string,
  ) {}

  /** The outcome of a run that ends at a node. `stand` brings the arena there; conditions move it on. */
  kindOf(node: Node, stand: () => void): Kind {
    const description = this.#describe(node, this.#end(node, stand));
    const longReplies = node.state.lanes.map(({ last }) => (this.#isLong(last) ? last : 0));
    const identity = JSON.stringify([description, longReplies]);
    const known = this.#kinds.get(identity) ?? this.#added(identity, description, node);
    if (node.depth < known.node.depth) known.node = node;
    return known;
  }

  /** Counts the runs that end at a node. */
  count({ counts }: Kind, { state, runs }: Node): void {
    counts[COUNTS[state.incident]] += runs;
  }

  /** Outcomes with runs: first those that are not safe, then deadlocks, then further ones; the most frequent first. */
  get sorted(): Kind[] {
    return [...this.#kinds.values()]
      .filter(({ counts }) => runsOf(counts) > 0)
      .sort((one, other) => one.rank - other.rank || runsOf(other.counts) - runsOf(one.counts));
  }

  #added(identity: string, described: Description, node: Node): Kind {
    const rank = rankOf(described);
    const isListed = (this.#listed[rank] as number) < OUTCOMES_MAX;
    const name = isListed ? identity : `others ${rank}`;
    const known = this.#kinds.get(name);
    if (known) return known;
    if (isListed) this.#listed[rank] = (this.#listed[rank] as number) + 1;
    const counts = { orders: 0, crashes: 0, clockSteps: 0 };
    const kind = { counts, safe: described.safe, rank, description: isListed ? described : undefined, node };
    this.#kinds.set(name, kind);
    return kind;
  }

  #describe({ state }: Node, { keys, failed }: End): Description {
    const clients = state.lanes.map((lane, index) => this.#client(lane, index));
    const blocked = clients.filter(({ end }) => end === 'blocked').length;
    return {
      safe: state.together.length === 0 && failed.length === 0,
      together: this.#names(state.together),
      failed,
      inside: this.#names(lanesInside(state)),
      deadlock: blocked > 1 && state.incident === 'none',
      clients,
      keys,
    };
  }

  /** Keys and conditions; without conditions, equal keys are described once. */
  #end(node: Node, stand: () => void): End {
    const { script, arena } = this.course;
    const { nowMs } = node.state;
    const identity = `${nowMs} ${node.keys}`;
    const known = node.keys === '' ? undefined : this.#keys.get(identity);
    if (known && script.conditions.length === 0) return { keys: known, failed: [] };
    stand();
    const keys = known ?? keyTexts(arena.db, nowMs);
    if (this.#keys.size < OUTCOMES_MAX) this.#keys.set(identity, keys);
    const failed = script.conditions.filter((line) => {
      const reply = this.course.replies.numberOf(arena.outer(line));
      return line.expects !== undefined && !this.course.expects(line.expects, reply);
    });
    return { keys, failed: failed.map(({ line }) => line) };
  }

  #client(lane: LaneState, index: number): RaceClient {
    const { name = '', lines = [] } = this.course.script.lanes[index] ?? {};
    const isOver = lane.end !== 'runs' || lane.at === lines.length;
    const end = lane.end !== 'runs' ? lane.end : isOver ? 'finished' : 'blocked';
    return { name, end, line: lane.line, reply: this.#replyText(lane.last) };
  }

  #replyText(number: number): string {
    const reply = this.course.replies.bytes(number);
    if (this.#isLong(number)) return `a reply of ${reply.length.toLocaleString('en')} bytes`;
    return reply.length === 0 ? '' : shortened(this.print(reply));
  }

  #isLong(reply: number): boolean {
    return this.course.replies.bytes(reply).length > LONG_BYTES;
  }

  #names(lanes: readonly number[]): string[] {
    return lanes.map((lane) => this.course.script.lanes[lane]?.name ?? '');
  }
}

const COUNTS: Readonly<Record<RaceState['incident'], keyof Counts>> = {
  none: 'orders',
  crash: 'crashes',
  clock: 'clockSteps',
};

function rankOf({ safe, deadlock }: Description): number {
  if (!safe) return 0;
  return deadlock ? 1 : 2;
}

export function runsOf({ orders, crashes, clockSteps }: Counts): number {
  return orders + crashes + clockSteps;
}
