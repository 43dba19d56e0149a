/**
 * One Durable Object: one engine in its own WebAssembly instance, rebuilt from the object's log when it wakes. A
 * command runs, and its effects are written, in one synchronous turn; the platform holds the reply until the write is
 * safe.
 */

import { DurableObject } from 'cloudflare:workers';
import { Keylatch, PoisonedError, ReplyError } from 'keylatch';
import { restore } from 'keylatch/persist';

import { Log, LogError } from './log';
import { reasonAgainst } from './offer';
import { errorBody, resultBody, type Answer } from './protocol';

export interface Env {
  readonly SHARD: DurableObjectNamespace<Shard>;
  /** A secret. When it is set, every request must carry it as a bearer token. */
  readonly KEYLATCH_TOKEN?: string;
  /**
   * Memory limit of a keyspace, in the form of CONFIG SET maxmemory: `50mb`, `0` for no limit. Default `MAX_MEMORY`.
   */
  readonly KEYLATCH_MAXMEMORY?: string;
}

/**
 * Default limit. It leaves memory of an isolate's 128 MB for a snapshot, the log as it is read, and other namespaces.
 */
const MAX_MEMORY = '20mb';
/** Memory of a script, which the engine ensures before one starts. */
const MAX_SCRIPT_MEMORY = '8mb';

export class Shard extends DurableObject<Env> {
  readonly #log: Log;
  readonly #db: Keylatch;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#log = new Log(ctx.storage);
    this.#db = rebuild(this.#log);
    // Nothing is evicted: stored data is kept, and a write beyond the limit is refused.
    const limit = env.KEYLATCH_MAXMEMORY ?? MAX_MEMORY;
    this.#db.call('CONFIG', 'SET', 'maxmemory', limit, 'maxmemory-policy', 'noeviction');
    this.#db.call('CONFIG', 'SET', 'lua-memory-limit', MAX_SCRIPT_MEMORY);
  }

  /**
   * Runs one command, given as its name and arguments. There is no `await` from the first byte of the command to the
   * write of its effects, so that no request sees a state that is not on its way to the disk.
   *
   * @throws the error that stopped the object, after which the next call finds it rebuilt from the log.
   */
  run(command: string[]): Answer {
    try {
      const answer = this.#execute(command);
      this.#persist();
      return answer;
    } catch (cause) {
      // The instance has trapped, or memory is ahead of the disk. In both cases the log is valid and this object is
      // not.
      console.error('keylatch: the object is rebuilt from its log', cause);
      this.ctx.abort(`keylatch: ${String(cause)}`);
      throw cause;
    }
  }

  #execute(command: string[]): Answer {
    const reason = reasonAgainst(command);
    if (reason !== null) return { ok: false, body: errorBody(reason) };
    const [name = '', ...args] = command;
    // RESP2 has no maps, sets or doubles: its replies are JSON as they stand.
    const client = this.#db.client({ protocol: 2 });
    try {
      return { ok: true, body: resultBody(client.call(name, ...args)) };
    } catch (error) {
      if (!(error instanceof ReplyError)) throw error;
      return { ok: false, body: errorBody(error.message) };
    } finally {
      client.close();
    }
  }

  #persist(): void {
    const effects = this.#db.takeEffects();
    if (effects.length === 0) return;
    const nowMs = this.#db.now();
    const snapshot = this.#log.isDue(effects.length) ? this.#snapshot() : null;
    if (snapshot === null) this.#log.append(effects, nowMs);
    else this.#log.replace(snapshot, nowMs);
  }

  /** Null when memory for a snapshot is exhausted: the log then continues to grow. */
  #snapshot(): Uint8Array | null {
    try {
      return this.#db.snapshot();
    } catch (error) {
      if (error instanceof PoisonedError) throw error;
      console.warn('keylatch: the log is not compacted', error);
      return null;
    }
  }
}

/**
 * Rebuilds the engine from the log. The clock starts at the last instant logged, so that an object on a host with a
 * slow clock cannot bring an expired lease back.
 */
function rebuild(log: Log): Keylatch {
  const db = new Keylatch({ clock: 'monotonic', floorMs: log.loggedMs, seed: log.seed });
  if (restore(db, log.stored(), 'the log').tornBytes > 0) throw new LogError('an entry of the log is torn');
  db.record(true);
  return db;
}
