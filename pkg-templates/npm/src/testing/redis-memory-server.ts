/** Class with the interface of redis-memory-server, so that an import is all that changes. */
import { startServer, type StartedServer, type StartOptions } from './start-server.js';

/** Options of redis-memory-server; what concerns a downloaded redis-server has no effect. */
export interface RedisMemoryServerOptions {
  readonly instance?: {
    readonly port?: number | undefined;
    readonly ip?: string | undefined;
    /** Arguments of redis-server: `['--requirepass', 'secret']`. */
    readonly args?: readonly string[] | undefined;
  };
  readonly binary?: unknown;
  readonly spawn?: unknown;
  readonly autoStart?: boolean | undefined;
}

export interface RedisInstanceInfo {
  readonly ip: string;
  readonly port: number;
  readonly server: StartedServer;
}

export class RedisMemoryServer {
  readonly opts: RedisMemoryServerOptions;
  #running: Promise<StartedServer> | undefined;
  #info: RedisInstanceInfo | false = false;

  /** Starts at once, unless `autoStart` is false. */
  constructor(options: RedisMemoryServerOptions = {}) {
    this.opts = options;
    // A failure is reported by the first method that is awaited.
    if (options.autoStart !== false) this.ensureInstance().catch(() => {});
  }

  static async create(options?: RedisMemoryServerOptions): Promise<RedisMemoryServer> {
    const server = new RedisMemoryServer({ ...options, autoStart: false });
    await server.start();
    return server;
  }

  async start(): Promise<boolean> {
    await this.ensureInstance();
    return true;
  }

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

  async getHost(): Promise<string> {
    return (await this.ensureInstance()).ip;
  }

  getIp(): Promise<string> {
    return this.getHost();
  }

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
