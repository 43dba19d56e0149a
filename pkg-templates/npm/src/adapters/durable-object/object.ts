/**
 * The object: one engine in its own WebAssembly instance, rebuilt from the object's log when it wakes. Commands run, and their
 * effects are written, in one synchronous turn; the platform holds the reply until the write is safe.
 */
import { DurableObject } from 'cloudflare:workers';
import { builtIn } from '#engine';
import { isReplyError, isTrap } from '../../base/errors.js';
import { Database } from '../../db/database.js';
import { restore } from '../../persist/restore.js';
import { failed } from '../upstash/admission.js';
import type { Command } from '../upstash/commands.js';
import { BODY_BYTES_MAX } from '../upstash/exchange.js';
import type { RestReply } from '../upstash/json.js';
import type { RestSettings } from '../upstash/options.js';
import { Runner } from '../upstash/run.js';
import { respondAdmitted, respondCommands } from '../upstash/respond.js';
import { type Copy, copyFor } from './copies.js';
import { logFailure } from './failure-log.js';
import { type KeylatchLimits, type Limits, limitsOf } from './limits.js';
import { liveStream } from './live-body.js';
import { Log } from './log.js';
import { metricsFor, numbersIn, type ObjectNumbers } from './metrics.js';
import { failureOfRate, Rates } from './rates.js';
import { runRequests } from './resp-requests.js';
import type { PlatformSocket } from './platform-socket.js';
import { NamespaceRules } from './rules.js';
import { shardOfUpgrade } from './shards/objects.js';
import { RESHARD, type ReshardedObject, resharded } from './shards/reshard.js';
import { type ShardClaim, ShardTable } from './shards/table.js';
import { Sockets } from './sockets.js';
import { Turns } from './turns.js';
import { upgradeOf } from './upgrade.js';
import { Wakeups } from './wakeups.js';
import { requestOf, UNCONFIRMED, type WireRequest, type WireResponse } from './wire.js';

/** Memory of a script, which the engine ensures before one starts. */
const MAX_SCRIPT_MEMORY = '8mb';

/**
 * A namespace: one engine with a log in the object's SQLite storage. Export it from a Worker, bind it with
 * `new_sqlite_classes`, and let `keylatchFetch` answer requests.
 */
export class KeylatchObject extends DurableObject<unknown> {
  /** Limits of each namespace, for a class that extends this one: `static override readonly limits = { sockets: 100 }`. */
  static readonly limits: KeylatchLimits = {};
  readonly #log: Log;
  readonly #db: Database;
  readonly #runner: Runner;
  readonly #shards: ShardTable;
  readonly #turns: Turns;
  readonly #settings: RestSettings;
  readonly #sockets: Sockets;
  readonly #wakeups: Wakeups;
  /** Time of the constructor. The platform's clock goes on between events alone, so it is read after the next one. */
  readonly #recoveryMs: Promise<number>;
  /** Work for which the log must have what ran before. */
  readonly #afterAppend: (() => void)[] = [];

