/** Responses of `node:http` that are held back until their end, so that nothing leaves before it is stored. */
import { Encoder } from '../../base/encoders.js';
import { concat } from '../../resp/concat.js';
import type { HandlerResponse } from './kept-response.js';
import type { Header } from './plain-response.js';

/** Part of `http.ServerResponse` that is held back. */
export interface HeldServerResponse {
  statusCode: number;
  getHeaders(): Readonly<Record<string, number | string | string[] | undefined>>;
  setHeader(name: string, value: number | string | readonly string[]): unknown;
  writeHead(...parameters: never[]): unknown;
  flushHeaders(): unknown;
  write(...parameters: never[]): boolean;
  end(...parameters: never[]): unknown;
  on(event: 'close', listener: () => void): unknown;
}

type Parameters = readonly unknown[];
type Methods = Pick<HeldServerResponse, 'writeHead' | 'flushHeaders' | 'write' | 'end'>;

/** A response that is held back until `send`. */
export class HeldResponse {
  /** The whole response, or without its body as soon as that exceeds the limit: then the rest passes. */
  readonly response: Promise<HandlerResponse>;
  readonly #inner: HeldServerResponse;
  readonly #methods: Methods;
  readonly #maxBytes: number;
  readonly #pieces: Uint8Array[] = [];
  readonly #callbacks: (() => void)[] = [];
  #size = 0;
  #isEnded = false;
  #isSent = false;
  #resolve!: (response: HandlerResponse) => void;

  constructor(response: HeldServerResponse, maxBytes: number) {
    const { writeHead, flushHeaders, write, end } = response;
    this.#inner = response;
    this.#methods = { writeHead, flushHeaders, write, end };
    this.#maxBytes = maxBytes;
    this.response = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    Object.assign(response, {
      writeHead: (status: number, ...parameters: Parameters) => this.#writeHead(status, parameters),
      flushHeaders: () => {},
      write: (...parameters: Parameters) => this.#write(parameters),
      end: (...parameters: Parameters) => this.#end(parameters),
    });
  }

  /** Lets the response go. */
  send(): void {
    if (this.#isSent) return;
    this.#isSent = true;
    Object.assign(this.#inner, this.#methods);
    const called = (): void => this.#callbacks.splice(0).forEach((callback) => callback());
    const parameters = [concat(this.#pieces.splice(0)), called] as never[];
    if (this.#isEnded) this.#inner.end(...parameters);
    else this.#inner.write(...parameters);
  }

  #writeHead(status: number, parameters: Parameters): HeldServerResponse {
    this.#inner.statusCode = status;
    const headers = parameters.find((one) => typeof one === 'object' && one !== null);
    for (const [name, value] of pairsOf(headers ?? {})) this.#inner.setHeader(name, value);
    return this.#inner;
  }

  #write(parameters: Parameters): boolean {
    this.#add(parameters);
    if (this.#size > this.#maxBytes) {
      this.#report(undefined);
      this.send();
    }
    return true;
  }

  #end(parameters: Parameters): HeldServerResponse {
    if (this.#isEnded) return this.#inner;
    this.#isEnded = true;
    this.#add(parameters);
    this.#report(this.#size > this.#maxBytes ? undefined : concat(this.#pieces));
    return this.#inner;
  }

  #add(parameters: Parameters): void {
    for (const one of parameters) if (typeof one === 'function') this.#callbacks.push(one as () => void);
    const [chunk, encoding] = parameters;
    if (typeof chunk === 'function' || chunk === undefined || chunk === null) return;
    const bytes = bytesOf(chunk, encoding);
    this.#pieces.push(bytes);
    this.#size += bytes.length;
  }

  #report(body: Uint8Array | undefined): void {
    this.#resolve({ status: this.#inner.statusCode, headers: headersOf(this.#inner), body });
  }
}

/** Bytes of a chunk. Only Node, which has the class Buffer, passes other encodings than UTF-8. */
function bytesOf(chunk: unknown, encoding: unknown): Uint8Array {
  if (typeof chunk !== 'string') return chunk as Uint8Array;
  if (typeof encoding !== 'string' || /^utf-?8$/i.test(encoding)) return new Encoder().encode(chunk);
  return Buffer.from(chunk, encoding as BufferEncoding);
}

/** Headers in the forms that writeHead takes: an object, a list of pairs, or names and values by turns. */
function pairsOf(headers: object): [string, number | string | string[]][] {
  const pairs = Array.isArray(headers) ? headers : Object.entries(headers);
  if (pairs.length === 0 || Array.isArray(pairs[0])) return pairs as [string, string][];
  return pairs.flatMap((name, index) => (index % 2 === 0 ? [[name, pairs[index + 1]]] : [])) as [string, string][];
}

/** Headers of a response, one for each value. */
export function headersOf(response: Pick<HeldServerResponse, 'getHeaders'>): Header[] {
  return Object.entries(response.getHeaders()).flatMap(([name, value]) =>
    [value].flat().map((one): Header => [name, String(one)]),
  );
}
