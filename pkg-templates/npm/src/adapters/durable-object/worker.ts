/**
 * The Worker's side: admits a request, chooses the object by the namespace, and passes the request on. Refused requests reach
 * no object. Stateless.
 */
import { CallerTypeError } from '../../base/caller-errors.js';
import type { Access } from '../upstash/access.js';
import { admitted, pathBelow } from '../upstash/admission.js';
import { Failure, NO_QUERY, type RestRequest } from '../upstash/exchange.js';
import { requestOf } from '../upstash/fetch-handler.js';
import {
  isNamespace,
  type KeylatchFetchOptions,
  settingsOf,
  type SignedAccess,
  type WorkerSettings,
} from './options.js';
import { isForNamespace } from './rules.js';
import { wireHeaders, type WireRequest, type WireResponse } from './wire.js';

/** Part of the binding of a Durable Object namespace that requests need. */
export interface KeylatchNamespace {
  idFromName(name: string): unknown;
  get(id: never): unknown;
}

/** Request and Response of the platform, where the program's own types declare them. */
type PlatformRequest = typeof globalThis extends { Request: { prototype: infer Own } } ? Own : object;
type PlatformResponse = typeof globalThis extends { Response: { prototype: infer Own } } ? Own : object;

interface KeylatchStub {
  rest(request: WireRequest): Promise<WireResponse>;
}

const DEFAULT = 'default';
const NAMESPACE = 'namespace';

/**
 * Answers a request of the REST protocol of Upstash by an object that `KeylatchObject` implements. `namespace` is the binding:
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
  const answer = (access: Access) => forwarded(given, access, namespace, settings);
  const { status, headers, body } = await admitted(given, settings, answer);
  return new Response(body as BodyInit | null, { status, headers });
}

async function forwarded(
  request: RestRequest,
  access: SignedAccess,
  namespace: KeylatchNamespace,
  settings: WorkerSettings,
): Promise<WireResponse> {
  const { name, path } = targetOf(request, settings);
  const { namespaces, ...rest } = access;
  if (namespaces !== undefined && !isForNamespace(namespaces, name))
    throw new Failure(403, 'NOPERM this token is not for this namespace');
  const { method } = request;
  const isOwn = (key: string): boolean => key === '_token' || (key === NAMESPACE && settings.namespace === undefined);
  const query = request.query === NO_QUERY ? undefined : [...request.query].filter(([key]) => !isOwn(key));
  const headers = wireHeaders(request);
  const body = method === 'POST' || method === 'PUT' ? await request.body(settings.maxBodyBytes) : undefined;
  const wire: WireRequest = {
    method,
    path: `/${path}`,
    access: rest,
    ...(query && { query }),
    ...(headers && { headers }),
    ...(body && { body }),
  };
  // A stub that failed is of no more use: each request has its own.
  const stub = namespace.get(namespace.idFromName(name) as never) as KeylatchStub;
  try {
    return await stub.rest(wire);
  } catch (cause) {
    throw failureOf(cause);
  }
}

/** The namespace of a request, and its path below that. */
function targetOf(request: RestRequest, settings: WorkerSettings): { readonly name: string; readonly path: string } {
  const path = pathBelow(request, settings);
  if (settings.namespace !== undefined) return { name: settings.namespace, path };
  const [, inPath, rest = ''] = /^namespace\/([^/]*)(?:\/(.*))?$/s.exec(path) ?? [];
  const name = inPath === undefined ? (request.query.get(NAMESPACE) ?? DEFAULT) : decoded(inPath);
  if (!isNamespace(name)) throw new Failure(400, 'ERR a namespace has 1 to 256 characters');
  return { name, path: inPath === undefined ? path : rest };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw Object.assign(new Failure(400, 'ERR the path is not percent-encoded correctly'), { cause });
  }
}

/** The object stopped, restarted or is overloaded. It may have stored the effect before the reply was lost. */
function failureOf(cause: unknown): Failure {
  console.error('keylatch: no answer from the object', cause);
  const { overloaded } = cause as { readonly overloaded?: boolean };
  if (overloaded === true)
    return new Failure(
      429,
      'OVERLOADED the namespace has more requests than it can run: send fewer, and do not repeat at once',
    );
  return new Failure(503, 'UNAVAILABLE no answer from the object; the command may have run');
}
