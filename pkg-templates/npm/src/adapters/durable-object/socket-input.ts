/** Bytes that a socket received, as requests that may run: those that the token or the host refuses are found here. */
import { Decoder, Encoder } from '../../base/encoders.js';
import { concat } from '../../resp/concat.js';
import { encodeRequests } from '../../resp/encode.js';
import { RequestSplitter } from '../../resp/request-splitter.js';
import { readRequest, TORN } from '../../resp/request.js';
import type { Rates } from './rates.js';
import { IdentifiedReply, type IdentifiedCommand, identifiedIn } from './identified.js';
import { type Command, isOfConnection, refusalOnConnection, type Rights, waits } from '../upstash/commands.js';
import { Failure } from '../upstash/exchange.js';
import type { Runner } from '../upstash/run.js';

/** Requests that are run together, or one that is refused, answered or run by itself. */
export interface Piece extends Way {
  /** The requests as they came. */
  readonly bytes: Uint8Array;
  /** Whether the state of the client may be another one afterwards. */
  readonly mayChangeClient: boolean;
}

/** The way of one request. */
interface Way {
  readonly refusal?: string | undefined;
  /** The reply of a request that the host answers itself. */
  readonly answer?: Uint8Array | undefined;
  /** The command of a request that may be repeated. */
  readonly command?: Command | undefined;
  /** Has the reply of such a request, unless it keeps nothing. */
  readonly kept?: IdentifiedReply | undefined;
}

/** Needs of the input of a connection. */
export interface InputOwner {
  readonly rights: Rights;
  readonly rates: Rates;
  readonly splitLine: SplitLine;
  readonly runner: Runner;
  /** Called when requests that waited for a digest may run. */
  ready(): void;
}

/** Splits an inline command into its words. Throws if quotes are unbalanced. */
export type SplitLine = (line: string) => Uint8Array[];

/** The way of most requests: in their order, together with their neighbours. */
const TOGETHER: Way = {};

const ARRAY = 0x2a;
/** A request without words, which is skipped. */
const EMPTY = /^\*-\d+\r?\n$/;
const decoder = /* @__PURE__ */ new Decoder();
const encoder = /* @__PURE__ */ new Encoder();

export class SocketInput {
  readonly #owner: InputOwner;
  readonly #splitter = new RequestSplitter();
  #pieces: Piece[] = [];
  /** Bytes of `pieces`, and of the request that is not complete. */
  #pieceBytes = 0;
  #tornBytes = 0;
  /** Why nothing after the last piece is read: these bytes are no requests. */
  error: string | undefined;

  constructor(owner: InputOwner) {
    this.#owner = owner;
  }

  /** Number of bytes that wait. */
  get length(): number {
    return this.#pieceBytes + this.#tornBytes;
  }

  /** Whether whole requests wait. */
  get hasPieces(): boolean {
    return this.#pieces.length > 0;
  }

  /** Whether the next requests may run. */
  get isReady(): boolean {
    return this.hasPieces && this.#pieces[0]?.kept?.isReady !== false;
  }

