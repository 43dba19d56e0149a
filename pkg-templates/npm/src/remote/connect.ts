/** Opens the database of a server. */
import { CallerTypeError } from '../base/caller-errors.js';
import { shown } from '../base/option-check.js';
import { addressOf, type ConnectOptions, type ConnectSettings, settingsOf } from './options.js';
import { RemoteKeylatch } from './remote-keylatch.js';
import { RestTransport } from './rest.js';
import { type ObjectBinding, RpcTransport } from './rpc.js';
import type { Transport } from './transport.js';

/** Namespace of a binding unless another is given; keylatchFetch has the same. */
const DEFAULT = 'default';

/**
 * A database at another place: a keylatch behind an address, or the Durable Object of a binding. Nothing is sent before the
 * first command.
 *
 * @example const db = connect('https://keylatch.example.workers.dev', { token, transport: 'rest' });
 */
export function connect(target: string | URL | ObjectBinding, options?: ConnectOptions): RemoteKeylatch {
  return new RemoteKeylatch(transportTo(target, settingsOf(options)));
}

function transportTo(target: string | URL | ObjectBinding, settings: ConnectSettings): Transport {
  if (typeof target === 'string' || target instanceof URL) return toAddress(String(target), settings);
  if (typeof target?.idFromName === 'function')
    return new RpcTransport(target, settings.namespace ?? DEFAULT, settings);
  throw new CallerTypeError(
    `connect: expected an address, or the binding of a Durable Object namespace, got ${shown(target)}`,
  );
}

function toAddress(url: string, settings: ConnectSettings): Transport {
  const { namespace, token } = settings;
  if (settings.transport !== 'rest') throw new CallerTypeError("connect: pass { transport: 'rest' } for an address");
  return new RestTransport({ base: addressOf(url, namespace, ['https', 'http']), token }, settings);
}
