/** Runs all orders of a race on engines of its own, and lists how they end. */
import type { KeylatchOptions } from '../db/options.js';
import { Keylatch } from '../db/built-in.js';
import { ManualClock } from '../host/clock.js';
import { checked, type Shape } from '../base/option-check.js';
import { printReply, replyLines, runSessionOn, splitLine, toolsOf } from '../db/tools.js';
import { Arena, type Engine } from './arena.js';
import { Course } from './course.js';
import { Graph, type Watch } from './graph.js';
import { OrderWriter, textBefore } from './order-session.js';
import type { Kind } from './node.js';
import { Outcomes, runsOf } from './outcomes.js';
import type { RaceOutcome, RaceProgress, RaceReport } from './report.js';
import { runSample } from './sample.js';
import { countOrders, readRace, type RaceScript } from './script.js';

/** Options of `exploreRace`. */
export interface ExploreOptions extends Pick<KeylatchOptions, 'module' | 'seed'> {
  /** Number of the race among those of the session, from 1. */
  readonly race?: number | undefined;
  /** Whether one client crashes, at each point of each order; true unless given. */
  readonly crashes?: boolean | undefined;
  /**
   * Whether the clock steps once, at each point of each order; true unless given. It moves as the clock lines in the race
   * say, else to the next deadline.
   */
  readonly clockSteps?: boolean | undefined;
  /** Number of orders above which a sample of them is run; 1,000,000 unless given. */
  readonly maxOrders?: number | undefined;
  /** Number of orders of a sample; 5,000 unless given. */
  readonly sampleOrders?: number | undefined;
  /**
   * Milliseconds after which a sample is run in place of all orders, and after which that sample ends; 10,000 unless given. The
   * report says how many orders were run.
   */
  readonly maxMs?: number | undefined;
  /** Seed of the sample, 1 unless given. */
  readonly sampleSeed?: number | undefined;
  /** Keys before the first line of the session, as `snapshot()` returns them. */
  readonly start?: Uint8Array | undefined;
  /** Called now and then; the exploration ends if it returns false. */
  readonly onProgress?: ((progress: RaceProgress) => unknown) | undefined;
}

const EXPLORE: Shape<ExploreOptions> = {
  race: 'integer',
  crashes: 'flag',
  clockSteps: 'flag',
  maxOrders: 'integer',
  sampleOrders: 'integer',
  maxMs: 'integer',
  sampleSeed: 'integer',
  start: 'any',
  onProgress: 'any',
  seed: 'any',
  module: 'any',
};

const ORDERS_MAX = 1_000_000;
const SAMPLE_ORDERS = 5_000;
const MAX_MS = 10_000;
/** Share of all orders that has to be done after a fifth of the time where no states are equal, else a sample is run. */
const SHARE_EXPECTED = 0.05;
/** Number of states above which a sample is run: they take memory. */
const NODES_MAX = 200_000;
/** Number of outcomes that come with a session. */
const SESSIONS_MAX = 500;
/** Number of those of an exploration that was ended: each takes a run. */
const SESSIONS_ENDED_MAX = 20;

/**
 * Runs the lines between `@ race` and `@ join` of a session in every order that keeps the lines of each client in theirs,
 * with a crash of one client at each point, and with a clock step at each point.
 *
 * A client that gets another reply than the one below its line stops there. `A+` and `A-` mark where A believes itself
 * inside; the belief also ends with the first lease of A that ends, by the clock of the engine. A run is not safe if two clients
 * are inside at once, or if a reply behind the race, up to the next heading, differs.
 *
 * @throws SessionError The text is not a session.
 * @example exploreRace('@ race\nA> SETNX k a\n(integer) 1\nA+\nB> SETNX k b\n(integer) 1\nB+\n@ join\n').unsafe // 0
 */
export function exploreRace(text: string, options?: ExploreOptions): RaceReport {
  const given = checked('exploreRace', options, EXPLORE);
  const make = (): Engine => {
    const clock = new ManualClock();
    const db = new Keylatch({ seed: given.seed ?? 0, module: given.module, clock });
    if (given.start) db.load(given.start);
    return { db, clock };
  };
  const script = scriptOf(make, text, given.race ?? 1);
  const arena = new Arena(make, script);
  try {
    return new Exploration(make, text, new Course(script, arena, () => toolsOf(arena.db)), given).run();
  } finally {
    arena.close();
  }
}

