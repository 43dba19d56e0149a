/** Runs the commands of one request, and makes the response of their replies. */
import { isReplyError, ReplyError } from '../../base/errors.js';
import type { Access } from './access.js';
import { type Command, isRead, nameOf, refusalOf, refusalOfAny, type Rights, waits } from './commands.js';
import { Failure, notDurable, type RestResponse, type Sink } from './exchange.js';
import { answersIn, type Form, repliesIn, responseOf, contentOf } from './form.js';
import { answerOf, type Answer, type RestReply } from './json.js';
import { type KeptReplies, type Outcome, replyIn } from './kept-replies.js';
import type { RestSettings } from './options.js';
import { concat } from '../../resp/concat.js';
import { encodeError, encodeNull } from '../../resp/encode.js';
import { errorIn, type Runner, type WaitingCommand } from './run.js';
import { isPersistenceError } from '../../persist/errors.js';

/** Longest time for which commands of one request wait. */
const WAIT_MS = 25_000;
/** Time between the blanks in front of the JSON of a request that waits: only a write shows that a client has gone. */
const BLANK_MS = 5000;

export class Replies {
  readonly #runner: Runner;
  readonly #rights: Rights;
  readonly #form: Form;
  readonly #settings: RestSettings;
  readonly #kept: KeptReplies | undefined;
  /** The command that waits. */
  #waiting: WaitingCommand | undefined;
  #hasWaitedTooLong = false;
  /** Commands that were refused, and have not run. */
  readonly #refused = new Set<Command>();
  #deadline: ReturnType<typeof setTimeout> | undefined;
  #beginWaiting = (): void => {};

  constructor(runner: Runner, access: Access, form: Form, settings: RestSettings, kept: KeptReplies | undefined) {
    this.#runner = runner;
    this.#rights = { access, rules: settings.rules };
    this.#form = form;
    this.#settings = settings;
    this.#kept = kept;
  }

