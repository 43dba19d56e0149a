/**
 * Signed tokens: `kl1.<key id>.<claims>.<mac>`, with claims as JSON and the mac in base64url. The mac is HMAC-SHA-256 of all in
 * front of the last dot; no algorithm is read from a token.
 */
import { fromBase64Url, toBase64Url } from '../../base/base64.js';
import { CallerRangeError, CallerTypeError } from '../../base/caller-errors.js';
import { Decoder, Encoder } from '../../base/encoders.js';

/** Claims of a token. Without `keys` and `channels` it is for all of them; with one, it is for what they name alone. */
export interface TokenClaims {
  /** End of the token's life, in seconds since the epoch. */
  readonly exp: number;
  /** Namespaces: names, or beginnings with a star behind. All unless given. */
  readonly ns?: readonly string[] | undefined;
  /** Whether commands that write are admitted. */
  readonly write?: boolean | undefined;
  /** Globs of keys. Then only commands with keys that are known before are run. */
  readonly keys?: readonly string[] | undefined;
  /** Globs of channels. */
  readonly channels?: readonly string[] | undefined;
  /** Commands that may be run each second, at each namespace: those of all tokens with the same `id`, or of this one. */
  readonly rate?: number | undefined;
  /** Name of the token, for a list of revoked ones. */
  readonly id?: string | undefined;
}

export interface SigningKey {
  /** Name of the secret, of letters, digits, `-` and `_`. */
  readonly keyId: string;
  /** At least 32 bytes. */
  readonly secret: string;
}

const VERSION = 'kl1';
const KEY_ID = /^[\w-]{1,64}$/;
const SECRET_BYTES_MIN = 32;
const TOKEN_CHARS_MAX = 4096;
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };
const encoder = /* @__PURE__ */ new Encoder();
const decoder = /* @__PURE__ */ new Decoder('utf-8', { fatal: true });

/** Tests of the claims, by their names. A token with any other is refused. */
const CLAIMS: Readonly<Record<string, (value: unknown) => boolean>> = {
  exp: (value) => Number.isSafeInteger(value),
  ns: areNames,
  write: (value) => typeof value === 'boolean',
  keys: areNames,
  channels: areNames,
  rate: (value) => Number.isSafeInteger(value) && (value as number) > 0,
  id: (value) => typeof value === 'string' && value !== '',
};

function areNames(value: unknown): boolean {
  return Array.isArray(value) && value.length > 0 && value.every((name) => typeof name === 'string' && name !== '');
}

/** Makes a token. A secret of less than 32 bytes is a RangeError, claims that no token has are a TypeError. */
export async function signToken(claims: TokenClaims, { keyId, secret }: SigningKey): Promise<string> {
  const given = Object.fromEntries(Object.entries(claims ?? {}).filter(([, value]) => value !== undefined));
  const wrong = wrongClaim(given);
  if (wrong !== undefined) throw new CallerTypeError(`signToken: ${wrong}`);
  if (!KEY_ID.test(keyId)) throw new CallerTypeError('signToken: keyId has 1 to 64 letters, digits, - and _');
  const head = `${VERSION}.${keyId}.${toBase64Url(encoder.encode(JSON.stringify(given)))}`;
  const mac = await crypto.subtle.sign(ALGORITHM, await imported('signToken', secret), bytesOf(head));
  return `${head}.${toBase64Url(new Uint8Array(mac))}`;
}

/** Claims of a token; undefined for a text that is no token, or not signed by one of the secrets. Does not judge `exp`. */
export async function verifiedClaims(
  text: string,
  secrets: ReadonlyMap<string, string>,
): Promise<TokenClaims | undefined> {
  const [, head = '', keyId = '', claims = '', mac = ''] =
    (text.length <= TOKEN_CHARS_MAX && /^(kl1\.([\w-]{1,64})\.([\w-]+))\.([\w-]{43})$/.exec(text)) || [];
  const secret = secrets.get(keyId);
  if (secret === undefined) return undefined;
  const given = fromBase64Url(mac);
  // Another spelling of the same mac is another token.
  if (toBase64Url(given) !== mac) return undefined;
  const key = await imported('keylatchFetch', secret);
  if (!(await crypto.subtle.verify(ALGORITHM, key, given as BufferSource, bytesOf(head)))) return undefined;
  return claimsIn(claims);
}

function claimsIn(text: string): TokenClaims | undefined {
  try {
    const claims: unknown = JSON.parse(decoder.decode(fromBase64Url(text)));
    return wrongClaim(claims) === undefined ? (claims as TokenClaims) : undefined;
  } catch {
    return undefined;
  }
}

/** The mistake in claims; undefined without one. */
function wrongClaim(claims: unknown): string | undefined {
  if (typeof claims !== 'object' || claims === null || Array.isArray(claims)) return 'claims are an object';
  if (!('exp' in claims)) return 'the claim exp is needed: the end in seconds since the epoch';
  for (const [name, value] of Object.entries(claims)) {
    if (!Object.hasOwn(CLAIMS, name)) return `there is no claim '${name}': there are ${Object.keys(CLAIMS).join(', ')}`;
    if (!CLAIMS[name]?.(value)) return `the claim ${name} has a wrong value`;
  }
  return undefined;
}

/** Keys by their secrets: importing takes longer than verifying. */
const keys = new Map<string, Promise<CryptoKey>>();
const KEYS_MAX = 64;

function imported(method: string, secret: string): Promise<CryptoKey> {
  checkSecret(method, secret);
  const known = keys.get(secret);
  if (known !== undefined) return known;
  if (keys.size >= KEYS_MAX) keys.clear();
  const key = crypto.subtle.importKey('raw', bytesOf(secret), ALGORITHM, false, ['sign', 'verify']);
  keys.set(secret, key);
  return key;
}

/** Refuses a secret that could be guessed. */
export function checkSecret(method: string, secret: unknown): void {
  if (typeof secret !== 'string' || encoder.encode(secret).length < SECRET_BYTES_MIN)
    throw new CallerRangeError(
      `${method}: a secret has at least ${SECRET_BYTES_MIN} bytes, such as: openssl rand -base64 32`,
    );
}

function bytesOf(text: string): BufferSource {
  return encoder.encode(text) as Uint8Array<ArrayBuffer>;
}
