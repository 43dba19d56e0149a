/** The options of `connect`, checked. */
import { withoutSlashes } from '../base/paths.js';
import { CallerRangeError, CallerTypeError } from '../base/caller-errors.js';
import { checked, refuse, type Shape } from '../base/option-check.js';
import type { CallLimits } from './transport.js';
import type { WebSocketClass } from './socket-connection.js';

/** A token, or a function that has one whenever a connection begins: tokens end. */
export type RemoteToken = string | (() => string | Promise<string>);

/** Options of `connect`. */
export interface ConnectOptions {
  /** The token that the server expects. A binding needs none. */
  readonly token?: RemoteToken | undefined;
  /** Namespace of a Worker; the default one unless given. */
  readonly namespace?: string | undefined;
  /** `socket`, a WebSocket: the default; `rest`, a request for the commands of a turn. A binding has a way of its own. */
  readonly transport?: 'socket' | 'rest' | undefined;
  /** Class of WebSockets, such as that of the package `ws`, where the platform has none: Node 20. */
  readonly WebSocket?: WebSocketClass | undefined;
  /** Time for an answer in milliseconds, 5000 unless given. A command that waits has its own time in addition. */
  readonly timeoutMs?: number | undefined;
  /** Time in which commands that only read are sent again, in milliseconds; 10000 unless given. */
  readonly retryMs?: number | undefined;
  /**
   * Requests have ids, under which the server keeps the replies of writes for two minutes: a lost one is sent again, and
   * runs once. Each costs a key. Over a WebSocket that leaves out transactions and commands that wait; a binding has no ids.
   */
  readonly requestIds?: boolean | undefined;
  /**
   * Over a WebSocket, replies of reads are kept until the server says that one of their keys has changed. README has what is
   * promised.
   */
  readonly cache?: CacheOptions | undefined;
}

/** Options of a client-side cache. */
export interface CacheOptions {
  /** Largest number of kept replies, 1000 unless given; those that were not used for the longest time go first. */
  readonly maxEntries?: number | undefined;
}

const CACHE: Shape<CacheOptions> = { maxEntries: 'number' };

const CONNECT: Shape<ConnectOptions> = {
  token: 'any',
  namespace: 'text',
  transport: ['socket', 'rest'],
  WebSocket: 'function',
  timeoutMs: 'number',
  retryMs: 'number',
  requestIds: 'flag',
  cache: 'object',
};

const TIMEOUT_MS = 5000;
const RETRY_MS = 10_000;
const MAX_ENTRIES = 1000;

/** @internal The options as transports need them. */
export interface ConnectSettings extends CallLimits {
  readonly namespace: string | undefined;
  readonly transport: 'socket' | 'rest' | undefined;
  readonly WebSocket: WebSocketClass | undefined;
  readonly hasManyTokens: boolean;
  /** Largest number of replies in a cache; undefined without one. */
  readonly maxEntries: number | undefined;
  token(): Promise<string | undefined>;
}

/** @internal */
export function settingsOf(options: ConnectOptions | undefined): ConnectSettings {
  const given = checked('connect', options, CONNECT);
  const {
    token,
    timeoutMs = TIMEOUT_MS,
    retryMs = RETRY_MS,
    namespace,
    transport,
    WebSocket,
    requestIds = false,
  } = given;
  if (token !== undefined && typeof token !== 'function' && (typeof token !== 'string' || token === ''))
    refuse('connect', 'token', 'a text that is not empty, or a function that returns one', token);
  if (!(timeoutMs > 0) || !(retryMs >= 0))
    throw new CallerRangeError('connect: timeoutMs must be greater than 0, and retryMs at least 0');
  if (namespace === '') throw new CallerTypeError('connect: a namespace has 1 to 256 characters');
  const tokenOf = async (): Promise<string | undefined> => (typeof token === 'function' ? await token() : token);
  const hasManyTokens = typeof token === 'function';
  const maxEntries = maxEntriesOf(given.cache);
  return { namespace, transport, WebSocket, hasManyTokens, maxEntries, token: tokenOf, timeoutMs, retryMs, requestIds };
}

function maxEntriesOf(cache: CacheOptions | undefined): number | undefined {
  if (cache === undefined) return undefined;
  const { maxEntries = MAX_ENTRIES } = checked('connect', cache, CACHE);
  if (!Number.isSafeInteger(maxEntries) || maxEntries < 1)
    throw new CallerRangeError(`connect: cache.maxEntries must be an integer of at least 1, found ${maxEntries}`);
  return maxEntries;
}

/** @internal The address with the namespace, with another scheme. Refuses one that has a token, which logs of servers would show. */
export function addressOf(url: string, namespace: string | undefined, schemes: readonly [string, string]): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^(?:https?|wss?):$/.test(parsed.protocol))
    throw new CallerTypeError('connect: the address must be a URL that begins with https://, http://, wss:// or ws://');
  if (parsed.username !== '' || parsed.password !== '' || parsed.search !== '')
    throw new CallerTypeError('connect: the address must not have a token or parameters: pass { token, namespace }');
  const scheme = /^(?:https|wss):$/.test(parsed.protocol) ? schemes[0] : schemes[1];
  const path = withoutSlashes(parsed.pathname);
  return `${scheme}://${parsed.host}${path}${namespace === undefined ? '' : `/namespace/${encodeURIComponent(namespace)}`}`;
}
