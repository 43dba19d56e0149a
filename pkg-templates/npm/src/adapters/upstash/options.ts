/** The options of the REST handler, checked. */
import type { Access, TokenSettings } from './access.js';
import type { Rules } from './commands.js';
import { BODY_BYTES_MAX } from './exchange.js';
import { CallerRangeError, CallerTypeError } from '../../base/caller-errors.js';
import { withoutSlashes } from '../../base/paths.js';
import { Encoder } from '../../base/encoders.js';

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

/** Runs commands and stores their effects: at once, or together with those of other requests. */
export type Turn = <T>(work: () => T) => T | Promise<Awaited<T>>;

/** The options as the handler needs them. */
export interface RestSettings extends TokenSettings {
  readonly origins: '*' | readonly string[];
  readonly basePath: string;
  readonly maxBodyBytes: number;
  readonly durable: (() => Promise<unknown>) | undefined;
  readonly position: (() => string | number) | undefined;
  readonly turn: Turn;
  readonly rules: Rules | undefined;
  /** Number of commands that a pipeline or a transaction may have. */
  readonly maxCommands: number | undefined;
  /** Counts the commands of a request. Throws a Failure if its token may not run so many now. */
  readonly count: ((access: Access, commands: number) => void) | undefined;
}

const encoder = /* @__PURE__ */ new Encoder();

/** Runs commands at once. The log of an engine in a process takes their effects by itself. */
const atOnce: Turn = (work) => work();

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
  refuseUnknown('handleUpstashRequest', options, OPTIONS);
  const { token, readOnlyToken, durable, position } = options ?? {};
  const tokens = token === false ? undefined : tokensOf(token);
  if (tokens?.length === 0)
    throw new CallerTypeError("handleUpstashRequest needs { token: '...' }, or { token: false } to answer anybody");
  const readOnlyTokens = readOnlyToken === undefined ? [] : tokensOf(readOnlyToken);
  if (readOnlyToken !== undefined && readOnlyTokens.length === 0)
    throw new CallerTypeError(
      'handleUpstashRequest: readOnlyToken must be a text that is not empty, or a list of such texts',
    );
  for (const [name, hook] of Object.entries({ durable, position })) {
    if (hook !== undefined && typeof hook !== 'function')
      throw new CallerTypeError(`handleUpstashRequest: ${name} must be a function`);
  }
  const hooks = {
    durable,
    position,
    turn: atOnce,
    signed: undefined,
    rules: undefined,
    maxCommands: undefined,
    count: undefined,
  };
  return { tokens, readOnlyTokens, ...originSettings('handleUpstashRequest', options), ...hooks };
}

/** Refuses options that a function does not have. */
export function refuseUnknown(method: string, options: object | undefined, names: readonly string[]): void {
  const unknown = Object.keys(options ?? {}).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new CallerTypeError(`${method} has no option '${unknown}': it has ${names.join(', ')}`);
}

/** Settings about where requests come from, where they go, and how long they are; `method` is named in errors. */
export function originSettings(
  method: string,
  { origins = [], basePath = '', maxBodyBytes = BODY_BYTES_MAX }: Partial<UpstashHandlerOptions> = {},
): Pick<RestSettings, 'origins' | 'basePath' | 'maxBodyBytes'> {
  if (!(Number.isSafeInteger(maxBodyBytes) && maxBodyBytes > 0))
    throw new CallerRangeError(`${method}: maxBodyBytes must be a positive integer, found ${maxBodyBytes}`);
  if (origins !== '*' && (!Array.isArray(origins) || origins.some((one) => !isOrigin(one))))
    throw new CallerTypeError(`${method}: origins must be '*' or a list such as ['https://example.org']`);
  return { origins, basePath: withoutSlashes(basePath), maxBodyBytes };
}

/** In UTF-8, the tokens of an option that has one or a list of them; empty if any is no text, or an empty one. */
export function tokensOf(option: unknown): readonly Uint8Array[] {
  const texts: readonly unknown[] = Array.isArray(option) ? option : [option];
  const areTexts = texts.every((text) => typeof text === 'string' && text !== '');
  return areTexts ? texts.map((text) => encoder.encode(text as string)) : [];
}

function isOrigin(text: unknown): boolean {
  return typeof text === 'string' && /^[a-z][a-z0-9+.-]*:\/\/[^/\s]+$/i.test(text);
}
