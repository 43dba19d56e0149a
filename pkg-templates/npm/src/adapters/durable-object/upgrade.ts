/**
 * Upgrades to a WebSocket, in the Worker: admitted by the token and the origin, then passed to the object of the namespace.
 * Browsers cannot send the header of a token, so they send it as a subprotocol. In the address, logs would have it.
 */
import { fromBase64Url } from '../../base/base64.js';
import { Decoder } from '../../base/encoders.js';
import { type Access, accessOf } from '../upstash/access.js';
import { failed } from '../upstash/admission.js';
import { Failure, type RestRequest } from '../upstash/exchange.js';
import type { WorkerSettings } from './options.js';
import type { NamespaceObjects } from './shards/objects.js';
import { shardOf, SLOTS } from './shards/slots.js';
import { accessTo, targetOf } from './target.js';

/** The subprotocol that the object selects, and the beginning of one that carries a token in base64url. */
const PROTOCOL = 'keylatch';
const TOKEN_PROTOCOL = 'keylatch.token.';
/**
 * Header by which the Worker passes the access of the token on. The request for the object is made by the Worker, so no header of
 * a client is in it.
 */
const ACCESS = 'keylatch-access';
/** Header with the address of the namespace. */
const ADDRESS = 'keylatch-address';
const FULL = 'full';
const READ_ONLY = 'read-only';
const decoder = /* @__PURE__ */ new Decoder();

/** An upgrade as the object needs it. */
export interface Upgrade {
  readonly access: Access;
  /** Where sockets of the namespace are opened, without a scheme: host and path. Given if it has several shards. */
  readonly address: string | undefined;
  /** Headers of the response. */
  readonly headers: Record<string, string>;
}

export function isUpgrade(request: RestRequest): boolean {
  return request.header('upgrade')?.toLowerCase() === 'websocket';
}

/** The response to an upgrade. `objectsOf` gives the objects of a namespace. Never rejects. */
export async function upgraded(
  request: RestRequest,
  settings: WorkerSettings,
  objectsOf: (namespace: string) => NamespaceObjects,
): Promise<Response> {
  try {
    const headers = await admittedUpgrade(request, settings);
    const { name, path } = targetOf(request, settings);
    const shard = shardOf(slotIn(request, path), settings.shards);
    if (settings.shards > 1) headers[ADDRESS] = addressOf(request, settings, name);
    return await objectsOf(name).upgrade(shard, headers);
  } catch (error) {
    const { status, headers, body } = failed(error);
    return new Response(body, { status, headers: { ...headers, 'cache-control': 'no-store' } });
  }
}

/** Headers of the upgrade as the object gets it. Throws if it is refused. */
async function admittedUpgrade(request: RestRequest, settings: WorkerSettings): Promise<Record<string, string>> {
  if (request.method !== 'GET') throw new Failure(405, `ERR the method ${request.method} cannot be upgraded`);
  const { name, path } = targetOf(request, settings);
  slotIn(request, path);
  const origin = request.header('origin');
  const { origins } = settings;
  if (origin !== undefined && origins !== '*' && !origins.includes(origin))
    throw new Failure(403, `NOPERM pages of ${origin} may not connect: the option origins has to name it`);
  if (request.query.get('_token') !== null)
    throw new Failure(401, 'WRONGPASS a token in the address is not accepted: logs would have it');
  const protocols = (request.header('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim());
  const access = accessTo(name, await accessOf(withToken(request, protocols), settings), settings);
  const headers: Record<string, string> = { upgrade: 'websocket', [ACCESS]: encodedAccess(access) };
  if (protocols.includes(PROTOCOL)) headers['sec-websocket-protocol'] = PROTOCOL;
  return headers;
}

/** The slot that a socket is for, in the path or as a parameter; the first one unless it is named. */
function slotIn({ query }: RestRequest, path: string): number {
  const found = /^(?:slot\/([^/]*))?\/?$/.exec(path);
  if (found === null)
    throw new Failure(404, 'ERR sockets are opened at the base path, at /namespace/NAME, or at /slot/N behind them');
  const text = found[1] ?? query.get('slot') ?? '0';
  if (!/^\d{1,5}$/.test(text) || Number(text) >= SLOTS)
    throw new Failure(400, `ERR a slot is a number from 0 to ${SLOTS - 1}`);
  return Number(text);
}

/** Where sockets of a namespace are opened. */
function addressOf(request: RestRequest, { basePath, namespace }: WorkerSettings, name: string): string {
  const path = namespace === undefined ? `/namespace/${encodeURIComponent(name)}` : '';
  return `${request.header('host') ?? ''}${basePath}${path}`;
}

/** The request with the token of a subprotocol as its header, unless it has one. */
function withToken(request: RestRequest, protocols: readonly string[]): RestRequest {
  const encoded = protocols.find((name) => name.startsWith(TOKEN_PROTOCOL))?.slice(TOKEN_PROTOCOL.length);
  if (encoded === undefined || request.header('authorization') !== undefined) return request;
  const authorization = `Bearer ${textOf(encoded)}`;
  return { ...request, header: (name) => (name === 'authorization' ? authorization : request.header(name)) };
}

/** Text of base64url; '' for anything else. */
function textOf(encoded: string): string {
  try {
    return decoder.decode(fromBase64Url(encoded));
  } catch {
    return '';
  }
}

/** An upgrade that the Worker admitted; undefined for other requests. */
export function upgradeOf({ headers }: Request): Upgrade | undefined {
  const access = decodedAccess(headers.get(ACCESS));
  if (access === undefined) return undefined;
  const protocol = headers.get('sec-websocket-protocol');
  return {
    access,
    address: headers.get(ADDRESS) ?? undefined,
    headers: protocol === null ? {} : { 'sec-websocket-protocol': protocol },
  };
}

/** Access as a header: a word, or JSON in the characters that a header may have. */
function encodedAccess(access: Access): string {
  if (Object.keys(access).length > 1) return encodeURIComponent(JSON.stringify(access));
  return access.writes ? FULL : READ_ONLY;
}

function decodedAccess(header: string | null): Access | undefined {
  if (header === null) return undefined;
  if (header === FULL || header === READ_ONLY) return { writes: header === FULL };
  return JSON.parse(decodeURIComponent(header));
}
