/** Bytes that a socket received, as requests that may run: those that the token or the host refuses are found here. */
import { Decoder, Encoder } from '../../base/encoders.js';
import { concat } from '../../resp/concat.js';
import { encodeRequests } from '../../resp/encode.js';
import { RequestSplitter } from '../../resp/request-splitter.js';
import { readRequest, TORN } from '../../resp/request.js';
import type { Rates } from './rates.js';
import { type Command, isOfConnection, refusalOnConnection, type Rights, waits } from '../upstash/commands.js';

/** Requests that are run together, or one that is refused or answered. */
export interface Piece {
  readonly bytes: Uint8Array;
  readonly refusal: string | undefined;
  /** The reply of a request that the host answers itself. */
  readonly answer?: Uint8Array | undefined;
  /** Whether the state of the client may be another one afterwards. */
  readonly mayChangeClient: boolean;
}

/** Splits an inline command into its words. Throws if quotes are unbalanced. */
export type SplitLine = (line: string) => Uint8Array[];

const ARRAY = 0x2a;
/** A request without words, which is skipped. */
const EMPTY = /^\*-\d+\r?\n$/;
const decoder = /* @__PURE__ */ new Decoder();
const encoder = /* @__PURE__ */ new Encoder();

export class SocketInput {
  readonly #rights: Rights;
  readonly #rates: Rates;
  readonly #splitLine: SplitLine;
  readonly #splitter = new RequestSplitter();
  #pieces: Piece[] = [];
  /** Bytes of `pieces`, and of the request that is not complete. */
  #pieceBytes = 0;
  #tornBytes = 0;
  /** Why nothing after the last piece is read: these bytes are no requests. */
  error: string | undefined;

  constructor(rights: Rights, rates: Rates, splitLine: SplitLine) {
    this.#rights = rights;
    this.#rates = rates;
    this.#splitLine = splitLine;
  }

  /** Number of bytes that wait. */
  get length(): number {
    return this.#pieceBytes + this.#tornBytes;
  }

  /** Whether whole requests wait. */
  get hasPieces(): boolean {
    return this.#pieces.length > 0;
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
      const words = this.#splitLine(line);
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
    const refusal = this.#refusalOf(words);
    const mayWait = waits(words);
    const answer = refusal === undefined ? this.#rights.rules?.answer?.(words) : undefined;
    const isAnswered = refusal !== undefined || answer !== undefined;
    if (isAnswered) this.#add(run.end());
    run.extend(end, mayWait || isOfConnection(words));
    // The requests behind one that waits stay here until it is done.
    if (isAnswered || mayWait) this.#add(run.end(refusal, answer));
  }

  #refusalOf(words: Command): string | undefined {
    const { access } = this.#rights;
    const refusal = refusalOnConnection(words, this.#rights);
    if (access.rates === undefined) return refusal;
    if (!isOfConnection(words)) return this.#rates.take(access, 1)?.message ?? refusal;
    // Commands behind it rely on it: a transaction that did not begin would run as single commands.
    this.#rates.force(access);
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
  end(refusal?: string, answer?: Uint8Array): Piece | undefined {
    if (this.#start === this.#end) return undefined;
    const bytes = this.#chunk.subarray(this.#start, this.#end);
    const piece = { bytes, refusal, answer, mayChangeClient: this.#mayChangeClient };
    this.#start = this.#end;
    this.#mayChangeClient = false;
    return piece;
  }
}
