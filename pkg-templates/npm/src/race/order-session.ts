/** One run of a race as a session, with replies that match. The race stays one, in the order of this run. */
import { runSessionOn } from '../db/tools.js';
import type { Engine } from './arena.js';
import type { Course, Witness } from './course.js';
import { actionsTo } from './graph.js';
import type { Node } from './node.js';
import type { Move, OuterLine, RaceLine } from './script.js';
import { isIdle, type LaneState } from './state.js';

/** Clients that the engine numbers in the order of their first lines. */
class Connections {
  readonly #names: string[] = [];

  use(name: string): void {
    if (!this.#names.includes(name)) this.#names.push(name);
  }

  id(name: string): number {
    return this.#names.indexOf(name) + 1;
  }
}

export class OrderWriter implements Witness {
  readonly #lines: string[] = [];
  readonly #connections = new Connections();
  /** Lanes that have entered and not left in the text. */
  readonly #inside = new Set<number>();

  constructor(
    private readonly course: Course,
    /** Writes a reply in lines of a session. */
    private readonly lines: (reply: Uint8Array) => readonly string[],
  ) {}

  /** The session of the run that leads to a node: what stands before the race, the run, and the conditions. */
  write(node: Node, before: string): string {
    const { script, arena } = this.course;
    for (const { client, kind } of script.setup) if (kind !== 'clock') this.#connections.use(client);
    let state = this.course.begin();
    this.#lines.push('@ race');
    script.lanes.forEach(({ name, startsInside }, index) => startsInside && this.#enter(index, name));
    for (const action of actionsTo(node)) {
      const passes = action.kind === 'line' && isIdle(state.lanes[action.lane] as LaneState);
      const lane = action.kind === 'line' ? action.lane : -1;
      const line = script.lanes[lane]?.lines[state.lanes[lane]?.at ?? 0];
      if (line && !passes) this.#before(lane, line);
      const next = passes ? this.course.pass(state, lane) : this.course.act(state, action, this);
      next.lanes.forEach((after, index) => this.#after(index, state.lanes[index] as LaneState, after));
      state = next;
    }
    this.#lines.push('@ join');
    for (const line of script.conditions) this.#outer(line, arena.outer(line));
    return `${before}${this.#lines.join('\n')}\n`;
  }

  sent(lane: number, line: RaceLine, reply: Uint8Array): void {
    const name = this.#name(lane);
    this.#connections.use(name);
    this.#lines.push(`${name}> ${line.text}`, ...this.#replyLines(reply));
  }

  arrived(lane: number, _line: RaceLine, reply: Uint8Array): void {
    const name = this.#name(lane);
    // Only clients with a name can receive.
    this.#lines.push(`${name === '' ? 'keylatch' : name}<`, ...this.#replyLines(reply));
  }

  crashed(lane: number, wasBlocked: boolean): void {
    const name = this.#name(lane);
    this.#lines.push(`# ${name === '' ? 'The client' : name} crashes here.`);
    // Otherwise a blocked command would go on to be served.
    if (wasBlocked) this.#lines.push(`keylatch> CLIENT KILL ID ${this.#connections.id(name)}`, '(integer) 1');
    if (wasBlocked) this.#connections.use('');
    this.#leave(lane, name);
  }

  moved(move: Move): void {
    this.#lines.push(`@ ${moveText(move)}`);
  }

  #before(lane: number, line: RaceLine): void {
    if (line.leaves) this.#leave(lane, this.#name(lane));
  }

  #after(lane: number, before: LaneState, after: LaneState): void {
    const name = this.#name(lane);
    if (!before.inside && after.inside) this.#enter(lane, name);
    if (before.inside && !after.inside) this.#leave(lane, name);
    if (before.end === 'runs' && after.end === 'stopped') this.#lines.push(`# ${name} stops here: its guard differs.`);
  }

  #enter(lane: number, name: string): void {
    if (this.#inside.has(lane)) return;
    this.#inside.add(lane);
    this.#lines.push(`${name === '' ? 'keylatch' : name}+`);
  }

  #leave(lane: number, name: string): void {
    if (this.#inside.delete(lane)) this.#lines.push(`${name === '' ? 'keylatch' : name}-`);
  }

  #outer(line: OuterLine, reply: Uint8Array): void {
    if (line.kind === 'clock') this.#lines.push(`@ ${moveText(line.move ?? 'next')}`);
    else if (line.kind === 'receive') this.#lines.push(`${line.client}<`, ...this.#replyLines(reply));
    else this.#lines.push(`${line.client}> ${line.text}`, ...this.#replyLines(reply));
  }

  #replyLines(reply: Uint8Array): readonly string[] {
    if (reply.length === 0) return [];
    return reply.length > SESSION_REPLY_MAX ? ['...'] : this.lines(reply);
  }

  #name(lane: number): string {
    return this.course.script.lanes[lane]?.name ?? '';
  }
}

/** Bytes above which a session expects any reply: with many megabytes it could not be opened. */
const SESSION_REPLY_MAX = 64 * 1024;

function moveText(move: Move): string {
  if (move === 'next') return move;
  if ('toMs' in move) return new Date(move.toMs).toISOString();
  return `${move.byMs < 0 ? '-' : '+'}${Math.abs(move.byMs)}ms`;
}

/** Text before the race, with its real replies. */
export function textBefore(make: () => Engine, text: string, line: number): string {
  if (line <= 1) return '';
  const { db } = make();
  try {
    return runSessionOn(db, text, { untilLine: line - 1 }).text;
  } finally {
    db.close();
  }
}
