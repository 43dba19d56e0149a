/** A client's stream with faults in front of the engine. Replies keep the order of the requests. */
import type { StreamUser } from '../host/streams.js';
import type { ClientStream } from '../server/stream-source.js';
import type { Faults } from './faults.js';
import { concat } from '../resp/concat.js';
import { encodeError, encodeRequests, encodeStatus } from '../resp/encode.js';
import { argumentsOf, RequestSplitter, type ClientRequest } from '../resp/request-splitter.js';

export type Write = (output: Uint8Array) => void;

/** Interface of the server for its streams. */
export interface FaultHost {
  readonly faults: Faults;
  /** True if any password is right: clients with the options of production reach a server without one. */
  readonly acceptsAnyPassword: boolean;
  streamEnded(stream: FaultStream): void;
}

/** Commands with a password among their arguments. */
const BRINGS_PASSWORD = new Set(['AUTH', 'HELLO']);
const NOTHING = /* @__PURE__ */ new Uint8Array(0);
/** Refused for its number of arguments: makes EXEC fail as any refused command does. */
const REFUSED_IN_TRANSACTION = /* @__PURE__ */ encodeRequests([['GET']]);
const DISCARD = /* @__PURE__ */ encodeRequests([['DISCARD']]);
/** Longest delay of setTimeout, in milliseconds. */
const DELAY_MAX_MS = 2 ** 31 - 1;

export class FaultStream implements ClientStream {
  readonly #inner: ClientStream;
  readonly #user: StreamUser;
  readonly #host: FaultHost;
  readonly #splitter = new RequestSplitter();
  #queue: ClientRequest[] = [];
  /** Request at the head of the queue if its delay began. */
  #delayed: { readonly request: ClientRequest; timer: unknown; isOver: boolean } | undefined;
  /** Replaces the reply that a blocked command will have. */
  #lostReply: { readonly text: string | undefined } | undefined;
  #isKilled = false;

  constructor(inner: ClientStream, user: StreamUser, host: FaultHost) {
    this.#inner = inner;
    this.#user = user;
    this.#host = host;
  }

  get id(): number {
    return this.#inner.id;
  }

  get more(): boolean {
    return this.#inner.more;
  }

  get parked(): boolean {
    return this.#inner.parked || this.#delayed !== undefined;
  }

  get closed(): boolean {
    return this.#isKilled || this.#inner.closed;
  }

  get listening(): boolean {
    return this.#inner.listening;
  }

  get wrote(): boolean {
    return this.#inner.wrote;
  }

  get suspended(): boolean {
    return this.#inner.suspended;
  }

  get name(): string {
    return this.#inner.name;
  }

  get db(): number {
    return this.#inner.db;
  }

  get inTransaction(): boolean {
    return this.#inner.inTransaction;
  }

