/** The options of `keylatchFetch`, checked. */
import { CallerTypeError } from '../../base/caller-errors.js';
import {
  originSettings,
  refuseUnknown,
  type RestSettings,
  tokensOf,
  type UpstashHandlerOptions,
} from '../upstash/options.js';

/** A token, or several. Values that are undefined or empty are left out: a secret that is not set admits no request. */
export type Tokens = string | undefined | readonly (string | undefined)[];

export interface KeylatchFetchOptions {
  /** Tokens that clients send. Without any, no request is answered: status 401. */
  readonly token: Tokens;
  /** Tokens that may only read: without KEYS, SCAN and scripts. */
  readonly readOnlyToken?: Tokens | undefined;
  /** Origins of pages that may read responses, such as `https://example.org`, or `*` for any. None unless given. */
  readonly origins?: UpstashHandlerOptions['origins'];
  /** Path in front of the protocol's own, such as `/redis`. */
  readonly basePath?: string | undefined;
  /** Longest body of a request in bytes, 8 MiB unless given; a longer one is refused with status 413. */
  readonly maxBodyBytes?: number | undefined;
  /** The namespace of all requests. Unless given, each names its own: `/namespace/NAME/...` or `?namespace=NAME`. */
  readonly namespace?: string | undefined;
}

/** A megabyte of binary data in escapes of JSON still fits. */
const BYTES_MAX = 8 * 1024 * 1024;
const NAMESPACE_LENGTH_MAX = 256;
const OPTIONS = ['token', 'readOnlyToken', 'origins', 'basePath', 'maxBodyBytes', 'namespace'];

/** The settings of requests, and the namespace if it is the same for all. */
export interface WorkerSettings extends RestSettings {
  readonly namespace: string | undefined;
}

/** Checks options, which programs make anew for each request. Wrong ones are a TypeError or a RangeError. */
export function settingsOf(options: KeylatchFetchOptions): WorkerSettings {
  const method = 'keylatchFetch';
  refuseUnknown(method, options, OPTIONS);
  const { token, readOnlyToken, origins, basePath, maxBodyBytes = BYTES_MAX, namespace } = options ?? {};
  if (namespace !== undefined && !isNamespace(namespace))
    throw new CallerTypeError(`${method}: namespace must be a text of 1 to ${NAMESPACE_LENGTH_MAX} characters`);
  return {
    tokens: presentTokens('token', token),
    readOnlyTokens: presentTokens('readOnlyToken', readOnlyToken),
    ...originSettings(method, { origins, basePath, maxBodyBytes }),
    namespace,
    durable: undefined,
    position: undefined,
    turn: (work) => work(),
    refusesAdmin: true,
  };
}

/** Whether a text is the name of a namespace. Names are kept short: each is an object of its own. */
export function isNamespace(name: unknown): name is string {
  return typeof name === 'string' && name.length > 0 && name.length <= NAMESPACE_LENGTH_MAX;
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
