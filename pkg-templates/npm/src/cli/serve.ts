/** `keylatch serve`: reads the options, starts the server and stops it when it is asked to. */
import { createServer, type Server, type ServerOptions } from '../server.js';
import { readVersion } from './package-files.js';

const USAGE = `keylatch serve [OPTIONS]    serves Redis clients until it is stopped with Ctrl-C or SIGTERM
  --port N              the TCP port (6379); 0 chooses a free one, or none beside --unixsocket
  --bind ADDRESS...     where to listen (127.0.0.1 -::1); other than loopback needs a password
  --unixsocket PATH     listens on a Unix socket as well
  --requirepass TEXT    the password clients have to give; KEYLATCH_PASSWORD does the same out of sight
  --maxclients N        how many clients at once (10000)
  --databases N         how many databases, up to 16 (16)
  --maxmemory BYTES     how much the keys may take, for example 100mb
  --maxmemory-policy P  who goes then: allkeys-lru, volatile-ttl, ... (noeviction: refuses what would take more)
  --PARAMETER VALUE     any other parameter of redis.conf that CONFIG GET shows
  --quiet               prints nothing but errors`;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

interface Request {
  readonly options: ServerOptions;
  readonly quiet: boolean;
}

class UsageError extends Error {}

/** `--name value...` pairs; a name may have several values, which become one text. */
function pairsOf(words: readonly string[]): Map<string, string> {
  const pairs = new Map<string, string>();
  let name: string | undefined;
  for (const word of words) {
    if (word.startsWith('--') && word.length > 2) {
      const [, own = '', value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
      name = own.toLowerCase();
      pairs.set(name, value ?? '');
    } else if (name === undefined) {
      throw new UsageError(`what is ${word}?`);
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
  if (!/^\d+$/.test(text)) throw new UsageError(`--${name} takes a number, found '${text}'`);
  return Number(text);
}

function textOf(pairs: Map<string, string>, name: string): string | undefined {
  const text = pairs.get(name);
  pairs.delete(name);
  return text;
}

/** Leaves out what was not given. */
function given<T extends object>(options: { [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as T;
}

function read(words: readonly string[]): Request {
  const pairs = pairsOf(words);
  const quiet = pairs.delete('quiet');
  const named = given<ServerOptions>({
    port: numberOf(pairs, 'port'),
    bind: textOf(pairs, 'bind'),
    unixSocket: textOf(pairs, 'unixsocket'),
    requirepass: textOf(pairs, 'requirepass') ?? process.env['KEYLATCH_PASSWORD'],
    maxclients: numberOf(pairs, 'maxclients'),
    databases: numberOf(pairs, 'databases'),
    maxmemory: textOf(pairs, 'maxmemory'),
    onError: fail,
  } as { [K in keyof ServerOptions]: ServerOptions[K] | undefined });
  return { options: { ...named, config: Object.fromEntries(pairs) }, quiet };
}

/** The engine cannot go on: nothing that is served from here on could be trusted. */
function fail(error: unknown): void {
  console.error(`keylatch: ${error instanceof Error ? error.message : String(error)}`);
  process.exit(EXIT_FAILED);
}

/** Resolves when the server was asked to stop and has stopped. */
function stopped(server: Server): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    const stop = (): void => {
      if (asked) process.exit(EXIT_FAILED);
      asked = true;
      void server.close().then(resolve);
    };
    process.on('SIGINT', stop);
    process.on('SIGTERM', stop);
  });
}

/** Serves until it is stopped; answers the exit code. */
export async function serve(words: readonly string[]): Promise<number> {
  if (words.includes('--help') || words.includes('-h')) {
    console.log(USAGE);
    return 0;
  }
  let server: Server;
  try {
    const { options, quiet } = read(words);
    server = createServer(options);
    await server.listen();
    if (!quiet) console.log(`keylatch ${readVersion()} serves ${server.addresses.join(', ')} (process ${process.pid})`);
  } catch (error) {
    console.error(`keylatch serve: ${(error as Error).message}`);
    if (error instanceof UsageError || error instanceof RangeError) console.error(USAGE);
    return error instanceof UsageError || error instanceof RangeError ? EXIT_USAGE : EXIT_FAILED;
  }
  await stopped(server);
  return 0;
}
