/** The options of `keylatchFetch`, checked. */
import { CallerRangeError, CallerTypeError } from '../../base/caller-errors.js';
import type { Access, RateLimit } from '../upstash/access.js';
import { Failure } from '../upstash/exchange.js';
import {
  originSettings,
  refuseUnknown,
  type RestSettings,
  tokensOf,
  type UpstashHandlerOptions,
} from '../upstash/options.js';
import { SHARD_MARK, SHARDS_MAX } from './shards/slots.js';
import { type Jurisdiction, type LocationHint, type Placement, placementOf } from './placement.js';
import { checkSecret, type TokenClaims, verifiedClaims } from './signed-token.js';

/** A token, or several. Values that are undefined or empty are left out: a secret that is not set admits no request. */
export type Tokens = string | undefined | readonly (string | undefined)[];

export interface KeylatchFetchOptions {
  /** Tokens that clients send. Without any, no request is answered: status 401. */
  readonly token: Tokens;
  /** Tokens that may only read: without KEYS, SCAN and scripts. */
  readonly readOnlyToken?: Tokens | undefined;
  /** Secrets of signed tokens by their key ids, each of 32 bytes or more. One that is undefined or empty is left out. */
  readonly secrets?: Readonly<Record<string, string | undefined>> | undefined;
  /** Ids of signed tokens that are not valid any more. */
  readonly revoked?: readonly string[] | undefined;
  /** Commands that all tokens together may run in a namespace each second. Those beyond are status 429. No limit unless given. */
  readonly commandsPerSecond?: number | undefined;
  /** Origins of pages that may read responses, such as `https://example.org`, or `*` for any. None unless given. */
  readonly origins?: UpstashHandlerOptions['origins'];
  /** Path in front of the protocol's own, such as `/redis`. */
  readonly basePath?: string | undefined;
  /** Longest body of a request in bytes, 8 MiB unless given; a longer one is refused with status 413. */
  readonly maxBodyBytes?: number | undefined;
  /** The namespace of all requests. Unless given, each names its own: `/namespace/NAME/...` or `?namespace=NAME`. */
  readonly namespace?: string | undefined;
  /** Region near which objects are made: `weur`, `enam` and others. Those that exist stay where they are. */
  readonly locationHint?: LocationHint | undefined;
  /**
   * Jurisdiction in which objects run and store their data: `eu` and others. It is part of their ids, so another one has other
   * objects, which are empty: keep it for the life of a namespace.
   */
  readonly jurisdiction?: Jurisdiction | undefined;
  /**
   * Number of objects of a namespace, from 1 (unless given) to 64: each has a range of the slots of Redis Cluster. The number is that of the
   * namespace for good; `keylatch reshard` changes it.
   */
  readonly shards?: number | undefined;
  /** Runs commands about all keys, and `MGET`, `DEL` and others with keys in several slots, on each shard they concern. */
  readonly fanOut?: boolean | undefined;
}

/** A megabyte of binary data in escapes of JSON still fits. */
const BYTES_MAX = 8 * 1024 * 1024;
const NAMESPACE_LENGTH_MAX = 256;
const SECOND_MS = 1000;
const OPTIONS = [
  'token',
  'readOnlyToken',
  'secrets',
  'revoked',
  'commandsPerSecond',
  'origins',
  'basePath',
  'maxBodyBytes',
  'namespace',
  'locationHint',
  'jurisdiction',
  'shards',
  'fanOut',
];

/** Access of a signed token. The Worker looks for its namespaces, the object for the rest. */
export interface SignedAccess extends Access {
  readonly namespaces?: readonly string[];
}

/** The settings of requests, the namespace if it is the same for all, and where objects are. */
export interface WorkerSettings extends RestSettings {
  readonly namespace: string | undefined;
  readonly placement: Placement;
  readonly shards: number;
  readonly fansOut: boolean;
  /** Limits of all tokens, beside their own. */
  readonly rates: readonly RateLimit[];
}

