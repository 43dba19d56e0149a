/** Handler of HTTP requests in the REST protocol of Upstash, with the types of `fetch`. */
import { BODY_BYTES_MAX, bodyBytes, BodyTooLarge } from './body.js';
import { concat } from '../../resp/concat.js';
import { firstReply } from './json.js';
import { answerOf } from './requester.js';
import {
  commandOf,
  commandsOf,
  RefusedRequest,
  runnerOf,
  subscribe,
  type Runner,
  type SubscriptionKind,
  type UpstashDatabase,
} from './run.js';

/** Request and Response of the platform, where the program's own types declare them. */
type PlatformRequest = typeof globalThis extends { Request: { prototype: infer Own } } ? Own : object;
type PlatformResponse = typeof globalThis extends { Response: { prototype: infer Own } } ? Own : object;

export interface UpstashHandlerOptions {
  /** The token that clients send. `false` answers requests without one: for tests alone. */
  readonly token: string | false;
  /** Path in front of the protocol's own, such as `/redis`. */
  readonly basePath?: string | undefined;
  /** Longest body of a request in bytes, 10 MiB unless given; a longer one is refused with status 413. */
  readonly maxBodyBytes?: number | undefined;
}

const OPTIONS = ['token', 'basePath', 'maxBodyBytes'];
const METHODS = 'GET, HEAD, POST, PUT, OPTIONS';

/** Messages that a subscriber may leave unread. */
const UNREAD_MAX = 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A response that is not 200. */
class Failure extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

function checked(options: UpstashHandlerOptions): UpstashHandlerOptions {
  const unknown = Object.keys(options ?? {}).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    throw new TypeError(`handleUpstashRequest has no option '${unknown}': it has ${OPTIONS.join(', ')}`);
  const { token, maxBodyBytes = BODY_BYTES_MAX } = options ?? {};
  if (!(Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0))
    throw new RangeError(`handleUpstashRequest: maxBodyBytes must be a positive integer, found ${maxBodyBytes}`);
  if (token === false || (typeof token === 'string' && token !== '')) return options;
  throw new TypeError("handleUpstashRequest needs { token: '...' }, or { token: false } to answer anybody");
}

/** Compares all characters, however early two texts differ. */
function isSame(given: string, expected: string): boolean {
  let difference = given.length ^ expected.length;
  for (let index = 0; index < given.length; index += 1) {
    difference |= given.charCodeAt(index) ^ expected.charCodeAt(index % expected.length);
  }
  return difference === 0;
}

function authorize(request: Request, url: URL, { token }: UpstashHandlerOptions): void {
  if (token === false) return;
  const [, bearer] = /^bearer (.*)$/i.exec(request.headers.get('authorization') ?? '') ?? [];
  if (!isSame(bearer ?? url.searchParams.get('_token') ?? '', token))
    throw new Failure(401, 'WRONGPASS invalid or missing auth token');
}

/** Bytes of a path segment; what is percent-encoded need not be UTF-8. */
function segmentBytes(segment: string): Uint8Array {
  if (/%(?![0-9a-f]{2})/i.test(segment)) throw new Failure(400, 'ERR the path is not percent-encoded correctly');
  const bytes: number[] = [];
  for (const [piece, code] of segment.matchAll(/%([0-9a-f]{2})|[^%]+/gi)) {
    if (code === undefined) bytes.push(...encoder.encode(piece));
    else bytes.push(Number.parseInt(code, 16));
  }
  return Uint8Array.from(bytes);
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

/** Segments of the path below the base. */
function segmentsOf({ pathname }: URL, basePath = ''): string[] {
  const base = withoutSlashes(basePath);
  if (pathname !== base && !pathname.startsWith(`${base}/`))
    throw new Failure(404, `ERR there is nothing at ${pathname}`);
  const path = pathname.slice(base.length + 1).replace(/\/$/, '');
  return path === '' ? [] : path.split('/');
}

async function jsonBody(request: Request, { maxBodyBytes = BODY_BYTES_MAX }: UpstashHandlerOptions): Promise<unknown> {
  const bytes = await bodyBytes(request, maxBodyBytes);
  try {
    return JSON.parse(decoder.decode(bytes));
  } catch (cause) {
    throw new RefusedRequest('ERR the body is not JSON', { cause });
  }
}

/** The command of a path: its segments, then the body, then query parameters as name and value. */
async function pathCommand(
  request: Request,
  url: URL,
  segments: readonly string[],
  { maxBodyBytes = BODY_BYTES_MAX }: UpstashHandlerOptions,
): Promise<Uint8Array[]> {
  const argv = segments.map(segmentBytes);
  if (request.method === 'POST' || request.method === 'PUT') {
    const body = await bodyBytes(request, maxBodyBytes);
    if (body.length > 0) argv.push(body);
  }
  for (const [name, value] of url.searchParams) {
    if (name === '_token') continue;
    argv.push(encoder.encode(name));
    if (value !== '') argv.push(encoder.encode(value));
  }
  return argv;
}

interface Form {
  readonly inBase64: boolean;
  readonly inResp: boolean;
}

function formOf(request: Request): Form {
  const inBase64 = request.headers.get('upstash-encoding')?.toLowerCase() === 'base64';
  const inResp = request.headers.get('upstash-response-format')?.toLowerCase() === 'resp2';
  if (inBase64 && inResp) throw new Failure(400, 'ERR resp2 responses cannot be in base64: send one of both headers');
  return { inBase64, inResp };
}

const UNSTORED = { 'cache-control': 'no-store' };
/** Headers with which pages of other origins may read a response. Without a token, that would be any page at all. */
const SHARED = { 'access-control-allow-origin': '*', 'access-control-expose-headers': 'upstash-sync-token' };

function json(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...UNSTORED, 'content-type': 'application/json', ...headers },
  });
}

