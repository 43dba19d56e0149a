/** From a request of the REST protocol to its response, but for the commands: needs no engine, which may be elsewhere. */
import { type Access, accessOf } from './access.js';
import { RefusedRequest } from './commands.js';
import { BodyTooLarge, Failure, type RestRequest, type RestResponse, notDurable } from './exchange.js';
import type { RestSettings } from './options.js';
import { METHODS, preflight, sharingHeaders } from './sharing.js';
import { isPersistenceError } from '../../persist/errors.js';

const KNOWN_METHODS = /* @__PURE__ */ METHODS.split(', ');

/** The response to a request, which `answer` makes for one that the token admits. Never rejects. */
export async function admitted<Body>(
  request: RestRequest,
  settings: RestSettings,
  answer: (access: Access) => Promise<RestResponse<Body>>,
): Promise<RestResponse<Body | string | null>> {
  const { status, headers, body } = await admit(request, settings, answer).catch(failed);
  headers['cache-control'] = 'no-store';
  Object.assign(headers, sharingHeaders(request, settings));
  return { status, headers, body: request.method === 'HEAD' ? null : body };
}

async function admit<Body>(
  request: RestRequest,
  settings: RestSettings,
  answer: (access: Access) => Promise<RestResponse<Body>>,
): Promise<RestResponse<Body | null>> {
  if (request.method === 'OPTIONS') return preflight(request, settings);
  if (!KNOWN_METHODS.includes(request.method))
    throw new Failure(405, `ERR the method ${request.method} is not allowed`);
  // A path of others is no matter of tokens.
  pathBelow(request, settings);
  return answer(await accessOf(request, settings));
}

/** The path of a request below the base, without a slash in front. */
export function pathBelow({ path }: RestRequest, { basePath }: RestSettings): string {
  if (path !== basePath && !path.startsWith(`${basePath}/`)) throw new Failure(404, `ERR there is nothing at ${path}`);
  return path.slice(basePath.length + 1);
}

/** Response to a request that failed. */
export function failed(error: unknown): RestResponse<string> {
  const { message } = error as Error;
  if (error instanceof Failure) return refusal(error.status, message, error.headers);
  if (error instanceof BodyTooLarge) return refusal(413, message);
  if (error instanceof RefusedRequest) return refusal(400, message);
  if (isPersistenceError(error)) return failed(notDurable(error));
  return refusal(500, `ERR ${message}`);
}

const HEADERS_OF_STATUS: Readonly<Record<number, Record<string, string>>> = {
  401: { 'www-authenticate': 'Bearer' },
  405: { allow: METHODS },
};

function refusal(status: number, error: string, added?: Readonly<Record<string, string>>): RestResponse<string> {
  const headers = { ...HEADERS_OF_STATUS[status], ...added, 'content-type': 'application/json' };
  return { status, headers, body: JSON.stringify({ error }) };
}
