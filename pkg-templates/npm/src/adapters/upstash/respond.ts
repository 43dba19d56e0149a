/** From a request of the REST protocol to its response. */
import { type Access, accessOf } from './access.js';
import { commandOf, commandsOf, pathCommand, RefusedRequest, segmentBytes } from './commands.js';
import { eventStream, monitor, subscription } from './events.js';
import { BodyTooLarge, Failure, type LiveBody, type RestRequest, type RestResponse } from './exchange.js';
import { jsonIn } from './json-body.js';
import { KeptReplies, requestIdOf } from './kept-replies.js';
import type { RestSettings } from './options.js';
import { type Form, Replies } from './replies.js';
import { runnerOf, type UpstashDatabase } from './run.js';
import { METHODS, preflight, sharingHeaders } from './sharing.js';
import { Decoder } from '../../base/encoders.js';

const KNOWN_METHODS = /* @__PURE__ */ METHODS.split(', ');
const decoder = /* @__PURE__ */ new Decoder();

/** Answers a request. Never rejects. */
export async function respond(
  db: UpstashDatabase,
  request: RestRequest,
  settings: RestSettings,
): Promise<RestResponse> {
  const { status, headers, body } = await new Exchange(db, request, settings).response().catch(failed);
  headers['cache-control'] = 'no-store';
  Object.assign(headers, sharingHeaders(request, settings));
  return { status, headers, body: request.method === 'HEAD' ? null : body };
}

class Exchange {
  readonly #db: UpstashDatabase;
  readonly #request: RestRequest;
  readonly #settings: RestSettings;

  constructor(db: UpstashDatabase, request: RestRequest, settings: RestSettings) {
    this.#db = db;
    this.#request = request;
    this.#settings = settings;
  }

  async response(): Promise<RestResponse> {
    const { method } = this.#request;
    if (method === 'OPTIONS') return preflight(this.#request, this.#settings);
    if (!KNOWN_METHODS.includes(method)) throw new Failure(405, `ERR the method ${method} is not allowed`);
    const segments = this.#segments();
    const access = accessOf(this.#request, this.#settings);
    const [kind = ''] = segments;
    switch (kind.toLowerCase()) {
      case '':
        if (method === 'GET' || method === 'HEAD')
          throw new Failure(400, 'ERR send a command as JSON with POST, or in the path: /GET/key');
        return this.#replies(access, true).ofPipeline([commandOf(await this.#json())]);
      case 'pipeline':
        return this.#replies(access, false).ofPipeline(commandsOf(await this.#json()));
      case 'multi-exec':
        if (formOf(this.#request, false).inResp)
          throw new Failure(400, 'ERR resp2 responses are not available for /multi-exec');
        return this.#replies(access, false).ofTransaction(commandsOf(await this.#json()));
      case 'subscribe':
      case 'psubscribe':
        return this.#subscribed(kind.toLowerCase() as 'subscribe' | 'psubscribe', segments.slice(1));
      case 'monitor':
        if (access !== 'full') throw new Failure(403, 'NOPERM this token may only read');
        return events(eventStream(monitor(this.#db)));
      default: {
        const command = await pathCommand(this.#request, segments, this.#settings.maxBodyBytes);
        return this.#replies(access, true).ofPipeline([command]);
      }
    }
  }

  /** Segments of the path below the base. */
  #segments(): string[] {
    const { path } = this.#request;
    const { basePath } = this.#settings;
    if (path !== basePath && !path.startsWith(`${basePath}/`))
      throw new Failure(404, `ERR there is nothing at ${path}`);
    const rest = path.slice(basePath.length + 1).replace(/\/$/, '');
    return rest === '' ? [] : rest.split('/');
  }

  #replies(access: Access, isSingle: boolean): Replies {
    const runner = runnerOf(this.#db);
    const id = requestIdOf(this.#request.header('keylatch-request-id'));
    const token = this.#request.header('authorization') ?? this.#request.query.get('_token') ?? '';
    const kept = id === undefined ? undefined : new KeptReplies(this.#db, runner, id, token);
    return new Replies(runner, access, formOf(this.#request, isSingle), this.#settings, kept);
  }

  #subscribed(kind: 'subscribe' | 'psubscribe', names: readonly string[]): RestResponse {
    if (names.length === 0) throw new Failure(400, `ERR wrong number of arguments for '${kind}'`);
    const name = decoder.decode(segmentBytes(names.join('/')));
    return events(eventStream(subscription(this.#db, kind, name)));
  }

  async #json(): Promise<unknown> {
    return jsonIn(await this.#request.body(this.#settings.maxBodyBytes));
  }
}

function formOf(request: RestRequest, isSingle: boolean): Form {
  const format = request.header('upstash-response-format')?.toLowerCase();
  if (format !== undefined && format !== 'json' && format !== 'resp2')
    throw new Failure(400, `ERR unknown response format '${format}': it is json or resp2`);
  const inBase64 = request.header('upstash-encoding')?.toLowerCase() === 'base64';
  const inResp = format === 'resp2';
  if (inBase64 && inResp) throw new Failure(400, 'ERR resp2 responses cannot be in base64: send one of both headers');
  return { inBase64, inResp, isSingle };
}

function events(body: LiveBody): RestResponse {
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
}

/** Response to a request that failed. */
function failed(error: unknown): RestResponse {
  const { message } = error as Error;
  if (error instanceof Failure) return refusal(error.status, message);
  if (error instanceof BodyTooLarge) return refusal(413, message);
  if (error instanceof RefusedRequest) return refusal(400, message);
  return refusal(500, `ERR ${message}`);
}

function refusal(status: number, error: string): RestResponse {
  const allowed: Record<string, string> = status === 405 ? { allow: METHODS } : {};
  return { status, headers: { ...allowed, 'content-type': 'application/json' }, body: JSON.stringify({ error }) };
}
