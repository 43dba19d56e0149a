/** Tokens of the REST protocol: which requests they admit, and which commands. */
import { BLOCKING, READ_ONLY } from '../../client/generated/reads.js';
import { Encoder } from '../../base/encoders.js';
import { type RestRequest, Failure } from './exchange.js';

/** Limits of a token, as plain data: a Worker passes it to an object. */
export interface Access {
  readonly writes: boolean;
  /** Absent: all keys and channels. */
  readonly limits?: AccessLimits;
  /** End of the token, in milliseconds since the epoch. Absent: it has none. */
  readonly expiresAtMs?: number;
  /** Limits of its commands, all of which hold. Absent: none. */
  readonly rates?: readonly RateLimit[];
}

/** A limit of the commands that are run a second. */
export interface RateLimit {
  /** Name under which they are counted: of a token, or '' for all tokens together. */
  readonly bucket: string;
  readonly perSecond: number;
}

/** Globs of the keys and channels that a token is for. */
export interface AccessLimits {
  readonly keys: readonly string[];
  readonly channels: readonly string[];
}

/** The tokens that a host knows. */
export interface TokenSettings {
  /** In UTF-8. Undefined: requests without a token are answered; none: no request is. */
  readonly tokens: readonly Uint8Array[] | undefined;
  readonly readOnlyTokens: readonly Uint8Array[];
  /** Access of a signed token; undefined for a text that is none. Throws Failure for one that is not valid any more. */
  readonly signed: ((text: string, request: RestRequest) => Promise<Access | undefined>) | undefined;
}

/** Whether a token may read and write everything. */
export function isUnlimited({ writes, limits }: Access): boolean {
  return writes && limits === undefined;
}

const FULL: Access = { writes: true };
const READ_ONLY_ACCESS: Access = { writes: false };

/** Commands that look at all keys, or run others that are not known here. */
const NOT_FOR_READERS = ['KEYS', 'SCAN', 'EVAL_RO', 'EVALSHA_RO', 'FCALL_RO'];
const READS = /* @__PURE__ */ readsOf();
const WAITS = /* @__PURE__ */ new Set(/* @__PURE__ */ BLOCKING.split(','));
const encoder = /* @__PURE__ */ new Encoder();

/** Why no request is answered. The setting is that of the Worker template. */
const NO_TOKEN =
  'no token is configured, so no request is answered: set the secret KEYLATCH_TOKEN (npx wrangler secret put KEYLATCH_TOKEN)';

/** Access of the token that a request has. Without a valid token it is status 401. */
export async function accessOf(request: RestRequest, settings: TokenSettings): Promise<Access> {
  const { tokens, readOnlyTokens, signed } = settings;
  if (tokens === undefined) return FULL;
  if (tokens.length + readOnlyTokens.length === 0 && signed === undefined)
    throw new Failure(401, `WRONGPASS ${NO_TOKEN}`);
  const text = tokenOf(request);
  const given = encoder.encode(text);
  // All are compared, so that the time says nothing about which one was near.
  const isFull = matches(given, tokens);
  const isReader = matches(given, readOnlyTokens);
  if (isFull) return FULL;
  if (isReader) return READ_ONLY_ACCESS;
  const access = await signed?.(text, request);
  if (access !== undefined) return access;
  throw new Failure(401, 'WRONGPASS invalid or missing auth token');
}

/** The token that a request has; '' without one. */
export function tokenOf(request: RestRequest): string {
  const [, bearer] = /^bearer (.*)$/i.exec(request.header('authorization') ?? '') ?? [];
  return bearer ?? request.query.get('_token') ?? '';
}

function matches(given: Uint8Array, tokens: readonly Uint8Array[]): boolean {
  return tokens.map((token) => isSame(given, token)).includes(true);
}

/** The comparison of workerd, in a time that depends on the length alone. */
interface SafeComparison {
  timingSafeEqual?(one: Uint8Array, other: Uint8Array): boolean;
}

/** Compares all bytes, however early two tokens differ. A token of another length is compared with itself. */
function isSame(given: Uint8Array, expected: Uint8Array): boolean {
  const compared = given.length === expected.length ? given : expected;
  const { subtle } = crypto as { readonly subtle: SafeComparison };
  const isEqual = subtle?.timingSafeEqual?.(compared, expected) ?? hasSameBytes(compared, expected);
  return isEqual && compared === given;
}

function hasSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  let difference = 0;
  for (let index = 0; index < one.length; index += 1) difference |= (one[index] ?? 0) ^ (other[index] ?? 0);
  return difference === 0;
}

function readsOf(): ReadonlySet<string> {
  const reads = new Set([...READ_ONLY.split(','), 'PING', 'ECHO', 'TIME']);
  for (const name of NOT_FOR_READERS) reads.delete(name);
  return reads;
}

/** Whether a command only reads; the name is in capitals, with that of a subcommand behind a blank. */
export function onlyReads(name: string): boolean {
  return READS.has(name);
}

/** Whether the command may have to wait. */
export function mayWait(name: string): boolean {
  return WAITS.has(name);
}
