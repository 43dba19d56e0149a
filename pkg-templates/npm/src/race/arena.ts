/**
 * An engine on which a race is run again and again. Each run begins with the lines before the race. Where all commands
 * change keys only, the engine is used again with the keys of the beginning; otherwise each run has an engine of its own.
 */
import type { Client } from '../client/client.js';
import type { ManualClock } from '../host/clock.js';
import type { Keylatch } from '../db/keylatch.js';
import { encodeError } from '../resp/encode.js';
import { decodeReplies } from '../resp/reply.js';
import { splitReplies } from '../resp/split-replies.js';
import type { Fact } from '../host/facts.js';
import { loadFresh, toolsOf } from '../db/tools.js';
import { isDeterminedByKeys } from './repeatable.js';
import type { Move, OuterLine, RaceScript } from './script.js';

export interface Engine {
  readonly db: Keylatch;
  readonly clock: ManualClock;
}

export class Arena {
  /** Number of commands that were run. */
  commands = 0;
  /** True if two states with equal keys, replies and clients go on alike. */
  readonly mayMerge: boolean;
  readonly #make: () => Engine;
  readonly #script: RaceScript;
  readonly #startMs: number;
  readonly #start: Uint8Array;
  /** True if clients believe themselves inside, up to the ends of their leases. */
  readonly #hasMarks: boolean;
  readonly #clients = new Map<string, Client>();
  #engine: Engine;

  /** `make` creates an engine in the state before the first line of the session. */
  constructor(make: () => Engine, script: RaceScript) {
    this.#make = make;
    this.#script = script;
    this.#engine = make();
    this.#startMs = this.#engine.clock.now();
    this.#start = this.#engine.db.snapshot();
    const lines = [...script.setup, ...script.lanes.flatMap((lane) => lane.lines), ...script.conditions];
    this.#hasMarks = script.lanes.some((lane) => lane.startsInside || lane.lines.some(({ enters }) => enters));
    this.mayMerge = lines.every(({ words }) => isDeterminedByKeys(words));
  }

  get db(): Keylatch {
    return this.#engine.db;
  }

  get nowMs(): number {
    return this.#engine.clock.now();
  }

  /** Puts everything into the state in which the race begins. */
  reset(): void {
    for (const client of this.#clients.values()) client.close();
    this.#clients.clear();
    if (this.mayMerge) {
      this.#engine.clock.set(this.#startMs);
      loadFresh(this.db, this.#start);
    } else {
      this.close();
      this.#engine = this.#make();
    }
    for (const line of this.#script.setup) this.outer(line);
    if (this.#hasMarks) toolsOf(this.db).takeFacts(true);
  }

  close(): void {
    this.db.close();
  }

  /** Runs a line that stands before or behind the race; its reply. */
  outer({ kind, client, words, move }: OuterLine): Uint8Array {
    if (kind === 'receive') return this.arrived(client)[0] ?? new Uint8Array();
    if (kind === 'command') return this.send(client, words);
    if (move !== undefined) this.move(move);
    return new Uint8Array();
  }

  /** Runs a command; its reply, empty while the client is blocked. */
  send(name: string, words: readonly Uint8Array[]): Uint8Array {
    this.commands += 1;
    if (words.length === 0) return encodeError('Invalid argument(s)');
    try {
      return this.#client(name).callRaw(...words);
    } catch (error) {
      return encodeError(error instanceof Error ? error.message : String(error));
    }
  }

  /** Messages and late replies that reached a client. */
  arrived(name: string): Uint8Array[] {
    const client = this.#client(name);
    return client.closed ? [] : splitReplies(client.takeOutbox());
  }

  /** Changes by clients since the last call, with their names; empty if nothing depends on them. */
  takeFacts(): Fact[] {
    if (!this.#hasMarks) return [];
    const names = new Map([...this.#clients].map(([name, { id }]) => [id, name]));
    const facts = toolsOf(this.db).takeFacts(true);
    return facts.map((fact) => ({ ...fact, client: names.get(fact.client ?? 0) ?? null }));
  }

  disconnect(name: string): void {
    this.#clients.get(name)?.close();
    this.#clients.delete(name);
  }

  /** True if a key that the client watches has changed, so that its EXEC will fail. */
  watchesChanged(name: string): boolean {
    const client = this.#client(name);
    if (client.closed) return false;
    const observer = this.db.client({ protocol: 2 });
    const [line] = decodeReplies(observer.callRaw('CLIENT', 'LIST', 'ID', client.id));
    observer.close();
    return / flags=\w*d/.test(String(line));
  }

  /** Instant at which something is due, or null. */
  get due(): number | null {
    return this.db.nextExpiry();
  }

  move(move: Move): void {
    const { clock } = this.#engine;
    if (move === 'next') clock.advanceToNextExpiry();
    else clock.set('byMs' in move ? clock.now() + move.byMs : move.toMs);
  }

  #client(name: string): Client {
    let client = this.#clients.get(name);
    if (!client) this.#clients.set(name, (client = this.db.client({ protocol: 2 })));
    return client;
  }
}
