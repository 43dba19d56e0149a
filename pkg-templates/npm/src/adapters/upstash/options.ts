/** The options of the REST handler, checked. */
import { BODY_BYTES_MAX } from './exchange.js';
import { CallerRangeError, CallerTypeError } from '../../base/caller-errors.js';

export interface UpstashHandlerOptions {
  /** The token that clients send, or several of them. `false` answers requests without one: for tests alone. */
  readonly token: string | readonly string[] | false;
  /** A token, or several, that may only read: without KEYS, SCAN and scripts. */
  readonly readOnlyToken?: string | readonly string[] | undefined;
  /** Origins of pages that may read responses, such as `https://example.org`, or `*` for any. None unless given. */
  readonly origins?: '*' | readonly string[] | undefined;
  /** Path in front of the protocol's own, such as `/redis`. */
  readonly basePath?: string | undefined;
  /** Longest body of a request in bytes, 10 MiB unless given; a longer one is refused with status 413. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Called before the response to a request that may have written: it leaves when the promise is fulfilled, and is status 503
   * if that fails. `() => db.flush()` of `keylatch/persist` makes a turn durable before its response.
   */
  readonly durable?: (() => Promise<unknown>) | undefined;
  /** The sync token of responses, such as the position in a log; it has to change with each write. A count unless given. */
  readonly position?: (() => string | number) | undefined;
}

/** The options as the handler needs them. */
export interface RestSettings {
  /** Undefined: requests without a token are answered. */
  readonly tokens: readonly string[] | undefined;
  readonly readOnlyTokens: readonly string[];
  readonly origins: '*' | readonly string[];
  readonly basePath: string;
  readonly maxBodyBytes: number;
  readonly durable: (() => Promise<unknown>) | undefined;
  readonly position: (() => string | number) | undefined;
}

const OPTIONS = ['token', 'readOnlyToken', 'origins', 'basePath', 'maxBodyBytes', 'durable', 'position'];

/** Settings by options object: a program passes the same one with each request. */
const known = new WeakMap<object, RestSettings>();

/** Checks options. Wrong ones are a TypeError or a RangeError. */
export function settingsOf(options: UpstashHandlerOptions): RestSettings {
  const checked = known.get(options ?? {});
  if (checked !== undefined) return checked;
  const settings = check(options);
  known.set(options, settings);
  return settings;
}

function check(options: UpstashHandlerOptions): RestSettings {
  const unknown = Object.keys(options ?? {}).find((name) => !OPTIONS.includes(name));
  if (unknown !== undefined)
    throw new CallerTypeError(`handleUpstashRequest has no option '${unknown}': it has ${OPTIONS.join(', ')}`);
  const { token, readOnlyToken, origins = [], basePath = '', maxBodyBytes = BODY_BYTES_MAX } = options ?? {};
  const { durable, position } = options ?? {};
  if (!(Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0))
    throw new CallerRangeError(`handleUpstashRequest: maxBodyBytes must be a positive integer, found ${maxBodyBytes}`);
  const tokens = token === false ? undefined : textsOf(token);
  if (tokens?.length === 0)
    throw new CallerTypeError("handleUpstashRequest needs { token: '...' }, or { token: false } to answer anybody");
  const readOnlyTokens = readOnlyToken === undefined ? [] : textsOf(readOnlyToken);
  if (readOnlyToken !== undefined && readOnlyTokens.length === 0)
    throw new CallerTypeError(
      'handleUpstashRequest: readOnlyToken must be a text that is not empty, or a list of such texts',
    );
  if (origins !== '*' && (!Array.isArray(origins) || origins.some((one) => !isOrigin(one))))
    throw new CallerTypeError("handleUpstashRequest: origins must be '*' or a list such as ['https://example.org']");
  for (const [name, hook] of Object.entries({ durable, position })) {
    if (hook !== undefined && typeof hook !== 'function')
      throw new CallerTypeError(`handleUpstashRequest: ${name} must be a function`);
  }
  return { tokens, readOnlyTokens, origins, basePath: withoutSlashes(basePath), maxBodyBytes, durable, position };
}

/** The texts of an option that has one or a list of them; empty if any is no text, or an empty one. */
function textsOf(option: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(option) ? option : [option];
  return texts.every((text) => typeof text === 'string' && text !== '') ? (texts as string[]) : [];
}

function isOrigin(text: unknown): boolean {
  return typeof text === 'string' && /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/i.test(text);
}

function withoutSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
