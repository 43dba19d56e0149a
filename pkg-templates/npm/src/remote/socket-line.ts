/**
 * Commands of one client on a WebSocket, which is opened for the first of them, and again after it was lost. Replies come in
 * the order of the commands; pushes may come between them.
 */
import { CallerTypeError } from '../base/caller-errors.js';
import { ClosedError, ReplyError } from '../base/errors.js';
import type { Argument } from '../base/argument.js';
import type { ClientState } from '../client/shared/state.js';
import { concat } from '../resp/concat.js';
import { encodeNull, encodeRequests } from '../resp/encode.js';
import { decodeReplies } from '../resp/reply.js';
import { isPush } from '../resp/reply-kinds.js';
import { AccessRefused, type RemoteError } from './errors.js';
import { backOffMs } from './retry.js';
import { type ConnectionListener, SocketConnection, TOKEN_ENDED, type WebSocketClass } from './socket-connection.js';
import { SocketRequest } from './socket-queue.js';
import type { CallLimits, Line, RemoteRequest } from './transport.js';

export interface SocketTarget extends CallLimits {
  readonly url: string;
  readonly WebSocket: WebSocketClass;
  token(): Promise<string | undefined>;
  /** Whether there may be another token when one has ended. */
  readonly hasManyTokens: boolean;
  /** Why a server that was reached refuses the upgrade, if it says so. */
  refusal(): Promise<RemoteError | undefined>;
}

/** Recipient of messages that come by themselves. */
export interface Pushes {
  /** Commands that bring them, for each new connection. */
  setup(): readonly (readonly Argument[])[];
  /** Whether a connection is needed for them alone. */
  readonly isWanted: boolean;
  pushed(message: readonly unknown[]): void;
  /** The connection was lost, and messages with it. */
  lost(): void;
}