/** Checks options, which programs make anew for each request. Wrong ones are a TypeError or a RangeError. */
export function settingsOf(options: KeylatchFetchOptions): WorkerSettings {
  const method = 'keylatchFetch';
  refuseUnknown(method, options, OPTIONS);
  const { token, readOnlyToken, origins, basePath, maxBodyBytes = BYTES_MAX, namespace } = options ?? {};
  const { secrets = {}, revoked = [], commandsPerSecond } = options ?? {};
  if (namespace !== undefined && !isNamespace(namespace))
    throw new CallerTypeError(`${method}: namespace must be a text of 1 to ${NAMESPACE_LENGTH_MAX} characters`);
  return {
    tokens: presentTokens('token', token),
    readOnlyTokens: presentTokens('readOnlyToken', readOnlyToken),
    ...originSettings(method, { origins, basePath, maxBodyBytes }),
    namespace,
    placement: placementOf(method, options ?? {}),
    ...shardSettings(options ?? {}),
    durable: undefined,
    position: undefined,
    turn: (work) => work(),
    signed: signedTokens(secrets, revoked),
    rules: undefined,
    maxCommands: undefined,
    count: undefined,
    rates: ratesOf(commandsPerSecond),
  };
}

function shardSettings({ shards = 1, fanOut = false }: Partial<KeylatchFetchOptions>): {
  readonly shards: number;
  readonly fansOut: boolean;
} {
  if (!(Number.isSafeInteger(shards) && shards >= 1 && shards <= SHARDS_MAX))
    throw new CallerRangeError(`keylatchFetch: shards must be an integer from 1 to ${SHARDS_MAX}, found ${shards}`);
  if (typeof fanOut !== 'boolean') throw new CallerTypeError('keylatchFetch: fanOut must be true or false');
  return { shards, fansOut: fanOut };
}

function ratesOf(perSecond: number | undefined): readonly RateLimit[] {
  if (perSecond === undefined) return [];
  if (!(Number.isSafeInteger(perSecond) && perSecond > 0))
    throw new CallerRangeError(`keylatchFetch: commandsPerSecond must be a positive integer, found ${perSecond}`);
  return [{ bucket: '', perSecond }];
}

/** Reads signed tokens; undefined without a secret. */
function signedTokens(
  secrets: Readonly<Record<string, string | undefined>>,
  revoked: readonly string[],
): RestSettings['signed'] {
  const present = Object.entries(secrets).filter(([, secret]) => secret !== undefined && secret !== '');
  for (const [, secret] of present) checkSecret('keylatchFetch', secret);
  if (!Array.isArray(revoked) || revoked.some((id) => typeof id !== 'string'))
    throw new CallerTypeError('keylatchFetch: revoked must be a list of ids');
  if (present.length === 0) return undefined;
  const known = new Map(present as [string, string][]);
  return async (text) => {
    const claims = await verifiedClaims(text, known);
    const mac = text.slice(text.lastIndexOf('.') + 1);
    return claims && accessOfClaims(claims, mac, revoked, Date.now());
  };
}

function accessOfClaims(claims: TokenClaims, mac: string, revoked: readonly string[], nowMs: number): SignedAccess {
  const { exp, id, ns, write = false, keys, channels, rate } = claims;
  const expiresAtMs = exp * SECOND_MS;
  if (nowMs >= expiresAtMs) throw new Failure(401, 'WRONGPASS the token has expired');
  if (id !== undefined && revoked.includes(id)) throw new Failure(401, 'WRONGPASS the token was revoked');
  const isLimited = keys !== undefined || channels !== undefined;
  return {
    writes: write,
    expiresAtMs,
    ...(isLimited && { limits: { keys: keys ?? [], channels: channels ?? [] } }),
    ...(ns && { namespaces: ns }),
    ...(rate && { rates: [{ bucket: id === undefined ? `mac ${mac}` : `id ${id}`, perSecond: rate }] }),
  };
}

/** Whether a text is the name of a namespace: a short one, since each is an object. Names of other shards have a NUL. */
export function isNamespace(name: unknown): name is string {
  return (
    typeof name === 'string' && name.length > 0 && name.length <= NAMESPACE_LENGTH_MAX && !name.includes(SHARD_MARK)
  );
}

/** Tokens in UTF-8, by the text or the list that a program passes with each request. */
const encodedTokens = new Map<string, readonly Uint8Array[]>();
const ENCODED_MAX = 16;

function presentTokens(option: string, tokens: Tokens): readonly Uint8Array[] {
  const all: readonly unknown[] = Array.isArray(tokens) ? tokens : [tokens];
  const present = all.filter((token) => token !== undefined && token !== '');
  if (present.some((token) => typeof token !== 'string'))
    throw new CallerTypeError(`keylatchFetch: ${option} must be a text, or a list of texts`);
  const key = JSON.stringify(present);
  const known = encodedTokens.get(key);
  if (known !== undefined) return known;
  if (encodedTokens.size >= ENCODED_MAX) encodedTokens.clear();
  const encoded = tokensOf(present);
  encodedTokens.set(key, encoded);
  return encoded;
}
