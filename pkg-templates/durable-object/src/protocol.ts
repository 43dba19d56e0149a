/**
 * The HTTP interface: converts a request body to the arguments of one command, and an outcome to a response body. Every
 * error that a client can cause before its command runs is worded here. Depends on neither the engine nor the object.
 */

/** A larger body is refused with 413. A megabyte of binary data written as JSON escapes still fits. */
export const BODY_BYTES_MAX = 8 * 1024 * 1024;

/** Names of namespaces are object names: kept short, because each is an object of its own. */
export const NAMESPACE_LENGTH_MAX = 256;

export const NAMESPACE_DEFAULT = 'default';

/** Outcome of a request in the object: whether the command succeeded, and the JSON for the client. */
export interface Answer {
  readonly ok: boolean;
  readonly body: string;
}

/** Error of a request that never reaches the object. The worker turns it into a response. */
export class Refusal extends Error {
  override readonly name = 'Refusal';

  constructor(
    readonly status: number,
    message: string,
    readonly headers: Record<string, string> = {},
  ) {
    super(message);
  }
}

/**
 * Parses a command: a JSON array that begins with its name. Strings stand for themselves, numbers for the digits
 * that were sent (also where they exceed a double), true and false for their names, null for the empty string.
 *
 * @throws Refusal 400 for anything else.
 */
export function parseCommand(body: Uint8Array): string[] {
  const command = parseJson(body);
  if (!Array.isArray(command)) throw new Refusal(400, 'ERR the body must be a JSON array: ["SET","key","value"]');
  if (command.length === 0) throw new Refusal(400, 'ERR empty command');
  command.forEach((argument: unknown, index) => {
    if (typeof argument !== 'string') {
      throw new Refusal(400, `ERR argument ${index} is neither a string, a number, a boolean nor null`);
    }
    if (!argument.isWellFormed()) {
      throw new Refusal(400, `ERR argument ${index} has a lone surrogate, which no UTF-8 can carry`);
    }
  });
  return command as string[];
}

/** The body of a command that succeeded. Integers beyond 2^53 keep their digits. */
export function resultBody(result: unknown): string {
  return JSON.stringify({ result }, (_key, value: unknown) => {
    if (typeof value === 'bigint') return rawJson(String(value));
    return value instanceof Error ? { error: value.message } : value;
  });
}

/** The body of anything that failed. */
export function errorBody(message: string): string {
  return JSON.stringify({ error: message });
}

/** Reads the request's body, and stops as soon as it is longer than `limit` bytes, whatever its Content-Length. */
export async function readBody(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = new Refusal(413, `ERR the body is larger than ${limit} bytes`);
  if (Number(request.headers.get('content-length')) > limit) throw tooLarge;
  if (request.body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let length = 0;
  // Leaving the loop by an exception cancels the stream.
  for await (const chunk of request.body as ReadableStream<Uint8Array>) {
    length += chunk.length;
    if (length > limit) throw tooLarge;
    chunks.push(chunk);
  }
  return new Uint8Array(await new Blob(chunks).arrayBuffer());
}

function parseJson(body: Uint8Array): unknown {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(body);
    return JSON.parse(text, sourceOfScalars as (key: string, value: unknown) => unknown);
  } catch {
    // Broken UTF-8, broken JSON, and nesting deeper than the stack are the same error to a client.
    throw new Refusal(400, 'ERR the body is not valid JSON in UTF-8');
  }
}

/**
 * Converts scalars to argument text. `context.source` is the original text, which keeps digits that a parsed number
 * loses.
 */
function sourceOfScalars(_key: string, value: unknown, context: { source?: string }): unknown {
  if (value === null) return '';
  if (typeof value === 'number' || typeof value === 'boolean') return context.source ?? String(value);
  return value;
}

/** `JSON.rawJSON`, which TypeScript's library does not declare yet. */
function rawJson(text: string): unknown {
  return (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(text);
}
