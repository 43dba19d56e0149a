/** `keylatch serve`: parses the options, starts the server, and stops it on a signal. */
import { parseArgs } from 'node:util';
import { createServer } from '../server/create-server.js';
import type { Server } from '../server/server.js';
import type { ServerOptions } from '../server/options.js';
import { EXIT_FAILED, EXIT_USAGE } from './exit-codes.js';
import { printError, printOut } from './output.js';
import { readVersion } from './package-files.js';
import { httpOptionsOf, HttpService, type HttpOptions } from './serve-http.js';
import { CallerRangeError, CallerTypeError } from '../base/caller-errors.js';

const USAGE = `keylatch serve [OPTIONS]    serves Redis clients until Ctrl-C, SIGTERM, SIGHUP or SHUTDOWN
  --port N              the TCP port (6379); 0 selects a free port, or none with --unixsocket
  --bind ADDRESS...     the addresses to listen on (127.0.0.1 -::1); others than loopback need a password
  --unixsocket PATH     also listens on a Unix socket
  --requirepass TEXT    the password of clients; the variable KEYLATCH_PASSWORD keeps it out of process lists
  --maxclients N        the maximum number of clients (10000)
  --databases N         the number of databases, at most 16 (16)
  --dir DIR             the folder of the data; without one the data is gone at the end
  --appendonly yes|no   with --dir: a log of every change (yes), or snapshots only
  --appendfsync WHEN    with --dir: always (before a reply leaves), everysec or no (everysec)
  --maxmemory BYTES     the memory limit, for example 100mb
  --maxmemory-policy P  the eviction policy: allkeys-lru, volatile-ttl, ... (noeviction: writes fail)
  --enable-debug-command WHEN  DEBUG for connections: yes, local or no (no)
  --http [ADDRESS:]PORT the REST protocol of Upstash as well, for @upstash/redis; 0 selects a free port
  --http-token-file FILE  its token; else the variable KEYLATCH_HTTP_TOKEN, else one is drawn and printed
  --http-origins ORIGIN...  pages of these origins may use it, such as https://example.org (none)
  --no-token            it answers requests without a token; on this machine only
  --PARAMETER VALUE     any other parameter of redis.conf that CONFIG GET shows
  --scripting           runs Lua: EVAL, FCALL, ..., by the package keylatch-scripting
  --quiet               prints errors only`;

interface Request {
  readonly options: ServerOptions;
  readonly http: HttpOptions | undefined;
  readonly quiet: boolean;
}

class UsageError extends Error {}

/** Parses `--name value...` pairs; several values of a name become one text. Values may begin with a single dash. */
function pairsOf(words: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  let name: string | undefined;
  let end = 0;
  // Parameters of redis.conf are not listed here, so no option is declared and values are located between the names.
  const { tokens } = parseArgs({ args: [...words], strict: false, allowPositionals: true, tokens: true });
  for (const token of tokens) {
    // `parseArgs` reads a word such as `-::1` as short options, one token each.
    if (token.index < end) continue;
    end = token.index + 1;
    const word = words[token.index] ?? '';
    if (token.kind === 'option' && token.rawName.startsWith('--')) {
      name = token.name.toLowerCase();
      pairs.set(name, token.value ?? '');
    } else if (word === '-h') {
      pairs.set('help', '');
    } else if (name === undefined) {
      throw new UsageError(`unexpected argument "${word}"`);
    } else {
      pairs.set(name, `${pairs.get(name)} ${word}`.trim());
    }
  }
  return pairs;
}