  /** Throws if a newer version wrote the log. The variable KEYLATCH_MAXMEMORY limits memory, as `50mb`; `0`: no limit. */
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    const beganMs = Date.now();
    this.#log = new Log(ctx.storage);
    this.#db = rebuilt(this.#log);
    this.#shards = new ShardTable(ctx.storage, () => this.#log.exists);
    const limits = limitsOf(new.target.limits, env);
    this.#runner = new Runner(this.#db);
    limit(this.#runner, limits);
    this.#turns = new Turns({
      begin: () => this.#sockets.endExpired(),
      store: (errors) => this.#store(errors),
      end: (cause) => this.#end(cause),
    });
    const rates = new Rates(() => Date.now());
    const rules = new NamespaceRules({
      ...limits,
      waiting: () => numbersIn(this.#info('clients')).get('blocked_clients') ?? 0,
    });
    this.#settings = { ...settingsOf(this.#turns, this.#log, rates), rules, maxCommands: limits.pipelineCommands };
    const shard = () => this.#shards.shard;
    this.#sockets = new Sockets(ctx, this.#runner, this.#turns, { rates, rules, max: limits.sockets, shard });
    this.#wakeups = new Wakeups(ctx.storage, this.#sockets, () => void this.#wake());
    // Timeouts of clients that wait, and the expiry of keys that one of them hears of.
    this.#db.host.schedule = this.#wakeups.schedule;
    if (ctx.getWebSockets().length > 0) {
      void this.#wakeups.recall();
      void this.#adopt();
    }
    const recovered = (): number => Date.now() - beganMs;
    this.#recoveryMs = ctx.storage.sync().then(recovered, recovered);
  }

  /** @internal Answers a request that `keylatchFetch` admitted. */
  async rest(request: WireRequest): Promise<WireResponse> {
    try {
      if (request.path === `/${RESHARD}`) return await resharded(request, this.#resharded());
      if (!this.#shards.admits(request.shard)) return { status: UNCONFIRMED, headers: {}, body: null };
      return await (this.#copyOrMetrics(request) ?? this.#answer(request));
    } catch (error) {
      return failed(error);
    }
  }

  /** Undefined for requests of commands, which wait for nothing here: they share turns with those that came before. */
  #copyOrMetrics(request: WireRequest): Promise<WireResponse> | undefined {
    const copy = copyFor(request, { log: this.#log, snapshot: () => this.#snapshotAtEnd() });
    return copy ?? metricsFor(request, { info: () => this.#info(), numbers: () => this.#numbers() });
  }

  async #answer(request: WireRequest): Promise<WireResponse> {
    const { access, commands } = request;
    const response = await (commands === undefined
      ? respondAdmitted(this.#runner, requestOf(request), access, this.#settings)
      : respondCommands(this.#runner, commands, requestOf(request), access, this.#settings));
    const { status, headers, body } = response;
    const isLive = typeof body === 'function';
    return { status, headers, body: isLive ? liveStream(body, () => this.ctx.storage.sync()) : body };
  }

  /** The reply of INFO. */
  #info(...sections: readonly string[]): string {
    return String(ran(this.#runner, ['INFO', ...sections]));
  }

  async #numbers(): Promise<ObjectNumbers> {
    const { rows: logRows, bytes: logBytes } = this.#log;
    const { size: sockets } = this.#sockets;
    return { sockets, logRows, logBytes, recoveryMs: await this.#recoveryMs, turnWaits: this.#turns.waits };
  }

  /** @internal Makes the object a shard, the first of its namespace. Returns why that cannot be. */
  async claim(shard: ShardClaim): Promise<string | undefined> {
    try {
      this.#shards.admits(shard);
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /**
   * Runs requests in RESP, as one client with full access, and returns their replies. Resolves when the last one is there: a
   * command such as BLPOP waits as long as it says. For other Workers, by a binding: no token is asked for. Rejects if the
   * namespace has several shards.
   */
  async resp(requests: Uint8Array): Promise<Uint8Array> {
    this.#shards.admits();
    return this.#turns.run(() => runRequests(this.#db.streams, requests));
  }

  /** @internal Connects a client after an upgrade that `keylatchFetch` admitted. */
  async fetch(request: Request): Promise<Response> {
    const upgrade = upgradeOf(request);
    if (upgrade === undefined) return new Response('keylatchFetch answers requests', { status: 400 });
    try {
      if (!this.#shards.admits(shardOfUpgrade(request.headers))) return new Response(null, { status: UNCONFIRMED });
      const { client } = await this.#turns.run(() => this.#sockets.accept(upgrade));
      return new Response(null, { status: 101, headers: upgrade.headers, webSocket: client } as ResponseInit);
    } catch (error) {
      const { status, headers, body } = failed(error);
      return new Response(body, { status, headers });
    }
  }

  /** @internal */
  webSocketMessage(socket: PlatformSocket, message: string | ArrayBuffer): Promise<void> {
    return this.#sockets.received(socket, message);
  }

  /** @internal */
  webSocketClose(socket: PlatformSocket): Promise<void> {
    return this.#sockets.closed(socket);
  }

  /** @internal */
  webSocketError(socket: PlatformSocket): Promise<void> {
    return this.#sockets.closed(socket);
  }

  /** @internal */
  alarm(): Promise<void> {
    this.#wakeups.alarmed();
    return this.#wake();
  }

  /** Serves clients at the end of their timeouts. If that cannot be stored, the object ends. */
  #wake(): Promise<void> {
    return this.#turns.run(() => void this.#db.host.tick()).catch(() => {});
  }

  /** Connects the clients of sockets that stayed open while the object slept. */
  #adopt(): Promise<void> {
    const adopt = (): void => {
      this.#sockets.adopt();
      this.#db.host.tick();
    };
    return this.#turns.run(adopt).catch(() => {});
  }

  /** Writes what commands did. Nothing awaits between a command and this: no request sees what is not on its way to the disk. */
  #store(errors: readonly unknown[]): boolean {
    const trap = errors.find(isTrap);
    if (trap !== undefined) throw trap;
    this.#sockets.runReached();
    const hasWritten = this.#append();
    for (const work of this.#afterAppend.splice(0)) work();
    this.#sockets.flush();
    this.#wakeups.apply();
    return hasWritten;
  }

  /** Adds the turn's effects to the log, if there are any. */
  #append(): boolean {
    // Scripts are not suspended here.
    const effects = this.#db.host.takeEffects();
    if (effects.length === 0) return false;
    const nowMs = this.#db.now();
    const snapshot = this.#log.isLong(effects.length) ? this.#snapshot(effects.length) : null;
    if (snapshot === null) this.#log.append(effects, nowMs);
    else this.#log.replace(snapshot, nowMs);
    return true;
  }

  /** A snapshot at the end of the log. */
  #snapshotAtEnd(): Promise<Copy> {
    return this.#atEnd((resolve, reject) => {
      try {
        resolve({ bytes: this.#db.snapshot(), position: this.#log.position });
      } catch (error) {
        if (this.#db.host.poisoned) throw error;
        reject(error);
      }
    });
  }

  /** Replaces all data. If that fails, the object ends, and its log is as it was. */
  #replace(snapshot: Uint8Array, stored: () => void): Promise<void> {
    return this.#atEnd((resolve) => {
      this.#db.load(snapshot);
      // The log begins anew with the snapshot, which has these.
      this.#db.host.takeEffects();
      this.#log.replace(snapshot, this.#db.now());
      stored();
      resolve();
    });
  }

  /** Runs work in a turn, when what ran before is in the log. The object ends if it throws. */
  #atEnd<T>(work: (resolve: (value: T) => void, reject: (reason: unknown) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#turns.run(() => void this.#afterAppend.push(() => work(resolve, reject))).catch(reject);
    });
  }

  /** The object, as a change of the number of shards needs it. */
  #resharded(): ReshardedObject {
    return {
      shards: this.#shards,
      position: this.#log.position,
      disconnect: () => this.#turns.run(() => this.#sockets.disconnect()),
      copy: () => this.#snapshotAtEnd(),
      replace: (snapshot, stored) => this.#replace(snapshot, stored),
    };
  }

  /** Null if memory for a snapshot is exhausted: the log then continues to grow. */
  #snapshot(length: number): Uint8Array | null {
    try {
      return this.#db.snapshot();
    } catch (error) {
      if (this.#db.host.poisoned) throw error;
      logFailure('warn', 'log-not-compacted', this.ctx.id.name, error);
      this.#log.replaceFailed(length);
      return null;
    }
  }

  /** The engine has trapped, or memory is ahead of the disk: in both cases the log is valid and this object is not. */
  #end(cause: unknown): void {
    logFailure('error', 'object-restarts', this.ctx.id.name, cause);
    this.ctx.abort(`keylatch: ${String(cause)}`);
  }
}

