/**
 * Replies that are kept for requests with an id, so that a repeated one has the same reply and no second effect. Each is a
 * key of its own, written in the unit of its command's effects.
 */
import { Failure } from './exchange.js';
import { type Command, isRead } from './commands.js';
import type { Turn } from './options.js';
import type { Runner, UnitLog, WaitingCommand } from './run.js';
import { concat } from '../../resp/concat.js';
import { encodeRequests } from '../../resp/encode.js';
import { Encoder } from '../../base/encoders.js';

const KEY = 'keylatch:reply:';
const KEPT_MS = 120_000;
const ID_CHARS_MAX = 128;
/** Bytes of the digest in front of the reply. */
const DIGEST_BYTES = 32;
const encoder = /* @__PURE__ */ new Encoder();

/** The id of a request; undefined without one. */
export function requestIdOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  if (text.length > ID_CHARS_MAX || !/^[\x21-\x7e]+$/.test(text))
    throw new Failure(400, `ERR a request id has 1 to ${ID_CHARS_MAX} printable characters, without blanks`);
  return text;
}

/** A reply, or the command that waits for one. */
export type Outcome = Uint8Array | WaitingCommand;

/** Replies under way, by key: a repeated request joins the first one. */
const underWay = new WeakMap<object, Map<string, { readonly digest: string; readonly reply: Promise<Uint8Array> }>>();

/** Runs the commands of one request with an id, or answers what was kept. */
export class KeptReplies {
  readonly #runner: Runner;
  readonly #id: string;
  readonly #owner: string;
  readonly #turn: Turn;

  /** `owner` is the token of the request and the form of its replies: a request with others cannot ask for the reply. */
  constructor(runner: Runner, turn: Turn, id: string, owner: string) {
    this.#turn = turn;
    this.#runner = runner;
    this.#id = id;
    this.#owner = owner;
  }

  /**
   * The reply of a command, or of the commands of a transaction, as RESP2 bytes. `index` is its place in the request. Commands
   * that only read are run anew, and keep nothing. `joins` is called if the reply is that of a request which still waits.
   */
  async replyOf(
    commands: readonly Command[],
    index: number,
    run: () => Outcome,
    joins: () => void = () => {},
  ): Promise<Uint8Array> {
    if (commands.every(isRead)) return replyIn(await this.#turn(run));
    const key = `${KEY}${this.#id}${index === 0 ? '' : `:${index}`}`;
    const digest = await this.#digestOf(commands);
    // One turn: of two requests with one id, the second finds what the first began.
    const reply = await this.#turn(() => ({
      bytes: this.#joined(key, digest, joins) ?? this.#kept(key, digest) ?? this.#begun(key, digest, run),
    }));
    await appended(this.#runner.log);
    return reply.bytes;
  }

  /** The reply of a request with the same id that still waits. */
  #joined(key: string, digest: Uint8Array, joins: () => void): Promise<Uint8Array> | undefined {
    const running = this.#underWay.get(key);
    if (running === undefined) return undefined;
    if (running.digest !== hex(digest)) throw foreign();
    joins();
    return running.reply;
  }

  #kept(key: string, digest: Uint8Array): Uint8Array | undefined {
    const kept = this.#runner.reply(['GET', key], true);
    if (!(kept instanceof Uint8Array)) return undefined;
    if (kept.length < DIGEST_BYTES || !digest.every((byte, at) => byte === kept[at])) throw foreign();
    return kept.slice(DIGEST_BYTES);
  }

  /** Runs the commands; their reply is kept in the unit of their effects, or of those that end a wait. */
  #begun(key: string, digest: Uint8Array, run: () => Outcome): Uint8Array | Promise<Uint8Array> {
    const keep = (reply: Uint8Array): void => {
      this.#runner.reply(['SET', key, concat([digest, reply]), 'PX', String(KEPT_MS)], true);
    };
    const unit = (): Outcome => {
      const outcome = run();
      if (outcome instanceof Uint8Array) keep(outcome);
      return outcome;
    };
    const { log } = this.#runner;
    const outcome = log === undefined ? unit() : log.grouped(unit);
    if (outcome instanceof Uint8Array) return outcome;
    const all = this.#underWay;
    all.set(key, { digest: hex(digest), reply: outcome.reply });
    outcome.beforeReply = (reply) => {
      all.delete(key);
      keep(reply);
    };
    return outcome.reply;
  }

  get #underWay(): Map<string, { readonly digest: string; readonly reply: Promise<Uint8Array> }> {
    const all = underWay.get(this.#runner) ?? new Map();
    underWay.set(this.#runner, all);
    return all;
  }

  async #digestOf(commands: readonly Command[]): Promise<Uint8Array> {
    const bytes = concat([encoder.encode(`${this.#owner}\n`), encodeRequests(commands)]);
    return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource));
  }
}

/** The reply of an outcome, which may have to be waited for. */
export function replyIn(outcome: Outcome): Uint8Array | Promise<Uint8Array> {
  return outcome instanceof Uint8Array ? outcome : outcome.reply;
}

async function appended(log: UnitLog | undefined): Promise<void> {
  const result = log?.appendPending() ?? true;
  if (result === false) throw new Failure(503, 'ERR the log cannot be written: the command may have run');
  await result;
}

function foreign(): Failure {
  return new Failure(409, 'ERR this request id belongs to a request with another token or body');
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
