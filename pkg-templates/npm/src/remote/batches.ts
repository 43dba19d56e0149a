/**
 * Lines without a connection: commands of one turn, and those that come while a request is under way, are one request. So
 * the commands of a client run in their order.
 */
import { commandName, type Argument } from '../base/argument.js';
import { abortReason, onAbort, type AbortSignalLike } from '../base/abort.js';
import { ClosedError, ReplyError } from '../base/errors.js';
import { ReplyFormatError, ReplySplitter } from '../resp/reply-splitter.js';
import { decodeReplies } from '../resp/reply.js';
import { MayHaveRun, messageOf, Unavailable } from './errors.js';
import { CallFailure, failureOf } from './failure.js';
import { Attempts } from './retry.js';
import type { CallLimits, Line, RemoteRequest, RequestKind } from './transport.js';
import type { WaitTime } from './wait.js';

type Commands = readonly (readonly Argument[])[];
type Replies = readonly Uint8Array[];

/** @internal One request to the server. */
export interface BatchCall {
  readonly kind: RequestKind;
  readonly commands: Commands;
  /** One id for all attempts: the server runs the commands once. */
  readonly id: string | undefined;
  /** Aborted when the time for the answer is over. */
  readonly signal: AbortSignal;
}

/** @internal Sends requests, each with an answer of its own. */
export interface BatchSender {
  /** Whether requests may have ids. */
  readonly hasIds: boolean;
  /** Whether a command cannot be sent together with others. */
  isAlone(argv: readonly Argument[]): boolean;
  /** Sends a request: the replies to its commands, as a Line has them. Rejects with CallFailure. */
  call(call: BatchCall): Promise<Replies>;
}

/** Commands of one request, at most. */
const COMMANDS_MAX = 1000;
/** Longest wait of one request: servers that answer over HTTP end it after 25 s. */
const PIECE_MS = 20_000;

interface QueuedRequest {
  readonly request: RemoteRequest;
  resolve(replies: Replies): void;
  reject(reason: unknown): void;
}

/** @internal Replies in bytes that have to be so many, and whole. */
export function repliesIn(bytes: Uint8Array, count: number): Replies {
  const splitter = new ReplySplitter();
  try {
    const replies = splitter.push(bytes);
    if (replies.length === count && !splitter.isTorn) return replies;
    throw new ReplyFormatError(`the answer has ${replies.length} of ${count} replies`);
  } catch (cause) {
    throw new CallFailure('lost', cause);
  }
}

/** @internal */
export class BatchLine implements Line {
  readonly #sender: BatchSender;
  readonly #options: CallLimits;
  #queue: QueuedRequest[] = [];
  #isRunning = false;
  #closed = false;
  readonly #ends = new Set<() => void>();

  constructor(sender: BatchSender, options: CallLimits) {
    this.#sender = sender;
    this.#options = options;
  }

