/** Which object a request is for, and failures of that object. */
import { pathBelow } from '../upstash/admission.js';
import { Failure, type RestRequest } from '../upstash/exchange.js';
import type { Access } from '../upstash/access.js';
import { logFailure } from './failure-log.js';
import { isNamespace, type SignedAccess, type WorkerSettings } from './options.js';
import { isForNamespace } from './rules.js';

const DEFAULT = 'default';
/** Part of the path, and parameter, that names a namespace. */
export const NAMESPACE = 'namespace';

/** The namespace of a request, and its path below that. */
export function targetOf(
  request: RestRequest,
  settings: WorkerSettings,
): { readonly name: string; readonly path: string } {
  const path = pathBelow(request, settings);
  if (settings.namespace !== undefined) return { name: settings.namespace, path };
  const [, inPath, rest = ''] = /^namespace\/([^/]*)(?:\/(.*))?$/s.exec(path) ?? [];
  const name = inPath === undefined ? (request.query.get(NAMESPACE) ?? DEFAULT) : decoded(inPath);
  if (!isNamespace(name)) throw new Failure(400, 'ERR a namespace has 1 to 256 characters, and no NUL');
  return { name, path: inPath === undefined ? path : rest };
}

/** The access of a token to a namespace, as the object judges it. Throws if the token is for others. */
export function accessTo(namespace: string, access: SignedAccess, settings: WorkerSettings): Access {
  const { namespaces, ...rest } = access;
  if (namespaces !== undefined && !isForNamespace(namespaces, namespace))
    throw new Failure(403, 'NOPERM this token is not for this namespace');
  const rates = [...(rest.rates ?? []), ...settings.rates];
  return rates.length === 0 ? rest : { ...rest, rates };
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch (cause) {
    throw Object.assign(new Failure(400, 'ERR the path is not percent-encoded correctly'), { cause });
  }
}

/** An object stopped, restarted or is overloaded. It may have stored the effect before the reply was lost. */
export function failureOf(object: string, cause: unknown): Failure {
  logFailure('error', 'no-answer', object, cause);
  const { overloaded } = cause as { readonly overloaded?: boolean };
  if (overloaded === true)
    return new Failure(
      429,
      'OVERLOADED the namespace has more requests than it can run: send fewer, and do not repeat at once',
    );
  return new Failure(503, 'UNAVAILABLE no answer from the object; the command may have run');
}
