/** `keylatch serve --http`: the REST protocol of Upstash on a port of its own, beside the clients over sockets. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server as HttpServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { upstashListener } from '../adapters/upstash/node-listener.js';
import { isLoopback } from '../server/options.js';
import type { Server } from '../server/server.js';
import { CallerRangeError } from '../base/caller-errors.js';

/** Where and for which requests the REST protocol is served. */
export interface HttpOptions {
  readonly host: string;
  readonly port: number;
  /** False: requests need none. */
  readonly token: string | false;
  readonly origins: readonly string[];
}

/** Words of the command line about HTTP. */
export interface HttpWords {
  /** `PORT` or `ADDRESS:PORT`. */
  readonly address: string;
  readonly tokenFile: string | undefined;
  readonly hasNoToken: boolean;
  readonly origins: string | undefined;
  /** Whether nothing is printed. */
  readonly isQuiet: boolean;
}

const DEFAULT_HOST = '127.0.0.1';
const TOKEN_BYTES = 24;
/** Time that responses under way have when the server stops. */
const FAREWELL_MS = 500;
/** Names by which a page of this machine reaches the server; a foreign page has another one, whatever its address is. */
const OWN_NAMES = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i;

/** Reads what the command line says. A mistake is a RangeError. */
export function httpOptionsOf(words: HttpWords, env: NodeJS.ProcessEnv): HttpOptions {
  const [, host = DEFAULT_HOST, port = ''] = /^(?:(.+):)?(\d{1,5})$/.exec(words.address) ?? [];
  if (port === '' || Number(port) > 65535)
    throw new CallerRangeError(`--http expects a port or ADDRESS:PORT, found "${words.address}"`);
  const name = host.replace(/^\[(.*)\]$/, '$1');
  const given =
    words.tokenFile === undefined ? env['KEYLATCH_HTTP_TOKEN'] : readFileSync(words.tokenFile, 'utf8').trim();
  if (given === '') throw new CallerRangeError('the token for --http is empty');
  if (words.hasNoToken && given !== undefined)
    throw new CallerRangeError('--no-token excludes a token in the environment or a file');
  if (words.hasNoToken && !isLoopback(name))
    throw new CallerRangeError(
      `--no-token serves this machine only, not ${name}: anybody could read and change all data`,
    );
  if (words.isQuiet && !words.hasNoToken && given === undefined)
    throw new CallerRangeError('--quiet would hide a drawn token: set KEYLATCH_HTTP_TOKEN, or name a file');
  const token = words.hasNoToken ? false : (given ?? randomBytes(TOKEN_BYTES).toString('base64url'));
  return { host: name, port: Number(port), token, origins: words.origins?.split(/\s+/).filter(Boolean) ?? [] };
}

/** A server of HTTP requests over the engine of a server. */
export class HttpService {
  readonly #http: HttpServer;
  readonly #options: HttpOptions;

  constructor(server: Server, options: HttpOptions) {
    this.#options = options;
    const { token, origins } = options;
    const listener = upstashListener(server.db, { token, origins, durable: () => server.appended() });
    this.#http = createServer(token === false ? guarded(listener) : listener);
  }

  /** Listens. Rejects if the address is not available. */
  listen(): Promise<this> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#http.once('error', reject).listen(port, host, () => {
        this.#http.off('error', reject);
        resolve(this);
      });
    });
  }

  /** The variables that `Redis.fromEnv()` of @upstash/redis reads, as a shell or a file of settings has them. */
  get environment(): string {
    const { address, family, port } = this.#http.address() as AddressInfo;
    const { token } = this.#options;
    const url = `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
    return `UPSTASH_REDIS_REST_URL="${url}"\nUPSTASH_REDIS_REST_TOKEN="${token === false ? 'none' : token}"`;
  }

  /** Stops listening. Responses under way have a moment to end; streams are cut. */
  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#http.close(resolve));
    this.#http.closeIdleConnections();
    const farewell = setTimeout(() => this.#http.closeAllConnections(), FAREWELL_MS);
    await closed;
    clearTimeout(farewell);
  }
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

/** Refuses requests under a foreign name: a page may point a name of its own at this machine, and would be let in. */
function guarded(listener: Listener): Listener {
  return (request, response) => {
    if (OWN_NAMES.test(request.headers.host ?? '')) return listener(request, response);
    const error = 'ERR without a token this server answers requests to localhost only';
    response.writeHead(403, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify({ error }));
  };
}
