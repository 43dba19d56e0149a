/** All WebSockets of an object: they are accepted, adopted after its sleep, run in turns, and flushed when a turn is stored. */
import { queuePosition } from '../../host/client-words.js';
import type { Rules } from '../upstash/commands.js';
import { Failure } from '../upstash/exchange.js';
import type { Runner } from '../upstash/run.js';
import { logFailure } from './failure-log.js';
import { type Closing, OVERLOADED, type PlatformSocket, RESTARTED, TOKEN_ENDED } from './platform-socket.js';
import type { Rates } from './rates.js';
import { ShardRules } from './shards/shard-rules.js';
import type { Shard } from './shards/slots.js';
import { Socket, type SocketOwner } from './socket.js';
import { type SocketState, SocketStates } from './socket-state.js';
import type { SplitLine } from './socket-input.js';
import type { Turns } from './turns.js';

/** Time for which a long state has to stay the same before it is saved. The object does not sleep until then. */
const SAVE_MS = 2000;

/** Limits of sockets, and of what they run. */
export interface SocketSettings {
  readonly rates: Rates;
  readonly rules: Rules;
  /** Number of sockets. Each takes a few kilobytes of the engine's memory. */
  readonly max: number;
  readonly shard: () => Shard | undefined;
}

export class Sockets implements SocketOwner {
  readonly runner: Runner;
  readonly states: SocketStates;
  readonly splitLine: SplitLine;
  readonly rates: Rates;
  readonly #ctx: DurableObjectState;
  readonly #turns: Turns;
  readonly #shard: () => Shard | undefined;
  readonly #rules: Rules;
  readonly #max: number;
  readonly #sockets = new Map<PlatformSocket, Socket>();
  #reached = new Set<Socket>();
  #touched = new Set<Socket>();
  readonly #unsaved = new Set<Socket>();
  #saver: unknown;
  /** The first end of a token, or an earlier instant if its client has gone. */
  #nextEndMs = Infinity;

