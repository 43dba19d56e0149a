/** Kept replies of the REST protocol: of the commands of one request with an id, written in the unit of their effects. */
import { Failure } from './exchange.js';
import { type Command, isRead } from './commands.js';
import { digestOf, KeptReply } from './kept-reply.js';
import type { Turn } from './options.js';
import type { Runner, UnitLog, WaitingCommand } from './run.js';

/** A reply, or the command that waits for one. */
export type Outcome = Uint8Array | WaitingCommand;

/** A reply under way. */
interface UnderWay {
  readonly digest: Uint8Array;
  readonly reply: Promise<Uint8Array>;
}

/** Replies under way, by key: a repeated request joins the first one. */
const underWay = new WeakMap<object, Map<string, UnderWay>>();

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
    const kept = new KeptReply(this.#runner, this.#id, index, await digestOf(this.#owner, commands));
    // One turn: of two requests with one id, the second finds what the first began.
    const reply = await this.#turn(() => ({
      bytes: this.#joined(kept, joins) ?? kept.found() ?? this.#begun(kept, run),
    }));
    await appended(this.#runner.log);
    return reply.bytes;
  }

  /** The reply of a request with the same id that still waits. */
  #joined(kept: KeptReply, joins: () => void): Promise<Uint8Array> | undefined {
    const running = this.#underWay.get(kept.key);
    if (running === undefined) return undefined;
    kept.refuseForeign(running.digest);
    joins();
    return running.reply;
  }

  /** Runs the commands; their reply is kept in the unit of their effects, or of those that end a wait. */
  #begun(kept: KeptReply, run: () => Outcome): Uint8Array | Promise<Uint8Array> {
    const unit = (): Outcome => {
      const outcome = run();
      if (outcome instanceof Uint8Array) kept.keep(outcome);
      return outcome;
    };
    const { log } = this.#runner;
    const outcome = log === undefined ? unit() : log.grouped(unit);
    if (outcome instanceof Uint8Array) return outcome;
    const all = this.#underWay;
    all.set(kept.key, { digest: kept.digest, reply: outcome.reply });
    outcome.beforeReply = (reply) => {
      all.delete(kept.key);
      kept.keep(reply);
    };
    return outcome.reply;
  }

  get #underWay(): Map<string, UnderWay> {
    const all = underWay.get(this.#runner) ?? new Map();
    underWay.set(this.#runner, all);
    return all;
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
