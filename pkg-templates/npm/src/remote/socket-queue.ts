/** Requests of one line: those that wait to be sent, and those that wait for their replies. */
import { ClosedError, ReplyError } from '../base/errors.js';
import { abortReason, onAbort } from '../base/abort.js';
import { concat } from '../resp/concat.js';
import { encodeRequests } from '../resp/encode.js';
import { decodeReplies } from '../resp/reply.js';
import { isError, isString } from '../resp/reply-kinds.js';
import { MayHaveRun, messageOf, Unavailable } from './errors.js';
import type { CallLimits, RemoteRequest } from './transport.js';

/** Ends requests of which the number of replies is not known: its reply alone is a string. */
const END = [['ECHO', '.']] as const;

/** A request with its replies so far. */
export class SocketRequest {
  readonly request: RemoteRequest;
  readonly promise: Promise<readonly Uint8Array[]>;
  /** Whether it was answered or rejected: its replies are then dropped. */
  isOver = false;
  /** Under which the server knows the request when it is sent again. */
  readonly #id: string | undefined;
  #wasSent = false;
  readonly #replies: Uint8Array[] = [];
  readonly #endMs: number;
  #resolve!: (replies: readonly Uint8Array[]) => void;
  #reject!: (reason: unknown) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #stopListening = (): void => {};

  /** `aborted` is called when the signal of the request ends it. */
  constructor(request: RemoteRequest, { retryMs, requestIds }: CallLimits, aborted: () => void) {
    this.request = request;
    this.#id = requestIds && request.kind === 'commands' && !request.isRead ? crypto.randomUUID() : undefined;
    this.#endMs = performance.now() + retryMs;
    this.promise = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    const { signal } = request;
    if (signal !== undefined)
      this.#stopListening = onAbort(signal, () => {
        this.fail(abortReason(signal));
        aborted();
      });
  }

  /** Whether it may still be sent. */
  get hasTime(): boolean {
    return performance.now() <= this.#endMs;
  }

  /** Whether it may be sent again when its replies were lost. */
  get mayRepeat(): boolean {
    return this.request.isRead || this.#id !== undefined;
  }

  /** Bytes to send. */
  get bytes(): Uint8Array {
    const { kind, commands, bytes } = this.request;
    const id = this.#id;
    if (id !== undefined)
      return encodeRequests(commands.map((argv, index) => ['KEYLATCH.REQUEST', `${id}:${index}`, ...argv]));
    if (kind === 'transaction') return concat([encodeRequests([['MULTI']]), bytes, encodeRequests([['EXEC']])]);
    return kind === 'subscription' ? concat([bytes, encodeRequests(END)]) : bytes;
  }

  /** Waits to be sent. */
  queued(): void {
    this.#replies.length = 0;
    this.#after(Math.max(0, this.#endMs - performance.now()), () =>
      this.failUnserved(new Unavailable('no connection')),
    );
  }

  /** Was sent: its replies have their time from now on. */
  sent(timeoutMs: number): void {
    const { wait, kind } = this.request;
    this.#wasSent = true;
    // Those that may be repeated go out again on the next connection.
    const again = this.mayRepeat ? Math.max(0, Math.round(this.#endMs - performance.now())) : 0;
    const ms = timeoutMs + (kind === 'wait' ? (wait?.ms ?? 0) : again);
    this.#after(ms, () => this.lost(new Error(`no answer within ${ms} ms`)));
  }

  /** Takes a reply; true if it was the last one. */
  take(reply: Uint8Array): boolean {
    this.#replies.push(reply);
    if (!this.#isLast(reply)) return false;
    const error = this.request.kind === 'subscription' ? this.#replies.find(isError) : undefined;
    if (error === undefined) this.answer(this.#replies);
    else this.fail(errorOf(error, this.request.name));
    return true;
  }

  answer(replies: readonly Uint8Array[]): void {
    this.#end();
    this.#resolve(replies);
  }

  fail(reason: unknown): void {
    this.#end();
    this.#reject(reason);
  }

  /** Fails a request that is not sent, or not again. */
  failUnserved(reason: unknown): void {
    if (this.#wasSent) this.lost(reason);
    else this.fail(reason);
  }

  /** Its replies will not come. */
  lost(cause: unknown): void {
    const { isRead, name } = this.request;
    if (cause instanceof ClosedError || isRead) this.fail(unavailable(cause));
    else this.fail(new MayHaveRun(name, cause));
  }

  #isLast(reply: Uint8Array): boolean {
    const { kind, commands } = this.request;
    if (kind === 'subscription') return isString(reply);
    return this.#replies.length === commands.length + (kind === 'transaction' ? 2 : 0);
  }

  #after(ms: number, late: () => void): void {
    clearTimeout(this.#timer);
    // Timers have no longer delays.
    if (ms < 2 ** 31) this.#timer = setTimeout(late, ms);
  }

  #end(): void {
    this.isOver = true;
    clearTimeout(this.#timer);
    this.#stopListening();
  }
}

function errorOf(reply: Uint8Array, command: string): unknown {
  const [error] = decodeReplies(reply, { command });
  return error instanceof ReplyError ? error : undefined;
}

function unavailable(cause: unknown): unknown {
  if (cause instanceof ClosedError || cause instanceof Unavailable) return cause;
  return new Unavailable(messageOf(cause), { cause });
}