function numberOf(pairs: Map<string, string>, name: string): number | undefined {
  const text = pairs.get(name);
  pairs.delete(name);
  if (text === undefined) return undefined;
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} expects a number, found "${text}"`);
  return Number(text);
}

function textOf(pairs: Map<string, string>, name: string): string | undefined {
  const text = pairs.get(name);
  pairs.delete(name);
  return text;
}

function wordOf(pairs: Map<string, string>, name: string, words: readonly string[]): string | undefined {
  const text = textOf(pairs, name);
  if (text === undefined || words.includes(text)) return text;
  throw new UsageError(`--${name} expects ${words.join(', ')}, found "${text}"`);
}

/** Removes entries without a value. */
function given<T extends object>(options: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

/** Options of HTTP; undefined without `--http`. */
function readHttp(pairs: Map<string, string>, isQuiet: boolean): HttpOptions | undefined {
  const address = textOf(pairs, 'http');
  const tokenFile = textOf(pairs, 'http-token-file');
  const origins = textOf(pairs, 'http-origins');
  const hasNoToken = pairs.delete('no-token');
  if (address !== undefined) return httpOptionsOf({ address, tokenFile, hasNoToken, origins, isQuiet }, process.env);
  if (tokenFile !== undefined || origins !== undefined || hasNoToken)
    throw new UsageError('--http-token-file, --http-origins and --no-token go with --http');
  return undefined;
}

function read(pairs: Map<string, string>): Request {
  const quiet = pairs.delete('quiet');
  const http = readHttp(pairs, quiet);
  const named = given<ServerOptions>({
    port: numberOf(pairs, 'port'),
    bind: textOf(pairs, 'bind'),
    unixSocket: textOf(pairs, 'unixsocket'),
    requirepass: textOf(pairs, 'requirepass') ?? process.env['KEYLATCH_PASSWORD'],
    maxclients: numberOf(pairs, 'maxclients'),
    databases: numberOf(pairs, 'databases'),
    maxmemory: textOf(pairs, 'maxmemory'),
    dir: textOf(pairs, 'dir'),
    appendonly: wordOf(pairs, 'appendonly', ['yes', 'no']),
    appendfsync: wordOf(pairs, 'appendfsync', ['always', 'everysec', 'no']),
    onError: fail,
  } as { [K in keyof ServerOptions]: ServerOptions[K] | undefined });
  return { options: { ...named, config: Object.fromEntries(pairs) }, http, quiet };
}

/** Reports that the engine has trapped, and exits: nothing it serves from here on can be trusted. */
function fail(error: unknown): void {
  printError(`keylatch: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(EXIT_FAILED);
}

/** Resolves when a signal or a client asked for the end, and the server has ended. */
async function stopped(server: Server, http: HttpService | undefined): Promise<void> {
  let asked = false;
  const stop = async (): Promise<void> => {
    if (asked) process.exit(EXIT_FAILED);
    asked = true;
    // Responses under way need the engine.
    await http?.close();
    await server.close();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => stop().catch(fail));
  await server.closed.catch(fail);
  await http?.close();
}

/** Serves HTTP beside a server that listens, which ends if that fails. */
async function serveHttp(server: Server, options: HttpOptions): Promise<HttpService> {
  try {
    return await new HttpService(server, options).listen();
  } catch (error) {
    await server.close();
    throw error;
  }
}

/** Serves until it is stopped. Returns the exit code. */
export async function serve(words: readonly string[]): Promise<number> {
  let ended: Promise<void>;
  try {
    const pairs = pairsOf(words);
    if (pairs.has('help')) {
      printOut(USAGE);
      return 0;
    }
    const { options, http: httpOptions, quiet } = read(pairs);
    const server = createServer(options);
    await server.listen();
    const http = httpOptions && (await serveHttp(server, httpOptions));
    // A signal may follow the printed line at once.
    ended = stopped(server, http);
    if (!quiet) printOut(`keylatch ${readVersion()} serves ${server.addresses.join(', ')} (process ${process.pid})`);
    if (http !== undefined && !quiet) printOut(http.environment);
  } catch (error) {
    const isUsage = [UsageError, CallerRangeError, CallerTypeError].some((kind) => error instanceof kind);
    printError(`keylatch serve: ${(error as Error).message}${isUsage ? '; see keylatch serve --help' : ''}`);
    return isUsage ? EXIT_USAGE : EXIT_FAILED;
  }
  await ended;
  return 0;
}
