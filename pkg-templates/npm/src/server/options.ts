/** The options of a server, checked, and the engine parameters derived from them. */
import type { Keylatch } from '../db/keylatch.js';
import type { MaxmemoryPolicy } from '../db/options.js';
import type { Shape } from '../base/option-check.js';
import { CallerRangeError } from '../base/caller-errors.js';

/** Options of `createServer`. Names are those of redis.conf, in JavaScript's spelling. */
export interface ServerOptions {
  /**
   * The TCP port, 6379 unless given. 0 chooses a free one; together with `unixSocket` it means no TCP port at all, as in
   * Redis.
   */
  readonly port?: number | undefined;
  /**
   * Addresses to listen on; the loopback addresses unless given. One behind a `-` may be missing on this machine. Others
   * than loopback need a password.
   */
  readonly bind?: string | readonly string[] | undefined;
  /** A Unix socket to listen on as well. */
  readonly unixSocket?: string | undefined;
  /** Password of the default user. */
  readonly requirepass?: string | undefined;
  /** Maximum number of connected clients. */
  readonly maxclients?: number | undefined;
  /** Number of databases, from 1 to 16. */
  readonly databases?: number | undefined;
  /** Bytes, or text as redis.conf has it (`100mb`). */
  readonly maxmemory?: number | string | undefined;
  /** Policy for keys to evict at the limit; `noeviction` unless given. */
  readonly maxmemoryPolicy?: MaxmemoryPolicy | undefined;
  /** Other parameters of redis.conf that the engine supports. */
  readonly config?: Readonly<Record<string, string | number>> | undefined;
  /**
   * Folder of the data, opened by `listen`; without one the data is gone when the server ends. Created if it is missing.
   * Excludes `db`.
   */
  readonly dir?: string | undefined;
  /** With `dir`: `yes` keeps a log of every change, `no` only snapshots by SAVE, BGSAVE and the rule of `save`. Default `yes`. */
  readonly appendonly?: 'yes' | 'no' | undefined;
  /** With `dir`: when the log is forced to the medium. With `always` that is before a reply leaves. Default `everysec`. */
  readonly appendfsync?: 'always' | 'everysec' | 'no' | undefined;
  /** Engine to serve; a new one unless given. */
  readonly db?: Keylatch | undefined;
  /** Called with errors that no client caused, for example a trap of the engine. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** @internal Numbers are checked for their ranges below. */
export const SERVER: Shape<ServerOptions> = {
  port: 'any',
  bind: 'arguments',
  unixSocket: 'text',
  requirepass: 'text',
  maxclients: 'integer',
  databases: 'any',
  maxmemory: 'argument',
  maxmemoryPolicy: 'text',
  config: 'object',
  dir: 'text',
  appendonly: ['yes', 'no'],
  appendfsync: ['always', 'everysec', 'no'],
  db: 'object',
  onError: 'function',
};

/** @internal */
export const DEFAULT_PORT = 6379;
/** The default of Redis; the second address is optional, for systems without IPv6. */
const DEFAULT_BIND = ['127.0.0.1', '-::1'];
const DATABASES_MAX = 16;
const DEBUG_PARAMETER = 'enable-debug-command';
/** Pairs of seconds and changes after which a snapshot is saved. */
const SAVE_RULE = '3600 1 300 100 60 10000';

/** @internal Addresses to listen on. */
export interface ListenAddresses {
  /** Undefined: no TCP. */
  readonly port: number | undefined;
  readonly hosts: readonly Host[];
  readonly path: string | undefined;
}

/** @internal */
export interface Host {
  readonly name: string;
  /** True when the address may be missing on this machine. */
  readonly optional: boolean;
}

/** @internal */
export function listenAddressesOf({
  port = DEFAULT_PORT,
  bind = DEFAULT_BIND,
  unixSocket,
}: ServerOptions): ListenAddresses {
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new CallerRangeError(`port must be from 0 to 65535, found ${port}`);
  const names = typeof bind === 'string' ? bind.split(/\s+/).filter(Boolean) : bind;
  if (names.length === 0) throw new CallerRangeError('bind must contain at least one address');
  const hosts = names.map((name) => ({ name: unstarred(name.replace(/^-/, '')), optional: name.startsWith('-') }));
  return { port: port === 0 && unixSocket !== undefined ? undefined : port, hosts, path: unixSocket };
}

/** Translates `*` of redis.conf, which is every address of one family. */
function unstarred(name: string): string {
  return name === '*' ? '0.0.0.0' : name === '::*' ? '::' : name;
}

/** @internal True for addresses that only this machine can reach. */
export function isLoopback(address: string): boolean {
  return address === 'localhost' || address === '::1' || /^(::ffff:)?127\./.test(address);
}

/** @internal Configuration parameters of the engine, by name. */
export function parametersOf(options: ServerOptions, addresses: ListenAddresses): Map<string, string> {
  const { requirepass, maxclients, databases, maxmemory, maxmemoryPolicy, config = {} } = options;
  const { dir, appendonly = 'yes', appendfsync } = options;
  const named = {
    requirepass,
    maxclients,
    databases,
    maxmemory,
    'maxmemory-policy': maxmemoryPolicy,
    unixsocket: addresses.path,
    dir,
    appendfsync,
    appendonly: dir === undefined ? undefined : appendonly,
    // The rule of Redis; without a log, nothing else would save.
    save: dir !== undefined && appendonly === 'no' ? (config['save'] ?? SAVE_RULE) : undefined,
  };
  const parameters = new Map<string, string>();
  for (const [name, value] of [...Object.entries(config), ...Object.entries(named)]) {
    if (value !== undefined) parameters.set(name.toLowerCase(), String(value));
  }
  // Redis' default for a server; the engine itself belongs to its program, which may use DEBUG.
  if (!parameters.has(DEBUG_PARAMETER)) parameters.set(DEBUG_PARAMETER, 'no');
  checkDatabases(parameters.get('databases'));
  parameters.set('bind', addresses.hosts.map(({ name, optional }) => (optional ? `-${name}` : name)).join(' '));
  return parameters;
}

/** Refuses what the engine lacks: any client would find out no earlier than by its SELECT. */
function checkDatabases(text: string | undefined): void {
  if (text === undefined || (/^\d{1,2}$/.test(text) && Number(text) >= 1 && Number(text) <= DATABASES_MAX)) return;
  throw new CallerRangeError(`databases must be from 1 to ${DATABASES_MAX}, found ${text}`);
}

/** @internal Reason why a server must not start with these options, as a sentence for its operator; undefined when it may. */
export function exposure(addresses: ListenAddresses, parameters: ReadonlyMap<string, string>): string | undefined {
  const open = addresses.port === undefined ? undefined : addresses.hosts.find(({ name }) => !isLoopback(name));
  const isProtected = (parameters.get('protected-mode') ?? 'yes').toLowerCase() !== 'no';
  if (open === undefined || !isProtected || (parameters.get('requirepass') ?? '') !== '') return undefined;
  return (
    `refusing to listen on ${open.name} without a password: any client could read and change ` +
    'all data. Set a password (requirepass), listen on 127.0.0.1 only, or disable this check ' +
    '(protected-mode no) if the port is protected otherwise.'
  );
}
