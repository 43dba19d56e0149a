/** A request of the REST protocol and its response, apart from the platform that carries them. */
import { isPersistenceError, reasonOf } from '../../persist/errors.js';

/** Parameters of a request, in their order; `URLSearchParams` where the platform's types declare it. */
export interface RestQuery extends Iterable<[string, string]> {
  get(name: string): string | null;
}

export const NO_QUERY: RestQuery = { get: () => null, [Symbol.iterator]: () => [][Symbol.iterator]() };

export interface RestRequest {
  readonly method: string;
  /** The path as it was sent. */
  readonly path: string;
  readonly query: RestQuery;
  /** Value of a header, by its name in lower case. */
  header(name: string): string | undefined;
  /** The body. Rejects with BodyTooLarge as soon as more bytes are announced or have come. */
  body(maxBytes: number): Promise<Uint8Array>;
  /** Calls back when the client is known to have gone. Some platforms notice only when something is written to it. */
  whenGone(callback: () => void): void;
}

/** Where a live body is written. */
export interface Sink {
  /** Pieces that the client has not read. */
  readonly unread: number;
  write(text: string): void;
  end(): void;
  /** Cuts the response off, so that the client sees that it is not whole. */
  fail(reason: Error): void;
}

/** A body that comes about in time. Called once; returns a function that ends its work when the client has gone. */
export type LiveBody = (sink: Sink) => () => void;

/** Body of a response, as the engine's side makes it. */
export type RestBody = string | Uint8Array | LiveBody | null;

export interface RestResponse<Body = RestBody> {
  readonly status: number;
  /** An object of this response alone. */
  readonly headers: Record<string, string>;
  readonly body: Body;
}

/** Bytes of a body unless the program sets another limit; Upstash has this one. */
export const BODY_BYTES_MAX = 10 * 1024 * 1024;

/** A body beyond the limit. */
export class BodyTooLarge extends Error {
  constructor(maxBytes: number) {
    super(`ERR max request size exceeded. Limit: ${maxBytes} bytes`);
  }
}

/** The failure of a request after a change of which the medium knows nothing. Paths of files are for the program's log. */
export function notDurable(cause: unknown): Failure {
  const reason = isPersistenceError(cause) ? reasonOf(cause) : (cause as Error | undefined)?.message;
  return new Failure(503, `ERR the change could not be made durable, and may have run: ${reason}`);
}

/** A response that is not 200. */
export class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
  }
}
