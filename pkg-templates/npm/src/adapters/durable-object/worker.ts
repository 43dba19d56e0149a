/**
 * The Worker's side: admits a request, chooses the object by the namespace, and passes the request on. Refused requests reach
 * no object. Stateless.
 */
import { CallerTypeError } from '../../base/caller-errors.js';
import type { Access } from '../upstash/access.js';
import { admitted } from '../upstash/admission.js';
import { NO_QUERY, type RestRequest } from '../upstash/exchange.js';
import { requestOf } from '../upstash/fetch-handler.js';
import { type KeylatchFetchOptions, settingsOf, type SignedAccess, type WorkerSettings } from './options.js';
import type { KeylatchNamespace } from './placement.js';
import { NamespaceObjects } from './shards/objects.js';
import { COPY_BYTES_MAX, RESHARD, shardIn } from './shards/reshard.js';
import { ShardedRequest } from './shards/sharded.js';
import { accessTo, NAMESPACE, targetOf } from './target.js';
import { isUpgrade, upgraded } from './upgrade.js';
import { wireHeaders, type WireRequest, type WireResponse } from './wire.js';

/** Request and Response of the platform, where the program's own types declare them. */
type PlatformRequest = typeof globalThis extends { Request: { prototype: infer Own } } ? Own : object;
type PlatformResponse = typeof globalThis extends { Response: { prototype: infer Own } } ? Own : object;

/**
 * Answers a request of the REST protocol of Upstash, or an upgrade to a WebSocket that carries RESP, by an object that
 * `KeylatchObject` implements. `namespace` is the binding:
 * `keylatchFetch(request, env.KEYLATCH, { token: env.KEYLATCH_TOKEN })`.
 */
export async function keylatchFetch(
  request: PlatformRequest,
  namespace: KeylatchNamespace,
  options: KeylatchFetchOptions,
): Promise<PlatformResponse> {
  const settings = settingsOf(options);
  if (typeof namespace?.idFromName !== 'function')
    throw new CallerTypeError('keylatchFetch needs the binding of a Durable Object namespace, such as env.KEYLATCH');
  const given = requestOf(request as Request);
  const objectsOf = (name: string) => new NamespaceObjects(namespace, settings.placement, settings.shards, name);
  if (isUpgrade(given)) return upgraded(given, settings, objectsOf);
  const answer = (access: Access) => forwarded(given, access, settings, objectsOf);
  const { status, headers, body } = await admitted(given, settings, answer);
  return new Response(body as BodyInit | null, { status, headers });
}

async function forwarded(
  request: RestRequest,
  access: SignedAccess,
  settings: WorkerSettings,
  objectsOf: (name: string) => NamespaceObjects,
): Promise<WireResponse> {
  const { name, path } = targetOf(request, settings);
  const admittedAccess = accessTo(name, access, settings);
  const { method } = request;
  const isOwn = (key: string): boolean => key === '_token' || (key === NAMESPACE && settings.namespace === undefined);
  const query = request.query === NO_QUERY ? undefined : [...request.query].filter(([key]) => !isOwn(key));
  const headers = wireHeaders(request);
  const bytesMax = path === RESHARD ? COPY_BYTES_MAX : settings.maxBodyBytes;
  const body = method === 'POST' || method === 'PUT' ? await request.body(bytesMax) : undefined;
  const wire: WireRequest = {
    method,
    path: `/${path}`,
    access: admittedAccess,
    ...(query && { query }),
    ...(headers && { headers }),
    ...(body && { body }),
  };
  const objects = objectsOf(name);
  if (path === RESHARD) return objects.reshard(shardIn(wire), wire);
  return objects.count === 1 ? objects.rest(0, wire) : new ShardedRequest(wire, objects, settings.fansOut).response();
}
