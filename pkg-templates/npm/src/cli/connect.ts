/** `keylatch connect`: a prompt of a keylatch elsewhere, its commands from a pipe, or a port for Redis clients. */
import { parseArgs } from 'node:util';
import { CallerRangeError, CallerTypeError } from '../base/caller-errors.js';
import { Bridge } from './connect/bridge.js';
import { RemoteShell } from './connect/remote-shell.js';
import { type ConnectTarget, targetOf } from './connect/target.js';
import { EXIT_FAILED, EXIT_USAGE } from './exit-codes.js';
import { printError, printOut } from './output.js';
import { readRows, readVersion } from './package-files.js';
import { interact, readPipe } from './repl.js';
import type { ShellOptions } from './shell.js';

const USAGE = `keylatch connect URL [OPTIONS]    a command line of a keylatch Worker, over a WebSocket
keylatch connect URL < FILE         runs the commands of a file or a pipe; the first that is lost ends it
keylatch connect URL --port N       a bridge: Redis clients of this machine reach the Worker at a port
  The token is the variable KEYLATCH_TOKEN. The URL never has it.
  --namespace NAME    a namespace; the default one unless given
  --token-file FILE   the token, in place of the variable
  --port N            the port of the bridge on 127.0.0.1 and ::1; 0 selects a free one, or none with --unixsocket
  --unixsocket PATH   a Unix socket of the bridge
  --quiet             the bridge prints errors only
  Whoever reaches a bridge has the token's rights. Each client has a WebSocket of its own, and is disconnected with it.
  In a namespace of several shards a command goes to that of its keys, and the prompt with it; a bridge stays at the first.
  Ctrl-C ends the wait of a blocking command, together with its connection.
  Exits with 0 at the end, 1 if the connection fails, and 2 if an argument is wrong.`;

const OPTIONS = {
  namespace: { type: 'string' },
  'token-file': { type: 'string' },
  port: { type: 'string' },
  unixsocket: { type: 'string' },
  quiet: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

interface Request {
  readonly target: ConnectTarget;
  /** Undefined: a prompt, or lines of a pipe. */
  readonly bridge: Bridge | undefined;
  readonly isQuiet: boolean;
}

/** Runs until its end. Returns the exit code. */
export async function connect(words: readonly string[]): Promise<number> {
  let request: Request | undefined;
  try {
    request = read(words);
    if (request === undefined) printOut(USAGE);
    else if (request.bridge === undefined) return await prompt(request.target);
    else await serveBridge(request.bridge, request);
    return 0;
  } catch (error) {
    const isUsage = request === undefined || error instanceof CallerRangeError || error instanceof CallerTypeError;
    printError(`keylatch connect: ${(error as Error).message}${isUsage ? '; see keylatch connect --help' : ''}`);
    return isUsage ? EXIT_USAGE : EXIT_FAILED;
  }
}

/** Undefined if help is asked for. */
function read(words: readonly string[]): Request | undefined {
  const { values, positionals } = parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  if (values.help) return undefined;
  const [address, ...others] = positionals;
  if (address === undefined || others.length > 0)
    throw new CallerTypeError(`expected one URL, found ${others.length === 0 ? 'none' : `"${others[0]}" as well`}`);
  const target = targetOf({ address, namespace: values.namespace, tokenFile: values['token-file'] }, process.env);
  const { port, unixsocket: unixSocket, quiet: isQuiet = false } = values;
  if (port !== undefined && !/^\d+$/.test(port)) throw new CallerRangeError(`--port expects a number, found "${port}"`);
  if (port === undefined && unixSocket === undefined) return { target, bridge: undefined, isQuiet };
  const failed = (reason: string): void => printError(`keylatch connect: ${reason}`);
  return { target, bridge: new Bridge(target, { port: Number(port ?? 0), unixSocket, failed }), isQuiet };
}

/** Serves Redis clients until a signal. */
async function serveBridge(bridge: Bridge, { target, isQuiet }: Request): Promise<void> {
  await bridge.listen();
  const ended = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => resolve());
  });
  const addresses = bridge.addresses.join(', ');
  if (!isQuiet) printOut(`keylatch ${readVersion()} bridges ${addresses} to ${target.url} (process ${process.pid})`);
  await ended;
  await bridge.close();
}

async function prompt(target: ConnectTarget): Promise<number> {
  const open = async (options: ShellOptions): Promise<RemoteShell> => {
    const shell = new RemoteShell(readRows(), options, target);
    await shell.begin();
    return shell;
  };
  if (!process.stdin.isTTY || !process.stdout.isTTY) return readPipe(open);
  await interact(open);
  return 0;
}
