/**
 * Upgrades to a WebSocket, in the Worker: admitted by the token and the origin, then passed to the object of the namespace.
 * Browsers cannot send the header of a token, so they send it as a subprotocol. In the address, logs would have it.
 */
import { Decoder } from '../../base/encoders.js';
import { type Access, accessOf } from '../upstash/access.js';
import { failed } from '../upstash/admission.js';
import { Failure, type RestRequest } from '../upstash/exchange.js';
import type { WorkerSettings } from './options.js';
import { failureOf, targetOf } from './target.js';

/** The subprotocol that the object selects, and the beginning of one that carries a token in base64url. */
const PROTOCOL = 'keylatch';
const TOKEN_PROTOCOL = 'keylatch.token.';
/** Header by which the Worker passes the access of the token on. */
const ACCESS = 'keylatch-access';
const FULL = 'full';
const READ_ONLY = 'read-only';
const decoder = /* @__PURE__ */ new Decoder();

interface UpgradeStub {
  fetch(request: Request): Promise<Response>;
}

/** An upgrade as the object needs it. */
export interface Upgrade {
  readonly access: Access;
  /** Headers of the response. */
  readonly headers: Record<string, string>;
}

export function isUpgrade(request: RestRequest): boolean {
  return request.header('upgrade')?.toLowerCase() === 'websocket';
}

/** The response to an upgrade. `stubOf` gives the object of a namespace. Never rejects. */
export async function upgraded(
  request: RestRequest,
  settings: WorkerSettings,
  stubOf: (namespace: string) => unknown,
): Promise<Response> {
  try {
    const wire = await admittedUpgrade(request, settings);
    const { name } = targetOf(request, settings);
    return await (stubOf(name) as UpgradeStub).fetch(wire).catch((cause) => {
      throw failureOf(cause);
    });
  } catch (error) {
    const { status, headers, body } = failed(error);
    return new Response(body, { status, headers: { ...headers, 'cache-control': 'no-store' } });
  }
}

/** The upgrade as the object gets it. Throws if it is refused. */
async function admittedUpgrade(request: RestRequest, settings: WorkerSettings): Promise<Request> {
  if (request.method !== 'GET') throw new Failure(405, `ERR the method ${request.method} cannot be upgraded`);
  const { path } = targetOf(request, settings);
  if (path.replace('/', '') !== '')
    throw new Failure(404, 'ERR sockets are opened at the base path, or at /namespace/NAME');
  const origin = request.header('origin');
  const { origins } = settings;
  if (origin !== undefined && origins !== '*' && !origins.includes(origin))
    throw new Failure(403, `NOPERM pages of ${origin} may not connect: the option origins has to name it`);
  if (request.query.get('_token') !== null)
    throw new Failure(401, 'WRONGPASS a token in the address is not accepted: logs would have it');
  const protocols = (request.header('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  // Signed tokens end at an instant, and sockets do not: they are not accepted.
  const { writes } = await accessOf(withToken(request, protocols), { ...settings, signed: undefined });
  const headers: Record<string, string> = { upgrade: 'websocket', [ACCESS]: writes ? FULL : READ_ONLY };
  if (protocols.includes(PROTOCOL)) headers['sec-websocket-protocol'] = PROTOCOL;
  return new Request('https://keylatch/', { headers });
}

/** The request with the token of a subprotocol as its header, unless it has one. */
function withToken(request: RestRequest, protocols: readonly string[]): RestRequest {
  const encoded = protocols.find((name) => name.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
  if (encoded === undefined || request.header('authorization') !== undefined) return request;
  const authorization = `Bearer ${fromBase64Url(encoded)}`;
  return { ...request, header: (name) => (name === 'authorization' ? authorization : request.header(name)) };
}

/** Text of base64url; '' for anything else. */
function fromBase64Url(encoded: string): string {
  try {
    const binary = atob(encoded.replaceAll('-', '+').replaceAll('_', '/'));
    return decoder.decode(Uint8Array.from(binary, (letter) => letter.charCodeAt(0)));
  } catch {
    return '';
  }
}

/** An upgrade that the Worker admitted; undefined for other requests. */
export function upgradeOf({ headers }: Request): Upgrade | undefined {
  const access = headers.get(ACCESS);
  if (access !== FULL && access !== READ_ONLY) return undefined;
  const protocol = headers.get('sec-websocket-protocol');
  return {
    access: { writes: access === FULL },
    headers: protocol === null ? {} : { 'sec-websocket-protocol': protocol },
  };
}
