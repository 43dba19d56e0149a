/** Cuts a client's byte stream into requests, each of which a host may look at before it runs. Knows framing only. */
import { concat } from './concat.js';
import { readRequest } from './request.js';
import { Decoder } from '../base/encoders.js';

/** One request as the client sent it. */
export interface ClientRequest {
  readonly bytes: Uint8Array;
  /** The command's name in capitals; '' for an empty request, and for bytes that are no RESP. */
  readonly name: string;
}

const LF = 10;
const ARRAY = 0x2a;
const NAME_LENGTH_MAX = 64;
const LINE_LENGTH_MAX = 64 * 1024;
const ARGUMENTS_MAX = 1024 * 1024;
const ARGUMENT_BYTES_MAX = 512 * 1024 * 1024;
/** CR and LF behind an argument. */
const LINE_END_LENGTH = 2;

function textOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return text;
}

/** The request's arguments as text, the command's name first. */
export function argumentsOf({ bytes }: ClientRequest): string[] {
  const decoder = new Decoder();
  if (bytes[0] !== ARRAY) return decoder.decode(bytes).trim().split(/\s+/);
  const request = readRequest(bytes);
  return typeof request === 'object' ? request.words.map((word) => decoder.decode(word)) : [];
}

export class RequestSplitter {
  /** Earlier chunks of a request that is not complete. */
  #pieces: Uint8Array[] = [];
  /** Beginning of a header line that is not complete. */
  #line = '';
  #argsLeft = 0;
  /** Bytes left of the current argument and its line end; 0 while a header line is read. */
  #bytesLeft = 0;
  #isName = false;
  #name = '';
  /** Set by bytes that are no RESP. The engine refuses them and disconnects, so they pass unread. */
  #isBroken = false;

  /** True while the beginning of a request waits for the rest. */
  get isWithinRequest(): boolean {
    return this.#pieces.length > 0;
  }

  /** The beginning of a request that is not complete. */
  get rest(): Uint8Array {
    return concat(this.#pieces);
  }

  /** Takes the next bytes, cut anywhere; returns the requests that are now complete. */
  push(chunk: Uint8Array): ClientRequest[] {
    const requests: ClientRequest[] = [];
    let start = 0;
    let at = 0;
    while (at < chunk.length && !this.#isBroken) {
      at = this.#bytesLeft > 0 ? this.#skipArgument(chunk, at) : this.#readLine(chunk, at);
      if (this.#argsLeft > 0 || this.#bytesLeft > 0 || this.#line !== '' || this.#isBroken) continue;
      requests.push(this.#complete(chunk.subarray(start, at)));
      start = at;
    }
    const rest = chunk.subarray(start);
    if (this.#isBroken) {
      this.#name = '';
      if (rest.length + this.#pieces.length > 0) requests.push(this.#complete(rest));
    } else if (rest.length > 0) {
      this.#pieces.push(rest);
    }
    return requests;
  }

  #complete(end: Uint8Array): ClientRequest {
    const bytes = this.#pieces.length === 0 ? end : concat([...this.#pieces, end]);
    const name = this.#name.toUpperCase();
    this.#pieces = [];
    this.#name = '';
    return { bytes, name };
  }

  #skipArgument(chunk: Uint8Array, at: number): number {
    const end = Math.min(at + this.#bytesLeft, chunk.length);
    if (this.#isName && this.#name.length < NAME_LENGTH_MAX) {
      const nameEnd = Math.min(end, at + this.#bytesLeft - LINE_END_LENGTH);
      if (nameEnd > at) this.#name += textOf(chunk.subarray(at, nameEnd));
    }
    this.#bytesLeft -= end - at;
    if (this.#bytesLeft === 0) {
      this.#argsLeft -= 1;
      this.#isName = false;
    }
    return end;
  }

  #readLine(chunk: Uint8Array, at: number): number {
    const end = chunk.indexOf(LF, at);
    this.#line += textOf(chunk.subarray(at, end === -1 ? chunk.length : end));
    if (this.#line.length > LINE_LENGTH_MAX) this.#isBroken = true;
    if (end === -1) return chunk.length;
    const line = this.#line.trimEnd();
    this.#line = '';
    if (this.#argsLeft > 0) this.#beginArgument(line);
    else this.#beginRequest(line);
    return end + 1;
  }

  #beginRequest(line: string): void {
    if (!line.startsWith('*')) {
      this.#name = line.trimStart().split(/\s/, 1)[0] ?? '';
      return;
    }
    const count = Number(line.slice(1));
    if (!Number.isInteger(count) || count > ARGUMENTS_MAX) this.#isBroken = true;
    else this.#argsLeft = Math.max(count, 0);
    this.#isName = true;
  }

  #beginArgument(line: string): void {
    const length = Number(line.slice(1));
    if (!/^\$\d+$/.test(line) || length > ARGUMENT_BYTES_MAX) this.#isBroken = true;
    else this.#bytesLeft = length + LINE_END_LENGTH;
  }
}