  /** Bytes that wait, as `push` takes them. */
  get waiting(): Uint8Array {
    return concat([...this.#pieces.map(({ bytes }) => bytes), this.#splitter.rest]);
  }

  /** Takes the next requests. */
  next(): Piece | undefined {
    const piece = this.#pieces.shift();
    this.#pieceBytes -= piece?.bytes.length ?? 0;
    return piece;
  }

  /** Adds bytes, cut anywhere. They must not change afterwards. */
  push(chunk: Uint8Array): void {
    if (this.error !== undefined) return;
    const run = new Run(chunk);
    let at = 0;
    while (at < chunk.length && !this.#splitter.isWithinRequest && chunk[at] === ARRAY) {
      const request = readRequest(chunk, at);
      if (request === TORN || request === undefined) break;
      this.#addTo(run, request.words, request.end);
      at = request.end;
    }
    this.#add(run.end());
    if (at === chunk.length) return;
    const rest = chunk.subarray(at);
    this.#tornBytes += rest.length;
    for (const { bytes } of this.#splitter.push(rest)) {
      this.#tornBytes -= bytes.length;
      this.#pushSplit(bytes);
    }
  }

  /** Adds one inline command, also while a request is not complete. */
  pushLine(line: string): void {
    if (this.error !== undefined) return;
    try {
      const words = this.#owner.splitLine(line);
      if (words.length > 0) this.#pushSplit(encodeRequests([words]));
    } catch {
      this.error = 'unbalanced quotes in request';
    }
  }

  /** Adds bytes that the splitter found to be one request, or none. */
  #pushSplit(bytes: Uint8Array): void {
    if (this.error !== undefined) return;
    if (bytes[0] !== ARRAY) return this.#pushInline(bytes);
    const request = readRequest(bytes);
    if (typeof request === 'object' && request.end === bytes.length) {
      const run = new Run(bytes);
      this.#addTo(run, request.words, request.end);
      this.#add(run.end());
    } else if (!EMPTY.test(decoder.decode(bytes.subarray(0, 32)))) {
      this.error = 'invalid request';
    }
  }

  #pushInline(bytes: Uint8Array): void {
    const line = decoder.decode(bytes);
    // Bytes that are no UTF-8 have no text that stands for them.
    if (encoder.encode(line).length !== bytes.length || line.includes('\ufffd')) this.error = 'invalid inline request';
    else this.pushLine(line.trimEnd());
  }

  #addTo(run: Run, words: Command, end: number): void {
    if (words.length === 0) {
      this.#add(run.end());
      return run.skip(end);
    }
    const way = this.#wayOf(words);
    const command = way.command ?? words;
    const mayWait = waits(command);
    const isAlone = way !== TOGETHER;
    if (isAlone) this.#add(run.end());
    run.extend(end, mayWait || isOfConnection(command));
    // The requests behind one that waits stay here until it is done.
    if (isAlone || mayWait) this.#add(run.end(way));
  }

  #wayOf(words: Command): Way {
    try {
      const identified = identifiedIn(words);
      return identified === undefined ? this.#admitted(words) : this.#identified(identified);
    } catch (error) {
      if (error instanceof Failure) return { refusal: error.message };
      throw error;
    }
  }

  #admitted(command: Command): Way {
    const refusal = this.#refusalOf(command);
    if (refusal !== undefined) return { refusal };
    const answer = this.#owner.rights.rules?.answer?.(command);
    return answer === undefined ? TOGETHER : { answer };
  }

  #identified({ id, command }: IdentifiedCommand): Way {
    const way = this.#admitted(command);
    if (way !== TOGETHER) return way;
    if (id === undefined) return { command };
    const { runner, rights, ready } = this.#owner;
    return { command, kept: new IdentifiedReply(runner, id, command, rights.access, ready) };
  }

  #refusalOf(words: Command): string | undefined {
    const { rights, rates } = this.#owner;
    const refusal = refusalOnConnection(words, rights);
    if (rights.access.rates === undefined) return refusal;
    if (!isOfConnection(words)) return rates.take(rights.access, 1)?.message ?? refusal;
    // Commands behind it rely on it: a transaction that did not begin would run as single commands.
    rates.force(rights.access);
    return refusal;
  }

  #add(piece: Piece | undefined): void {
    if (piece === undefined) return;
    this.#pieces.push(piece);
    this.#pieceBytes += piece.bytes.length;
  }
}

/** Neighbouring requests of one chunk. */
class Run {
  readonly #chunk: Uint8Array;
  #start = 0;
  #end = 0;
  #mayChangeClient = false;

  constructor(chunk: Uint8Array) {
    this.#chunk = chunk;
  }

  extend(end: number, mayChangeClient: boolean): void {
    this.#end = end;
    this.#mayChangeClient ||= mayChangeClient;
  }

  skip(end: number): void {
    this.#start = end;
    this.#end = end;
  }

  /** Ends the run, if it has requests; another one begins. */
  end(way?: Way): Piece | undefined {
    if (this.#start === this.#end) return undefined;
    const bytes = this.#chunk.subarray(this.#start, this.#end);
    const piece = { ...way, bytes, mayChangeClient: this.#mayChangeClient };
    this.#start = this.#end;
    this.#mayChangeClient = false;
    return piece;
  }
}