  feed(chunk: Uint8Array, write: Write): void {
    if (this.#isKilled) return;
    const isWhole = !this.#splitter.isWithinRequest;
    const requests = chunk.length === 0 ? [] : this.#splitter.push(chunk);
    if (this.#passes(requests)) {
      const isChunk = isWhole && !this.#splitter.isWithinRequest;
      this.#inner.feed(isChunk ? chunk : concat(requests.map(({ bytes }) => bytes)), write);
      return;
    }
    this.#queue.push(...requests);
    this.#run(write);
  }

  wake(write: Write): void {
    this.#inner.wake((output) => this.#passOn(output, write));
  }

  close(): void {
    this.#endDelay();
    this.#host.streamEnded(this);
    this.#inner.close();
  }

  /** Ends the connection, without the replies that are due. */
  kill(): void {
    this.#isKilled = true;
    this.#endDelay();
    this.#user.reached();
  }

  /** Runs delayed requests after their delay was cancelled. */
  faultsChanged(): void {
    const delayed = this.#delayed;
    if (delayed === undefined || this.#host.faults.delayOf(delayed.request) > 0) return;
    this.#endDelay();
    this.#user.reached();
  }

  /** True if no request needs attention, so that all may go to the engine at once. */
  #passes(requests: readonly ClientRequest[]): boolean {
    if (this.#queue.length > 0 || this.#lostReply !== undefined || this.#host.faults.any) return false;
    return requests.every(({ name }) => !BRINGS_PASSWORD.has(name)) || !this.#host.acceptsAnyPassword;
  }

  #run(write: Write): void {
    const passOn = (output: Uint8Array): void => this.#passOn(output, write);
    // Late replies and messages come first.
    this.#inner.feed(NOTHING, passOn);
    this.#replaceLostReply(write);
    while (this.#queue.length > 0 && !this.#inner.parked && !this.#inner.more && !this.closed) {
      const [request] = this.#queue as [ClientRequest];
      if (!this.#isDue(request)) return;
      this.#delayed = undefined;
      this.#queue.shift();
      this.#runOne(request, write, passOn);
    }
  }

  /** True if the request has no delay, or its delay is over; begins the delay otherwise. */
  #isDue(request: ClientRequest): boolean {
    if (this.#delayed?.request === request) return this.#delayed.isOver;
    const ms = this.#host.faults.delayOf(request);
    if (ms === 0) return true;
    const delayed = { request, timer: undefined as unknown, isOver: false };
    this.#delayed = delayed;
    if (ms === Infinity) return false;
    delayed.timer = globalThis.setTimeout(
      () => {
        delayed.isOver = true;
        if (this.#delayed === delayed && !this.closed) this.#user.reached();
      },
      Math.min(ms, DELAY_MAX_MS),
    );
    return false;
  }

  #endDelay(): void {
    if (this.#delayed?.timer !== undefined) globalThis.clearTimeout(this.#delayed.timer as number);
    this.#delayed = undefined;
  }

  #runOne(request: ClientRequest, write: Write, passOn: Write): void {
    const fault = this.#host.faults.take(request);
    if (fault?.afterwards) {
      this.#lostReply = { text: fault.text };
      this.#inner.feed(request.bytes, passOn);
      return this.#replaceLostReply(write);
    }
    if (fault !== undefined) return this.#fail(request, fault.text, write);
    const isStripped = BRINGS_PASSWORD.has(request.name) && this.#host.acceptsAnyPassword;
    const bytes = isStripped ? withoutPassword(request) : request.bytes;
    if (bytes === undefined) write(encodeStatus('OK'));
    else this.#inner.feed(bytes, passOn);
  }

  /** Refuses a request. In a transaction, the engine has to refuse one too, so that EXEC fails. */
  #fail({ name }: ClientRequest, text: string | undefined, write: Write): void {
    if (text === undefined) {
      this.#isKilled = true;
      return;
    }
    const isExec = name === 'EXEC' && this.#inner.inTransaction;
    if (isExec) this.#inner.feed(DISCARD, () => {});
    else if (this.#inner.inTransaction) this.#inner.feed(REFUSED_IN_TRANSACTION, () => {});
    write(encodeError(`${isExec ? 'EXECABORT Transaction discarded because of: ' : ''}${text}`));
  }

  /** Output of the engine, unless it is a reply to be lost. */
  #passOn(output: Uint8Array, write: Write): void {
    if (this.#lostReply === undefined) write(output);
  }

  #replaceLostReply(write: Write): void {
    if (this.#lostReply === undefined || this.#inner.parked || this.#inner.more) return;
    const { text } = this.#lostReply;
    this.#lostReply = undefined;
    if (text === undefined) this.#isKilled = true;
    else write(encodeError(text));
  }
}

/** The request without the password it brings; undefined if there is nothing else in it. */
function withoutPassword(request: ClientRequest): Uint8Array | undefined {
  if (request.name === 'AUTH') return undefined;
  const argv = argumentsOf(request);
  const at = argv.findIndex((word, index) => index > 1 && word.toUpperCase() === 'AUTH');
  return at === -1 ? request.bytes : encodeRequests([argv.toSpliced(at, 3)]);
}
