/** Class with the interface of redis-memory-server, so that an import is all that changes. */
import { startServer, type StartedServer, type StartOptions } from './start-server.js';

/** Options of redis-memory-server; what concerns a downloaded redis-server has no effect. */
export interface RedisMemoryServerOptions {
  /** Address and arguments of the server. */
  readonly instance?: {
    readonly port?: number | undefined;
    readonly ip?: string | undefined;
    /** Arguments of redis-server: `['--requirepass', 'secret']`. */
    readonly args?: readonly string[] | undefined;
  };
  /** Accepted for redis-memory-server, without effect. */
  readonly binary?: unknown;
  /** Accepted for redis-memory-server, without effect. */
  readonly spawn?: unknown;
  /** False: the server starts with `start` or `getPort`. */
  readonly autoStart?: boolean | undefined;
}

/** A running server, as redis-memory-server describes it. */
export interface RedisInstanceInfo {
  /** Address of the server. */
  readonly ip: string;
  /** Port of the server. */
  readonly port: number;
  /** The server itself. */
  readonly server: StartedServer;
}

/** A server with the methods of redis-memory-server. */
export class RedisMemoryServer {
  /** Options of the server. */
  readonly opts: RedisMemoryServerOptions;
  #running: Promise<StartedServer> | undefined;
  #info: RedisInstanceInfo | false = false;

  /** Starts at once, unless `autoStart` is false. */
  constructor(options: RedisMemoryServerOptions = {}) {
    this.opts = options;
    // A failure is reported by the first method that is awaited.
    if (options.autoStart !== false) this.ensureInstance().catch(() => {});
  }

  /** Makes a server and starts it. */
  static async create(options?: RedisMemoryServerOptions): Promise<RedisMemoryServer> {
    const server = new RedisMemoryServer({ ...options, autoStart: false });
    await server.start();
    return server;
  }

  /** Starts the server; true when it listens. */
  async start(): Promise<boolean> {
    await this.ensureInstance();
    return true;
  }

  /** Stops the server; true when it has stopped. */
  async stop(): Promise<boolean> {
    const running = this.#running;
    this.#running = undefined;
    this.#info = false;
    await (await running)?.stop();
    return true;
  }

  /** Address of the server, which is started if it is not running. */
  async ensureInstance(): Promise<RedisInstanceInfo> {
    const server = await this.#started();
    return (this.#info = { ip: server.host, port: server.port, server });
  }

  /** Address of the server; false unless it is running. */
  getInstanceInfo(): RedisInstanceInfo | false {
    return this.#info;
  }

  /** Host of the started server. */
  async getHost(): Promise<string> {
    return (await this.ensureInstance()).ip;
  }

  /** Address of the started server. */
  getIp(): Promise<string> {
    return this.getHost();
  }

  /** Port of the started server. */
  async getPort(): Promise<number> {
    return (await this.ensureInstance()).port;
  }

  #started(): Promise<StartedServer> {
    return (this.#running ??= startServer(startOptions(this.opts)));
  }
}

function startOptions({ instance = {} }: RedisMemoryServerOptions): StartOptions {
  const { ip, port, args = [] } = instance;
  return { host: ip, ...(port === undefined ? {} : { port }), config: parametersOf(args) };
}

/** Parameters of a redis-server's command line: each `--name` with the words behind it. */
function parametersOf(args: readonly string[]): Record<string, string> {
  const words = new Map<string, string[]>();
  let values: string[] = [];
  for (const word of args) {
    if (word.startsWith('--')) words.set(word.slice(2).toLowerCase(), (values = []));
    else values.push(word);
  }
  return Object.fromEntries([...words].map(([name, value]) => [name, value.join(' ')]));
}