export class SocketLine implements Line, ConnectionListener {
  readonly #target: SocketTarget;
  readonly #state: ClientState;
  readonly #pushes: Pushes[] = [];
  #connection: SocketConnection | undefined;
  #isConnecting = false;
  #queue: SocketRequest[] = [];
  #sent: SocketRequest[] = [];
  #isFlushing = false;
  #attempt = 0;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(target: SocketTarget, state: ClientState) {
    this.#target = target;
    this.#state = state;
  }

  /** Whether there is a connection. */
  get isOpen(): boolean {
    return this.#connection?.isOpen === true;
  }

  /** Whether there is a connection, and the server has given a sign of life lately. */
  get isAlive(): boolean {
    return this.#connection?.isAlive === true;
  }

  /** Whether nothing waits, so that another client may use the connection. */
  get isIdle(): boolean {
    return !this.#closed && this.isOpen && this.#queue.length + this.#sent.length === 0;
  }

  send(request: RemoteRequest): Promise<readonly Uint8Array[]> {
    if (this.#closed) return Promise.reject(new ClosedError('client'));
    const own = new SocketRequest(request, this.#target, () => this.#abandoned(own));
    own.queued();
    this.#queue.push(own);
    this.#flushLater();
    return own.promise;
  }

  /** Delivers pushes, and asks for them whenever a connection begins. */
  listen(pushes: Pushes): void {
    this.#pushes.push(pushes);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#retry);
    this.#connection?.end();
    const closed = new ClosedError('client');
    for (const request of [...this.#sent.splice(0), ...this.#queue.splice(0)]) request.fail(closed);
  }

  opened(): void {
    this.#attempt = 0;
    const commands = [...this.#state.setup(), ...this.#pushCommands];
    const setup = new SocketRequest(
      { kind: 'subscription', commands, bytes: encodeRequests(commands), name: 'HELLO', isRead: true },
      this.#target,
      () => {},
    );
    setup.promise.catch((reason) => {
      if (reason instanceof ReplyError) this.#refused(reason);
    });
    this.#transmit([setup]);
    this.#flush();
  }

  replies(replies: readonly Uint8Array[]): void {
    for (const reply of replies) {
      if (isPush(reply)) this.#pushed(reply);
      else if (this.#sent[0]?.take(reply)) this.#sent.shift();
    }
    this.#watch();
  }

  closed(code: number, reason: string, wasOpen: boolean): void {
    this.#disconnected();
    const hasEnded = code === TOKEN_ENDED;
    const cause = hasEnded ? new AccessRefused(reason || 'it has ended') : new Error(closedText(code, reason));
    const sent = this.#sent.splice(0);
    const isRepeated = ({ mayRepeat, hasTime, isOver }: SocketRequest): boolean => mayRepeat && hasTime && !isOver;
    const again = sent.filter((request) => isRepeated(request) && request.request.name !== 'HELLO');
    for (const request of sent) if (!request.isOver && !again.includes(request)) request.lost(cause);
    for (const request of again) request.queued();
    this.#queue.unshift(...again);
    if (hasEnded && !this.#target.hasManyTokens) return this.#refused(cause);
    if (this.#isNeeded) void this.#reconnect(wasOpen);
  }

  get #isNeeded(): boolean {
    this.#queue = this.#queue.filter(({ isOver }) => !isOver);
    return !this.#closed && (this.#queue.length > 0 || this.#pushes.some(({ isWanted }) => isWanted));
  }

  get #pushCommands(): (readonly Argument[])[] {
    return this.#pushes.flatMap((pushes) => pushes.setup());
  }

  #pushed(message: Uint8Array): void {
    const [parts] = decodeReplies(message, { buffer: true });
    if (Array.isArray(parts)) for (const pushes of this.#pushes) pushes.pushed(parts);
  }

  #disconnected(): void {
    this.#connection = undefined;
    for (const pushes of this.#pushes) pushes.lost();
  }

  async #reconnect(wasOpen: boolean): Promise<void> {
    const refusal = wasOpen ? undefined : await this.#target.refusal();
    if (refusal !== undefined) return this.#refused(refusal);
    if (this.#closed || this.#retry !== undefined) return;
    this.#retry = setTimeout(() => {
      this.#retry = undefined;
      if (this.#isNeeded) void this.#connect();
    }, backOffMs(this.#attempt));
    this.#attempt += 1;
  }

  async #connect(): Promise<void> {
    if (this.#connection !== undefined || this.#isConnecting || this.#closed) return;
    this.#isConnecting = true;
    try {
      const token = await this.#target.token();
      if (!this.#closed) this.#connection = new SocketConnection({ ...this.#target, token }, this);
    } catch (reason) {
      this.#refused(reason);
    } finally {
      this.#isConnecting = false;
    }
  }

  /** Rejects what waits: another attempt would meet with the refusal again. */
  #refused(reason: unknown): void {
    this.#connection?.end();
    this.#disconnected();
    for (const request of this.#sent.splice(0)) if (!request.isOver) request.lost(reason);
    for (const request of this.#queue.splice(0)) if (!request.isOver) request.failUnserved(reason);
  }

  /** Sends what this turn brings together. */
  #flushLater(): void {
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    queueMicrotask(() => {
      this.#isFlushing = false;
      this.#flush();
    });
  }

  #flush(): void {
    if (!this.isOpen) {
      if (this.#retry === undefined && this.#queue.length > 0) void this.#connect();
      return;
    }
    const requests = this.#queue.splice(0).filter(({ isOver }) => !isOver);
    // Watched keys may have changed on the way from one connection to the next.
    const isAborted = ({ request }: SocketRequest): boolean =>
      request.kind === 'transaction' && this.#state.hasLostWatch;
    for (const request of requests) if (isAborted(request)) request.answer([encodeNull()]);
    this.#transmit(requests.filter(({ isOver }) => !isOver));
  }

  #transmit(requests: readonly SocketRequest[]): void {
    if (requests.length === 0) return;
    this.#sent.push(...requests);
    this.#connection?.send(concat(requests.map(({ bytes }) => bytes)));
    for (const request of requests) request.sent(this.#target.timeoutMs);
    this.#watch();
  }

  /** The server is watched while an answer or a message is expected. */
  #watch(): void {
    this.#connection?.watch(this.#sent.length > 0 || this.#pushCommands.length > 0);
  }

  /** A wait was given up. The server ends it with the connection, which is of no other use. */
  #abandoned(request: SocketRequest): void {
    if (request.request.kind === 'wait') this.close();
  }
}

function closedText(code: number, reason: string): string {
  const text = reason === '' ? 'the connection was lost' : reason;
  return code > 0 ? `${text}, close code ${code}` : text;
}

/** The class of WebSockets of this platform, unless one is given. */
export function socketClass(given: WebSocketClass | undefined): WebSocketClass {
  const found = given ?? (globalThis.WebSocket as unknown as WebSocketClass | undefined);
  if (typeof found === 'function') return found;
  throw new CallerTypeError(
    "connect: this platform has no WebSocket: pass { WebSocket } of the package ws, or { transport: 'rest' }",
  );
}