  /** Runs commands one after another, and goes on behind one that failed. */
  async ofPipeline(commands: readonly Command[]): Promise<RestResponse> {
    const inResp = this.#form.resp !== undefined;
    const isPlain = this.#kept === undefined && !inResp && !commands.some(waits);
    if (isPlain) {
      const run = (): Answer[] => commands.map((command) => this.#answer(this.#replyOf(command)));
      const answers = await this.#settings.turn(run);
      await this.#written(commands);
      return this.#response(answers);
    }
    const waitBegins = new Promise<boolean>((resolve) => {
      this.#beginWaiting = () => resolve(true);
    });
    const work = this.#bytesOfAll(commands);
    // Without a handler, a failure while the body has not begun would end the process.
    work.catch(() => {});
    const isWaiting = await Promise.race([work.then(() => false), waitBegins]);
    if (isWaiting && !inResp) return this.#live(work);
    return inResp ? this.#inResp(await work) : this.#response(answersIn(await work, this.#form));
  }

  /** Runs commands as a transaction. */
  async ofTransaction(commands: readonly Command[]): Promise<RestResponse> {
    const refusal = refusalOfAny(commands, (command) => refusalOf(command, this.#rights));
    if (refusal !== undefined) throw new Failure(400, refusal);
    const run = (): Uint8Array => this.#runner.transactionBytes(commands, this.#form.resp);
    const bytes = await (this.#kept === undefined ? this.#settings.turn(run) : this.#kept.replyOf(commands, 0, run));
    await this.#written(commands);
    if (this.#form.resp !== undefined) return this.#inResp([bytes]);
    const [replies] = repliesIn(bytes, this.#form);
    return this.#response((replies as RestReply[]).map((reply) => this.#answer(reply)));
  }

  #replyOf(command: Command): RestReply {
    const refusal = this.#refusalOf(command);
    if (refusal !== undefined) return new ReplyError(refusal, nameOf(command));
    const reply = this.#runner.reply(command, this.#form.inBase64);
    if (isReplyError(reply)) this.#noteError(command, reply.message);
    return reply;
  }

  #refusalOf(command: Command): string | undefined {
    const refusal = refusalOf(command, this.#rights);
    if (refusal !== undefined) this.#refused.add(command);
    return refusal;
  }

  /** While the store fails, the engine refuses what writes. */
  #noteError(command: Command, message: string): void {
    if (message.startsWith('MISCONF ')) this.#refused.add(command);
  }

  async #bytesOfAll(commands: readonly Command[]): Promise<Uint8Array[]> {
    try {
      const replies: Uint8Array[] = [];
      for (const [index, command] of commands.entries()) replies.push(await this.#bytesOf(command, index));
      await this.#written(commands);
      return replies;
    } finally {
      clearTimeout(this.#deadline);
    }
  }

  async #bytesOf(command: Command, index: number): Promise<Uint8Array> {
    const refusal = this.#refusalOf(command);
    if (refusal !== undefined) return encodeError(refusal);
    const run = (): Outcome =>
      waits(command) ? this.#begun(command) : this.#runner.replyBytes(command, this.#form.resp);
    if (this.#kept !== undefined) return this.#kept.replyOf([command], index, run, this.#beginWaiting);
    const reply = await replyIn(await this.#settings.turn(run));
    if (this.#settings.durable !== undefined) this.#noteError(command, errorIn(reply) ?? '');
    return reply;
  }

  /** Begins a command that may have to wait. */
  #begun(command: Command): Outcome {
    const waiting = this.#runner.waiting(command, this.#form.resp);
    if (waiting.replyAtOnce !== undefined) return waiting.replyAtOnce;
    if (this.#hasWaitedTooLong) {
      waiting.abandon();
      return encodeNull();
    }
    this.#waiting = waiting;
    this.#deadline ??= setTimeout(() => this.#abandon(), WAIT_MS);
    this.#beginWaiting();
    return waiting;
  }

  #abandon(): void {
    this.#hasWaitedTooLong = true;
    // The null may be kept, which is a change.
    Promise.resolve(this.#settings.turn(() => this.#waiting?.abandon())).catch(() => {});
  }

  /** Between commands that may have written and their response. */
  async #written(commands: readonly Command[]): Promise<void> {
    if (commands.every((command) => isRead(command) || this.#refused.has(command))) return;
    this.#runner.changes += 1;
    try {
      await this.#settings.durable?.();
    } catch (cause) {
      throw notDurable(cause);
    }
  }

  /** A response that begins before its replies are there. Its status is 200, whatever comes of it. */
  #live(work: Promise<Uint8Array[]>): RestResponse {
    const body = (sink: Sink): (() => void) => {
      const blanks = setInterval(() => sink.write(' '), BLANK_MS);
      let hasGone = false;
      const finish = (value: unknown): void => {
        clearInterval(blanks);
        // Writing to a stream that was cancelled throws.
        if (hasGone) return;
        sink.write(JSON.stringify(value));
        sink.end();
      };
      work.then(
        (replies) => finish(contentOf(answersIn(replies, this.#form), this.#form)),
        (error: Error) => finish({ error: isPersistenceError(error) ? notDurable(error).message : error.message }),
      );
      return () => {
        hasGone = true;
        clearInterval(blanks);
        // A repeated request may ask for the reply again.
        if (this.#kept === undefined) this.#abandon();
      };
    };
    return { status: 200, headers: this.#headers('application/json'), body };
  }

  #answer(reply: RestReply): Answer {
    return answerOf(reply, this.#form.inBase64);
  }

  #response(answers: readonly Answer[]): RestResponse {
    return { ...responseOf(answers, this.#form), headers: this.#headers('application/json') };
  }

  #inResp(replies: readonly Uint8Array[]): RestResponse {
    return { status: 200, headers: this.#headers('application/octet-stream'), body: concat(replies) };
  }

  #headers(contentType: string): Record<string, string> {
    const position = this.#settings.position?.() ?? this.#runner.changes;
    return { 'content-type': contentType, 'upstash-sync-token': String(position) };
  }
}