/** Sets the limits of an engine. Nothing is evicted: stored data is kept, and a write beyond the limit is refused. */
function limit(runner: Runner, { memory, valueBytes }: Limits): void {
  ran(runner, ['CONFIG', 'SET', 'maxmemory', memory, 'maxmemory-policy', 'noeviction']);
  ran(runner, ['CONFIG', 'SET', 'proto-max-bulk-len', String(valueBytes), 'lua-memory-limit', MAX_SCRIPT_MEMORY]);
}

/** Runs a command of the object itself. */
function ran(runner: Runner, command: Command): RestReply {
  const reply = runner.reply(command, false);
  if (isReplyError(reply)) throw reply;
  return reply;
}

/**
 * Rebuilds the engine from the log. The clock starts at the last instant logged, so that an object on a host with a slow
 * clock cannot bring an expired lease back.
 */
function rebuilt(log: Log): Database {
  const stored = log.read();
  const db = new Database({ module: builtIn, clock: 'monotonic', floorMs: stored.loggedMs, seed: stored.seed });
  const { tornBytes } = restore(db, stored, 'the log');
  if (tornBytes > 0) throw new Error('an entry of the log is torn');
  db.host.record(true);
  return db;
}

/** Settings of the exchange. The Worker has checked the token, the body and where it comes from. */
function settingsOf(turns: Turns, log: Log, rates: Rates): RestSettings {
  return {
    tokens: undefined,
    readOnlyTokens: [],
    origins: [],
    basePath: '',
    maxBodyBytes: BODY_BYTES_MAX,
    durable: undefined,
    position: () => log.position,
    turn: turns.run,
    signed: undefined,
    rules: undefined,
    maxCommands: undefined,
    count: (access, commands) => {
      const refusal = rates.take(access, commands);
      if (refusal !== undefined) throw failureOfRate(refusal);
    },
  };
}
