/**
 * One client over a WebSocket. Its requests run within turns; its output leaves after the turn's effects are written, and its
 * state is kept for the sleep of the object then.
 */
import { isReplyError } from '../../base/errors.js';
import type { Stream, StreamUser } from '../../host/streams.js';
import { concat } from '../../resp/concat.js';
import { encodeError, encodeRequests } from '../../resp/encode.js';
import { isPush } from '../../resp/reply-kinds.js';
import { splitReplies } from '../../resp/split-replies.js';
import type { Access } from '../upstash/access.js';
import type { Rules } from '../upstash/commands.js';
import { Failure } from '../upstash/exchange.js';
import type { Runner } from '../upstash/run.js';
import { type Closing, ENDED, NO_RESP, type PlatformSocket, SLOW, TOO_MUCH } from './platform-socket.js';
import type { Rates } from './rates.js';
import type { IdentifiedReply } from './identified.js';
import { type Piece, SocketInput, type SplitLine } from './socket-input.js';
import { isLongState, type SocketState, type SocketStates } from './socket-state.js';

/** Bytes that may wait behind a request that is not complete, or blocked. */
const INPUT_MAX = 8 * 1024 * 1024;
/** Bytes of output after which the other requests of a socket wait for the next turn. */
const OUTPUT_MAX = 1024 * 1024;
/** Unsent bytes while which no request runs, and those at which the client is disconnected. */
const UNSENT_PAUSE = 4 * 1024 * 1024;
const UNSENT_MAX = 32 * 1024 * 1024;
/** Time until unsent bytes are looked at again. */
const PAUSE_MS = 20;
/** Time for which requests wait at most until their client reads. */
const PAUSE_MAX_MS = 60_000;

const NOTHING = /* @__PURE__ */ new Uint8Array(0);
/** Refused for its number of arguments: makes EXEC fail as any refused command does. */
const REFUSED_IN_TRANSACTION = /* @__PURE__ */ encodeRequests([['GET']]);

/** The sockets of an object, as one of them needs them. */
export interface SocketOwner {
  readonly runner: Runner;
  readonly states: SocketStates;
  readonly splitLine: SplitLine;
  /** The rules of a connection, which reached the namespace at this address. */
  rulesFor(address: string | undefined): Rules;
  readonly rates: Rates;
  /** Notes that the engine has output for a socket: `run` follows in this turn. */
  reached(socket: Socket): void;
  /** Notes that a socket has run: `flush` follows when the turn is stored. */
  touched(socket: Socket): void;
  /** Runs a socket in another turn. */
  runLater(socket: Socket, delayMs: number): void;
  /** Saves the long state of a socket, once it has been the same for a while. */
  saveLater(socket: Socket): void;
  /** Last time at which the platform answered the client without waking the object. */
  lastAutoResponse(transport: PlatformSocket): number;
  ended(socket: Socket): void;
}

export class Socket {
  readonly transport: PlatformSocket;
  readonly #access: Access;
  readonly #address: string | undefined;
  readonly #owner: SocketOwner;
  readonly #stream: Stream;
  readonly #input: SocketInput;
  #output: Uint8Array[] = [];
  #outputBytes = 0;
  /** Whether the state may be another one than was saved. */
  #isChanged = true;
  #wasWaiting = false;
  #closing: Closing | undefined;
  #refuses = false;
  /** Bytes sent since the client's last sign of life, where the platform does not count unsent ones. */
  #sentBytes = 0;
  #autoResponse = 0;
  /** Since when requests wait until the client reads. */
  #pausedAt: number | undefined;

  /** Connects a client, or one that an earlier engine left. */
  constructor(
    transport: PlatformSocket,
    owner: SocketOwner,
    { access, address }: Pick<SocketState, 'access' | 'address'>,
    carried?: SocketState,
  ) {
    this.transport = transport;
    this.#access = access;
    this.#address = address;
    this.#owner = owner;
    const { runner, rates, splitLine } = owner;
    const rights = { access, rules: owner.rulesFor(address) };
    this.#input = new SocketInput({ rights, rates, splitLine, runner, ready: () => owner.runLater(this, 0) });
    const { streams } = runner.database;
    const user: StreamUser = { reached: () => owner.reached(this) };
    this.#stream = carried === undefined ? streams.open(user) : streams.adopt(user, carried.client);
    if (carried !== undefined && carried.input.length > 0) this.#input.push(carried.input.slice());
    owner.touched(this);
  }

  get id(): number {
    return this.#stream.id;
  }

  /** End of the client's token, in milliseconds since the epoch; Infinity if it has none. */
  get expiresAtMs(): number {
    return this.#access.expiresAtMs ?? Infinity;
  }

  /** Takes no more messages: one was left out. */
  refuse(): void {
    this.#refuses = true;
  }

