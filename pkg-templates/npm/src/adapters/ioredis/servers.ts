/** Servers within the process, one for each host and port, as clients name them in their options. */
import type { StreamUser } from '../../host/streams.js';
import type { ClientStream } from '../../server/stream-source.js';
import { registry } from '../../testing/registry.js';
import { TestServer } from '../../testing/test-server.js';

/** Options of a client that say which server is meant. */
export interface AddressOptions {
  /** Host of the server; `localhost` unless given. */
  readonly host?: string | null | undefined;
  /** Port of the server; 6379 unless given. */
  readonly port?: number | null | undefined;
  /** Path of a Unix socket. */
  readonly path?: string | null | undefined;
  /** Addresses of Sentinels; a group is one server. */
  readonly sentinels?: readonly unknown[] | null | undefined;
  /** Name of a group of Sentinels. */
  readonly name?: string | null | undefined;
}

const DEFAULT_HOST = 'localhost';
const DEFAULT_PORT = 6379;
/** Names of this machine, which are one host. */
const LOCAL = new Set(['localhost', '127.0.0.1', '::1', '0.0.0.0', '']);
const CLIENT_ADDRESS = 'memory:0';

/** A server of this process, behind clients of `keylatch/ioredis`. */
export class InProcessServer extends TestServer {
  /** Host that clients name. */
  readonly host: string;
  /** Port that clients name. */
  readonly port: number;

  /** @internal Use `serverAt`. */
  constructor(host: string, port: number) {
    super();
    this.host = host;
    this.port = port;
  }

  /** @internal Options of production have a password; a server that asks for none accepts any. */
  override get acceptsAnyPassword(): boolean {
    return this.engine.streams.parameter('requirepass') === '';
  }

  /** @internal */
  connect(user: StreamUser): ClientStream {
    return this.open(user, CLIENT_ADDRESS, CLIENT_ADDRESS);
  }
}

/** The server of a client's options: by Sentinel group, by the path of a socket, or by host and port. */
export function serverOf(options: AddressOptions): InProcessServer {
  const { sentinels, name, path } = options;
  if (sentinels !== undefined && sentinels !== null) return serverNamed(`sentinel ${name ?? ''}`, DEFAULT_PORT);
  if (path !== undefined && path !== null && path !== '') return serverNamed(path, 0);
  const host = (options.host ?? DEFAULT_HOST).toLowerCase();
  return serverNamed(LOCAL.has(host) ? DEFAULT_HOST : host, Number(options.port ?? DEFAULT_PORT));
}

function serverNamed(host: string, port: number): InProcessServer {
  const key = `${host}:${port}`;
  const known = registry.inProcess.get(key) as InProcessServer | undefined;
  if (known !== undefined) return known;
  const server = new InProcessServer(host, port);
  registry.inProcess.set(key, server);
  return server;
}