function scriptOf(make: () => Engine, text: string, race: number): RaceScript {
  const { db } = make();
  try {
    return readRace(runSessionOn(db, text), race, (line) => splitLine(db, line));
  } finally {
    db.close();
  }
}

class Exploration {
  readonly #orders: number;
  #cancelled = false;
  #startedAt = 0;

  constructor(
    private readonly make: () => Engine,
    private readonly text: string,
    private readonly course: Course,
    private readonly options: ExploreOptions,
  ) {
    this.#orders = countOrders(course.script.lanes.map(({ lines }) => lines.length));
  }

  run(): RaceReport {
    const { maxOrders = ORDERS_MAX } = this.options;
    const all = this.#orders <= maxOrders ? this.#all() : undefined;
    return all ? this.#report(all, null) : this.#sample();
  }

  get #incidents(): { crashes: boolean; clockSteps: boolean } {
    const { crashes = true, clockSteps = true } = this.options;
    return { crashes, clockSteps };
  }

  /** False if the listener ends the exploration, or if its time is over. */
  readonly #watch: Watch = (share) => {
    this.#cancelled ||= this.options.onProgress?.({ share, commands: this.course.arena.commands }) === false;
    return !this.#cancelled && this.#shareOfTime < 1;
  };

  /** Without equal states the share grows evenly, so that little of it shows early that the time will not do. */
  readonly #watchAll: Watch = (share) =>
    this.#watch(share) && (this.course.arena.mayMerge || this.#shareOfTime < 1 / 5 || share > SHARE_EXPECTED);

  get #shareOfTime(): number {
    return (performance.now() - this.#startedAt) / (this.options.maxMs ?? MAX_MS);
  }

  #begin(): Outcomes {
    this.#startedAt = performance.now();
    return new Outcomes(this.course, (reply) => printReply(this.course.arena.db, reply));
  }

  /** The outcomes of all orders; undefined if there are too many states, or too little time. */
  #all(): Outcomes | undefined {
    const outcomes = this.#begin();
    const graph = new Graph(this.course, outcomes, this.#incidents, NODES_MAX);
    if (!graph.explore(this.#watchAll) && !this.#cancelled) return undefined;
    graph.count();
    return outcomes;
  }

  #sample(): RaceReport {
    const { sampleOrders = SAMPLE_ORDERS, sampleSeed: seed = 1 } = this.options;
    const outcomes = this.#begin();
    const options = { orders: sampleOrders, seed, incidents: this.#incidents };
    const orders = runSample(this.course, outcomes, options, this.#watch);
    return this.#report(outcomes, { orders, seed });
  }

  #report(outcomes: Outcomes, sample: RaceReport['sample']): RaceReport {
    const kinds = outcomes.sorted;
    const runs = (list: readonly Kind[]): number => list.reduce((sum, { counts }) => sum + runsOf(counts), 0);
    return {
      line: this.course.script.line,
      orders: this.#orders,
      sample,
      cancelled: this.#cancelled,
      runs: runs(kinds),
      unsafe: runs(kinds.filter(({ safe }) => !safe)),
      outcomes: this.#withSessions(kinds),
      others: runs(kinds.filter(({ description }) => description === undefined)),
    };
  }

  #withSessions(kinds: readonly Kind[]): RaceOutcome[] {
    const before = textBefore(this.make, this.text, this.course.script.line);
    // Runs that cannot be merged have an engine each.
    const lines = (reply: Uint8Array): string[] => {
      const { db } = this.course.arena;
      return replyLines(db, printReply(db, reply).split('\n'));
    };
    const sessionsMax = this.#cancelled ? SESSIONS_ENDED_MAX : SESSIONS_MAX;
    const outcomes: RaceOutcome[] = [];
    for (const { counts, description, node } of kinds) {
      if (!description) continue;
      const isWritten = outcomes.length < sessionsMax;
      const session = isWritten ? new OrderWriter(this.course, lines).write(node, before) : undefined;
      outcomes.push({ ...counts, ...description, session });
    }
    return outcomes;
  }
}
