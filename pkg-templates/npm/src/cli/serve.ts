/** `keylatch serve`: parses the options, starts the server, and stops it on a signal. */
import { parseArgs } from 'node:util';
import { createServer } from '../server/create-server.js';
import type { Server } from '../server/server.js';
import type { ServerOptions } from '../server/options.js';
import { printError, printOut } from './output.js';
import { readVersion } from './package-files.js';

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
  --PARAMETER VALUE     any other parameter of redis.conf that CONFIG GET shows
  --scripting           runs Lua: EVAL, FCALL, ..., by the package keylatch-scripting
  --quiet               prints errors only`;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

interface Request {
  readonly options: ServerOptions;
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

function read(pairs: Map<string, string>): Request {
  const quiet = pairs.delete('quiet');
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
  return { options: { ...named, config: Object.fromEntries(pairs) }, quiet };
}

/** Reports that the engine has trapped, and exits: nothing it serves from here on can be trusted. */
function fail(error: unknown): void {
  printError(`keylatch: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(EXIT_FAILED);
}

/** Resolves when a signal or a client asked for the end, and the server has ended. */
function stopped(server: Server): Promise<void> {
  let asked = false;
  const stop = (): void => {
    if (asked) process.exit(EXIT_FAILED);
    asked = true;
    server.close().catch(fail);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop);
  return server.closed.catch(fail);
}

/** Serves until it is stopped. Returns the exit code. */
export async function serve(words: readonly string[]): Promise<number> {
  let server: Server;
  try {
    const pairs = pairsOf(words);
    if (pairs.has('help')) {
      printOut(USAGE);
      return 0;
    }
    const { options, quiet } = read(pairs);
    server = createServer(options);
    await server.listen();
    if (!quiet) printOut(`keylatch ${readVersion()} serves ${server.addresses.join(', ')} (process ${process.pid})`);
  } catch (error) {
    const isUsage = [UsageError, RangeError, TypeError].some((kind) => error instanceof kind);
    printError(`keylatch serve: ${(error as Error).message}${isUsage ? '; see keylatch serve --help' : ''}`);
    return isUsage ? EXIT_USAGE : EXIT_FAILED;
  }
  await stopped(server);
  return 0;
}