function preflight(request: Request, { token }: UpstashHandlerOptions): Response {
  if (token === false) return new Response(null, { status: 204, headers: UNSTORED });
  const headers = {
    'access-control-allow-methods': METHODS,
    'access-control-allow-headers': request.headers.get('access-control-request-headers') ?? '*',
    'access-control-max-age': '86400',
  };
  return new Response(null, { status: 204, headers: { ...UNSTORED, ...headers } });
}

/** Replies of a pipeline or of one command, in the form the client asked for. */
function replied(runner: Runner, commands: readonly (readonly Uint8Array[])[], single: boolean, form: Form): Response {
  const replies = runner.pipeline(commands);
  const headers = { 'upstash-sync-token': String(runner.requests) };
  if (form.inResp) {
    return new Response(concat(replies) as BufferSource, {
      headers: { ...UNSTORED, ...headers, 'content-type': 'application/octet-stream' },
    });
  }
  const answers = replies.map((bytes) => answerOf(firstReply(bytes), form.inBase64));
  const [first] = answers;
  if (!single || first === undefined) return json(200, answers, headers);
  return json('error' in first ? 400 : 200, first, headers);
}

/** Events of a channel until the client goes. */
function streamed(db: UpstashDatabase, kind: SubscriptionKind, name: string, request: Request): Response {
  /** Ends the subscription, then the stream, unless either has ended. */
  let end = (_finish?: () => void): void => {};
  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const send = (line: string): void => {
          if ((controller.desiredSize ?? 0) > -UNREAD_MAX)
            return controller.enqueue(encoder.encode(`data: ${line.replaceAll('\n', '\ndata: ')}\n\n`));
          end(() => controller.error(new Error(`the subscriber left ${UNREAD_MAX} messages unread`)));
        };
        const unsubscribe = subscribe(db, kind, name, send);
        end = (finish) => {
          end = () => {};
          unsubscribe();
          finish?.();
        };
        request.signal.addEventListener('abort', () => end(() => controller.close()));
      },
      cancel: () => end(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { headers: { ...UNSTORED, 'content-type': 'text/event-stream' } });
}

async function respond(db: UpstashDatabase, request: Request, options: UpstashHandlerOptions): Promise<Response> {
  if (request.method === 'OPTIONS') return preflight(request, options);
  if (!METHODS.split(', ').includes(request.method))
    throw new Failure(405, `ERR the method ${request.method} is not allowed`);
  const url = new URL(request.url);
  const segments = segmentsOf(url, options.basePath);
  authorize(request, url, options);
  const runner = runnerOf(db);
  const form = formOf(request);
  const [kind = '', ...names] = segments;
  if (kind === '') {
    if (request.method === 'GET' || request.method === 'HEAD')
      throw new Failure(400, 'ERR send a command as JSON with POST, or in the path: /GET/key');
    return replied(runner, [commandOf(await jsonBody(request, options))], true, form);
  }
  if (kind === 'pipeline') return replied(runner, commandsOf(await jsonBody(request, options)), false, form);
  if (kind === 'multi-exec') {
    if (form.inResp) throw new Failure(400, 'ERR resp2 responses are not available for /multi-exec');
    const replies = runner.transaction(commandsOf(await jsonBody(request, options)));
    const answers = replies.map((reply) => answerOf(reply, form.inBase64));
    return json(200, answers, { 'upstash-sync-token': String(runner.requests) });
  }
  const lower = kind.toLowerCase();
  if (lower === 'subscribe' || lower === 'psubscribe') {
    if (names.length === 0) throw new Failure(400, `ERR wrong number of arguments for '${lower}'`);
    return streamed(db, lower, new TextDecoder().decode(segmentBytes(names.join('/'))), request);
  }
  return replied(runner, [await pathCommand(request, url, segments, options)], true, form);
}

/**
 * Answers a request of the REST protocol: `GET /get/key`, `POST /` with a command as JSON, `/pipeline`, `/multi-exec`,
 * `/subscribe/channel`. A failed command is status 400, a missing token 401, each with `{ "error": ... }`.
 */
export async function handleUpstashRequest(
  db: UpstashDatabase,
  request: PlatformRequest,
  options: UpstashHandlerOptions,
): Promise<PlatformResponse> {
  const given = checked(options);
  runnerOf(db);
  const response = await respond(db, request as Request, given).catch(failed);
  if (given.token !== false) for (const [name, value] of Object.entries(SHARED)) response.headers.set(name, value);
  return response;
}

/** Response to a request that failed. */
function failed(error: unknown): Response {
  const { message } = error as Error;
  if (error instanceof Failure) return json(error.status, { error: message });
  if (error instanceof BodyTooLarge) return json(413, { error: message });
  if (error instanceof RefusedRequest) return json(400, { error: message });
  return json(500, { error: `ERR ${message}` });
}