  send(request: RemoteRequest): Promise<Replies> {
    if (this.#closed) return Promise.reject(new ClosedError('client'));
    if (request.kind === 'wait') return this.#waited(request);
    return new Promise((resolve, reject) => {
      this.#queue.push({ request, resolve, reject });
      if (!this.#isRunning) void this.#run();
    });
  }

  close(): void {
    this.#closed = true;
    for (const { reject } of this.#queue.splice(0)) reject(new ClosedError('client'));
    for (const end of this.#ends) end();
  }

  async #run(): Promise<void> {
    this.#isRunning = true;
    // The other commands of this turn.
    await Promise.resolve();
    while (this.#queue.length > 0) await this.#perform(this.#next());
    this.#isRunning = false;
  }

  /** Takes what is sent together. */
  #next(): QueuedRequest[] {
    const isJoined = ({ request: { kind, commands } }: QueuedRequest): boolean =>
      kind === 'commands' && !this.#sender.isAlone(commands[0] ?? []);
    const end = this.#queue.slice(0, COMMANDS_MAX).findIndex((queued) => !isJoined(queued));
    return this.#queue.splice(0, end === -1 ? COMMANDS_MAX : Math.max(end, 1));
  }

  /** Sends commands until each has its reply or an error. Never rejects. */
  async #perform(first: QueuedRequest[]): Promise<void> {
    const id = this.#options.requestIds && this.#sender.hasIds ? crypto.randomUUID() : undefined;
    const attempts = new Attempts(this.#options);
    let [left, wereLost] = [first, false];
    for (;;) {
      const failure = await this.#attempt(left, id);
      if (failure === undefined) return;
      const { kind, cause } = failure;
      if (kind === 'refused') return left.forEach(({ reject, request }) => reject(named(cause, request.name)));
      wereLost ||= kind === 'lost';
      if (kind === 'lost' && id === undefined) left = withoutWrites(left, cause);
      if (left.length > 0 && !this.#closed && (await attempts.next())) continue;
      return fail(left, cause, wereLost);
    }
  }

  /** Sends commands once. Undefined if their replies came. */
  async #attempt(queued: readonly QueuedRequest[], id: string | undefined): Promise<CallFailure | undefined> {
    const commands = queued.flatMap(({ request }) => request.commands);
    const [{ request }] = queued as [QueuedRequest];
    try {
      const replies = await this.#called({ kind: request.kind, commands, id }, this.#options.timeoutMs, undefined);
      if (request.kind === 'transaction') queued[0]?.resolve(replies);
      else for (const [index, { resolve }] of queued.entries()) resolve([replies[index] as Uint8Array]);
      return undefined;
    } catch (error) {
      return failureOf(error);
    }
  }

  /** One request, for a time of its own. */
  async #called(
    call: Omit<BatchCall, 'signal'>,
    timeoutMs: number,
    signal: AbortSignalLike | undefined,
  ): Promise<Replies> {
    const controller = new AbortController();
    const late = new CallFailure('lost', new Error(`no answer within ${timeoutMs} ms`));
    const ended = new Promise<never>((_, reject) =>
      controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true }),
    );
    const timer = setTimeout(() => controller.abort(late), timeoutMs);
    const stopListening = onAbort(signal, () => controller.abort(signal && abortReason(signal)));
    try {
      return await Promise.race([this.#sender.call({ ...call, signal: controller.signal }), ended]);
    } finally {
      clearTimeout(timer);
      stopListening();
    }
  }

  /** A command that waits, as several with a shorter time: an end of the client or the signal is noticed between them. */
  async #waited(request: RemoteRequest): Promise<Replies> {
    const { commands, name, wait, signal } = request;
    const [argv] = commands as [readonly Argument[]];
    if (wait === undefined) return this.send({ ...request, kind: 'commands' });
    const closing = new AbortController();
    const end = (): void => closing.abort(new ClosedError('client'));
    this.#ends.add(end);
    const stopListening = onAbort(signal, () => closing.abort(signal && abortReason(signal)));
    try {
      return await this.#pieces(argv, name, wait, closing.signal);
    } finally {
      this.#ends.delete(end);
      stopListening();
    }
  }

  async #pieces(argv: readonly Argument[], name: string, wait: WaitTime, signal: AbortSignal): Promise<Replies> {
    const endMs = performance.now() + wait.ms;
    for (;;) {
      const leftMs = endMs - performance.now();
      const replies = await this.#piece(
        leftMs > PIECE_MS ? wait.within(PIECE_MS) : wait.within(leftMs),
        name,
        leftMs,
        signal,
      );
      const isLast = leftMs <= PIECE_MS || !wait.isOver(decodedReply(replies[0], commandName(argv[0])));
      if (isLast) return replies;
    }
  }

  async #piece(argv: readonly Argument[], name: string, leftMs: number, signal: AbortSignal): Promise<Replies> {
    const attempts = new Attempts(this.#options);
    const id = this.#options.requestIds && this.#sender.hasIds ? crypto.randomUUID() : undefined;
    const timeoutMs = Math.min(leftMs, PIECE_MS) + this.#options.timeoutMs;
    let wasLost = false;
    for (;;) {
      signal.throwIfAborted();
      try {
        return await this.#called({ kind: 'wait', commands: [argv], id }, timeoutMs, signal);
      } catch (error) {
        signal.throwIfAborted();
        const { kind, cause } = failureOf(error);
        if (kind === 'refused') throw named(cause, name);
        wasLost ||= kind === 'lost';
        const mayRepeat = kind === 'unsent' || id !== undefined;
        if (mayRepeat && (await attempts.next())) continue;
        throw wasLost ? new MayHaveRun(name, cause) : unavailable(cause);
      }
    }
  }
}

function decodedReply(reply: Uint8Array | undefined, command: string): unknown {
  return reply === undefined ? null : decodeReplies(reply, { command })[0];
}

/** An error that belongs to a whole request names the command of each caller. */
function named(cause: unknown, command: string): unknown {
  return cause instanceof ReplyError ? new ReplyError(cause.message, command) : cause;
}

function withoutWrites(queued: readonly QueuedRequest[], cause: unknown): QueuedRequest[] {
  for (const { request, reject } of queued) if (!request.isRead) reject(new MayHaveRun(request.name, cause));
  return queued.filter(({ request }) => request.isRead);
}

function fail(queued: readonly QueuedRequest[], cause: unknown, wereLost: boolean): void {
  for (const { request, reject } of queued)
    reject(wereLost && !request.isRead ? new MayHaveRun(request.name, cause) : unavailable(cause));
}

function unavailable(cause: unknown): Unavailable {
  return cause instanceof Unavailable ? cause : new Unavailable(messageOf(cause), { cause });
}