  /** Takes a message: bytes of RESP, or text that is one inline command. */
  take(message: string | ArrayBuffer): void {
    if (this.#closing !== undefined || this.#refuses) return;
    this.#sentBytes = 0;
    const before = this.#input.length;
    if (typeof message === 'string') this.#input.pushLine(message);
    else this.#input.push(new Uint8Array(message));
    this.#run();
    this.#isChanged ||= before + this.#input.length > 0;
  }

  /** Runs requests that wait, after what came for the client by itself. */
  run(): void {
    const before = this.#input.length;
    this.#run();
    this.#isChanged ||= before !== this.#input.length;
  }

  #run(): void {
    if (this.#closing !== undefined) return;
    this.#owner.touched(this);
    this.#runPieces();
    if (this.#closing === undefined) this.#judge();
  }

  #runPieces(): void {
    if (this.#unsent() > UNSENT_MAX) return this.#end(SLOW, true);
    this.#feed(NOTHING);
    while (this.#closing === undefined && this.#canRun()) {
      if (this.#outputBytes > OUTPUT_MAX) return this.#owner.runLater(this, 0);
      if (this.#unsent() > UNSENT_PAUSE) return this.#pause();
      this.#pausedAt = undefined;
      const piece = this.#stream.more ? undefined : this.#input.next();
      if (piece === undefined) this.#feed(NOTHING);
      else this.#runPiece(piece);
    }
  }

  #canRun(): boolean {
    const stream = this.#stream;
    return !stream.closed && !stream.parked && (stream.more || this.#input.isReady);
  }

  /** Waits until the client has read what was sent. */
  #pause(): void {
    this.#pausedAt ??= Date.now();
    if (Date.now() - this.#pausedAt > PAUSE_MAX_MS) this.#end(SLOW, true);
    else this.#owner.runLater(this, PAUSE_MS);
  }

  #runPiece({ bytes, refusal, answer, command, kept, mayChangeClient }: Piece): void {
    this.#isChanged ||= mayChangeClient;
    if (answer !== undefined) return this.#write(answer);
    if (refusal !== undefined) return this.#refused(refusal);
    const requests = command === undefined ? bytes : encodeRequests([command]);
    if (kept === undefined) return this.#feed(requests);
    if (this.#stream.inTransaction) return this.#refused('ERR a request id cannot be within a transaction');
    this.#repeat(kept, requests);
  }

  #refused(refusal: string): void {
    if (this.#stream.inTransaction) this.#stream.feed(REFUSED_IN_TRANSACTION, () => {});
    this.#write(encodeError(refusal));
  }

  #repeat(kept: IdentifiedReply, requests: Uint8Array): void {
    try {
      this.#write(kept.replyOf(() => this.#replyTo(requests)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      this.#write(encodeError(error.message));
    }
  }

  /** Runs one request. Messages that come with its reply are written. */
  #replyTo(requests: Uint8Array): Uint8Array {
    const outputs: Uint8Array[] = [];
    this.#feed(requests, (output) => outputs.push(output));
    const replies = splitReplies(concat(outputs));
    for (const message of replies.filter(isPush)) this.#write(message);
    return replies.find((reply) => !isPush(reply)) ?? NOTHING;
  }

  #feed(bytes: Uint8Array, write = (output: Uint8Array): unknown => this.#write(output)): void {
    try {
      this.#stream.feed(bytes, (output) => write(output.slice()));
    } catch (error) {
      if (!isReplyError(error)) throw error;
      this.#end(TOO_MUCH);
    }
  }

  #write(output: Uint8Array): void {
    this.#output.push(output);
    this.#outputBytes += output.length;
  }

  /** Ends a client that must not go on. */
  #judge(): void {
    const isWaiting = this.#stream.parked;
    if (isWaiting !== this.#wasWaiting) this.#isChanged = true;
    this.#wasWaiting = isWaiting;
    if (this.#stream.closed) return this.#end(ENDED);
    if (this.#input.length > INPUT_MAX) return this.#end(TOO_MUCH);
    if (this.#input.error === undefined || isWaiting || this.#input.hasPieces) return;
    this.#write(encodeError(`ERR Protocol error: ${this.#input.error}`));
    this.#end(NO_RESP);
  }

  /** Disconnects the client, within a turn: others may be served what it waited for. */
  end(closing: Closing = ENDED): void {
    if (this.#closing !== undefined) return;
    this.#owner.touched(this);
    this.#end(closing, true);
  }

  #end(closing: Closing, drops = false): void {
    this.#closing = closing;
    if (drops) this.#output = [];
    this.#stream.close();
  }

  /** Sends the output of a turn, and keeps the state. */
  flush(): void {
    const output = this.#output;
    this.#output = [];
    this.#outputBytes = 0;
    if (output.length > 0) this.#send(concat(output));
    if (this.#closing !== undefined) return this.#close(this.#closing);
    if (this.#isChanged) this.#keep();
  }

  #send(bytes: Uint8Array<ArrayBuffer>): void {
    this.#sentBytes += bytes.length;
    try {
      this.transport.send(bytes);
    } catch {
      // The client has gone: the platform says so by an event of its own.
    }
  }

  #close({ code, reason }: Closing): void {
    this.#owner.states.forget(this.id);
    this.#owner.ended(this);
    try {
      this.transport.close(code, reason);
    } catch {
      // The connection has ended already.
    }
  }

  #keep(): void {
    this.#isChanged = false;
    const state = this.#state();
    if (state === undefined || isLongState(state)) this.#owner.saveLater(this);
    else this.#owner.states.save(this.transport, this.id, state);
  }

  /** Saves a long state, within a turn. A client with too long a one is disconnected. */
  save(): void {
    if (this.#closing !== undefined) return;
    const state = this.#state();
    if (state === undefined || !this.#owner.states.save(this.transport, this.id, state)) this.end(TOO_MUCH);
  }

  #state(): SocketState | undefined {
    const client = this.#stream.carried();
    return client && { access: this.#access, address: this.#address, client, input: this.#input.waiting };
  }

  /** Bytes that the client has not read, as far as the platform knows. */
  #unsent(): number {
    const { bufferedAmount } = this.transport;
    if (bufferedAmount !== undefined) return bufferedAmount;
    if (this.#sentBytes <= UNSENT_PAUSE) return 0;
    const autoResponse = this.#owner.lastAutoResponse(this.transport);
    if (autoResponse > this.#autoResponse) this.#sentBytes = 0;
    this.#autoResponse = autoResponse;
    // A client that only listens sends nothing: it is disconnected at the limit, and not paused before.
    return this.#sentBytes > UNSENT_MAX ? this.#sentBytes : 0;
  }
}
