/** Opens the database of a server. */
import { CallerTypeError } from '../base/caller-errors.js';
import { shown } from '../base/option-check.js';
import { CachedReads } from './cached-reads.js';
import { addressOf, type ConnectOptions, type ConnectSettings, settingsOf } from './options.js';
import { RemoteKeylatch } from './remote-keylatch.js';
import { RestTransport } from './rest.js';
import { refusalOf } from './rest-response.js';
import { type ObjectBinding, RpcTransport } from './rpc.js';
import { SocketTransport } from './socket.js';
import { socketClass } from './socket-line.js';
import type { Transport } from './transport.js';

/** Namespace of a binding unless another is given; keylatchFetch has the same. */
const DEFAULT = 'default';

/** A URL. */
export interface Address {
  /** The address as text. */
  readonly href: string;
}

function hasAddress(target: Address | ObjectBinding): target is Address {
  return typeof (target as Partial<Address> | null)?.href === 'string';
}

/**
 * A database at another place: a keylatch behind an address, or the Durable Object of a binding. Nothing is sent before the
 * first command.
 *
 * @example const db = connect('https://keylatch.example.workers.dev', { token });
 */
export function connect(target: string | Address | ObjectBinding, options?: ConnectOptions): RemoteKeylatch {
  const settings = settingsOf(options);
  const cache = settings.maxEntries === undefined ? undefined : new CachedReads(settings.maxEntries);
  return new RemoteKeylatch(transportTo(target, settings, cache), cache);
}

type Target = string | Address | ObjectBinding;

function transportTo(target: Target, settings: ConnectSettings, cache: CachedReads | undefined): Transport {
  if (typeof target === 'string') return toAddress(target, settings, cache);
  if (hasAddress(target)) return toAddress(target.href, settings, cache);
  if (typeof target?.idFromName === 'function') {
    refuseCache(cache, 'connect to the address of the Worker');
    return new RpcTransport(target, settings.namespace ?? DEFAULT, settings);
  }
  throw new CallerTypeError(
    `connect: expected an address, or the binding of a Durable Object namespace, got ${shown(target)}`,
  );
}

function refuseCache(cache: CachedReads | undefined, instead: string): void {
  if (cache === undefined) return;
  throw new CallerTypeError(
    `connect: cache needs a WebSocket, over which the server says what has changed: ${instead}`,
  );
}

function toAddress(url: string, settings: ConnectSettings, cache: CachedReads | undefined): Transport {
  const { namespace, token } = settings;
  const rest = { base: addressOf(url, namespace, ['https', 'http']), token };
  if (settings.transport === 'rest') {
    refuseCache(cache, "leave out transport: 'rest'");
    return new RestTransport(rest, settings);
  }
  const socket = {
    ...settings,
    url: addressOf(url, namespace, ['wss', 'ws']),
    WebSocket: socketClass(settings.WebSocket),
    refusal: () => refusalOf(rest, settings.timeoutMs),
  };
  return new SocketTransport(socket, cache);
}
