/** Headers with which pages of other origins may read responses (CORS). */
import type { RestRequest, RestResponse } from './exchange.js';
import type { RestSettings } from './options.js';

export const METHODS = 'GET, HEAD, POST, PUT, OPTIONS';

/** Header with the position in the log that a copy reaches. */
export const POSITION = 'keylatch-position';
const EXPOSED = `upstash-sync-token, ${POSITION}`;
const PREFLIGHT_SECONDS = '86400';

/** Headers for a page that may read the response; none for others, and for requests of other programs. */
export function sharingHeaders(request: RestRequest, { origins }: RestSettings): Record<string, string> {
  const origin = request.header('origin');
  if (origins === '*') return { 'access-control-allow-origin': '*', 'access-control-expose-headers': EXPOSED };
  const vary: Record<string, string> = origins.length > 0 ? { vary: 'Origin' } : {};
  if (origin === undefined || !origins.includes(origin)) return vary;
  return { ...vary, 'access-control-allow-origin': origin, 'access-control-expose-headers': EXPOSED };
}

/** Answer to the question of a browser before its page's request. */
export function preflight(request: RestRequest, settings: RestSettings): RestResponse<null> {
  const isShared = 'access-control-allow-origin' in sharingHeaders(request, settings);
  const headers = isShared
    ? {
        'access-control-allow-methods': METHODS,
        'access-control-allow-headers': request.header('access-control-request-headers') ?? '*',
        'access-control-max-age': PREFLIGHT_SECONDS,
      }
    : {};
  return { status: 204, headers, body: null };
}