  /** Text frames `ping` are answered by the platform from now on. */
  constructor(ctx: DurableObjectState, runner: Runner, turns: Turns, { rates, rules, max, shard }: SocketSettings) {
    this.rates = rates;
    this.#rules = rules;
    this.#max = max;
    this.#ctx = ctx;
    this.#turns = turns;
    this.#shard = shard;
    this.runner = runner;
    this.splitLine = (line) => runner.database.splitLine(line);
    this.states = new SocketStates(ctx.storage);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('ping', 'pong'));
  }

  rulesFor(address: string | undefined): Rules {
    const shard = this.#shard();
    return shard === undefined ? this.#rules : new ShardRules(this.#rules, shard, address ?? '');
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** Instant at which a client has to be disconnected with its token; undefined without one. */
  get dueMs(): number | undefined {
    return this.#nextEndMs === Infinity ? undefined : this.#nextEndMs;
  }

  /** Disconnects clients with tokens that have ended, within a turn and in front of its commands. */
  endExpired(): void {
    const nowMs = Date.now();
    if (nowMs < this.#nextEndMs) return;
    this.#nextEndMs = Infinity;
    for (const socket of [...this.#sockets.values()]) {
      if (socket.expiresAtMs <= nowMs) socket.end(TOKEN_ENDED);
      else this.#nextEndMs = Math.min(this.#nextEndMs, socket.expiresAtMs);
    }
  }

  #add(socket: Socket): void {
    this.#sockets.set(socket.transport, socket);
    this.#nextEndMs = Math.min(this.#nextEndMs, socket.expiresAtMs);
  }

  /** Adopts the sockets that are open after the object has slept, within a turn. */
  adopt(): void {
    const found: { readonly transport: PlatformSocket; readonly state: SocketState; readonly position: number }[] = [];
    for (const transport of this.#ctx.getWebSockets()) {
      const state = this.states.read(transport);
      if (state === undefined) close(transport, RESTARTED);
      else found.push({ transport, state, position: queuePosition(state.client) });
    }
    // The platform promises no order.
    found.sort((one, other) => one.position - other.position);
    for (const { transport, state } of found) this.#adoptOne(transport, state);
    this.endExpired();
    this.states.forgetOthers();
  }

  #adoptOne(transport: PlatformSocket, state: SocketState): void {
    try {
      this.#add(new Socket(transport, this, state, state));
    } catch (error) {
      logFailure('error', 'socket-not-adopted', this.#ctx.id.name, error);
      close(transport, RESTARTED);
    }
  }

  /** Connects a client, within a turn. Throws if there are too many. */
  accept(upgrade: Pick<SocketState, 'access' | 'address'>): { readonly client: unknown } {
    if (this.#sockets.size >= this.#max)
      throw new Failure(429, `OVERLOADED this namespace has ${this.#max} sockets already`);
    const { 0: client, 1: transport } = new WebSocketPair();
    const socket = new Socket(transport, this, upgrade);
    this.#ctx.acceptWebSocket(transport);
    this.#add(socket);
    return { client };
  }

  /** Runs what a socket received, in a turn. */
  received(transport: PlatformSocket, message: string | ArrayBuffer): Promise<void> {
    if (!this.#sockets.has(transport)) close(transport, RESTARTED);
    return this.#inTurn(transport, (socket) => socket.take(message));
  }

  /** Disconnects all clients, within a turn: the object is to be another one. */
  disconnect(): void {
    for (const socket of this.#sockets.values()) socket.end(RESTARTED);
  }

  /** Disconnects the client of a socket that was closed, in a turn. */
  closed(transport: PlatformSocket): Promise<void> {
    return this.#inTurn(transport, (socket) => socket.end());
  }

  async #inTurn(transport: PlatformSocket, work: (socket: Socket) => void): Promise<void> {
    const socket = this.#sockets.get(transport);
    if (socket === undefined) return;
    try {
      await this.#turns.run(() => work(socket));
    } catch (cause) {
      // The object ends, or too many requests wait. Those that follow must not run without this one.
      socket.refuse();
      close(transport, cause instanceof Failure && cause.status === 429 ? OVERLOADED : RESTARTED);
    }
  }

  /** Runs the sockets that the turn's commands have reached, and those that these reach. */
  runReached(): void {
    while (this.#reached.size > 0) {
      const reached = this.#reached;
      this.#reached = new Set();
      for (const socket of reached) socket.run();
    }
  }

  /** Sends what the turn brought, once it is stored. */
  flush(): void {
    const touched = this.#touched;
    if (touched.size === 0) return;
    this.#touched = new Set();
    for (const socket of touched) socket.flush();
    // Reading the state of a client may have brought messages to others.
    if (this.#reached.size > 0) setTimeout(() => this.#turns.run(() => {}).catch(() => {}));
  }

  reached(socket: Socket): void {
    this.#reached.add(socket);
  }

  touched(socket: Socket): void {
    this.#touched.add(socket);
  }

  runLater(socket: Socket, delayMs: number): void {
    setTimeout(() => {
      this.#inTurn(socket.transport, (found) => found.run());
    }, delayMs);
  }

  saveLater(socket: Socket): void {
    this.#unsaved.add(socket);
    clearTimeout(this.#saver as number);
    this.#saver = setTimeout(() => {
      const unsaved = [...this.#unsaved];
      this.#unsaved.clear();
      this.#turns.run(() => unsaved.forEach((one) => one.save())).catch(() => {});
    }, SAVE_MS);
  }

  lastAutoResponse(transport: PlatformSocket): number {
    return this.#ctx.getWebSocketAutoResponseTimestamp(transport)?.getTime() ?? 0;
  }

  ended(socket: Socket): void {
    this.#sockets.delete(socket.transport);
    this.#reached.delete(socket);
    this.#unsaved.delete(socket);
  }
}

function close(transport: PlatformSocket, { code, reason }: Closing): void {
  try {
    transport.close(code, reason);
  } catch {
    // The connection has ended already.
  }
}
