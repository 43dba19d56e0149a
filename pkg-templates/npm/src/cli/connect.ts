/** `keylatch connect`: a prompt of a keylatch elsewhere, its commands from a pipe, or a port for Redis clients. */
import { parseArgs } from 'node:util';
import { CallerRangeError, CallerTypeError } from '../base/caller-errors.js';
import { RemoteShell } from './connect/remote-shell.js';
import { type ConnectTarget, targetOf } from './connect/target.js';
import { printError, printOut } from './output.js';
import { readRows } from './package-files.js';
import { interact, readPipe } from './repl.js';
import type { ShellOptions } from './shell.js';

const USAGE = `keylatch connect URL [OPTIONS]    a command line of a keylatch Worker, over a WebSocket
keylatch connect URL < FILE         runs the commands of a file or a pipe; the first that is lost ends it
  The token is the variable KEYLATCH_TOKEN. The URL never has it.
  --namespace NAME    a namespace; the default one unless given
  --token-file FILE   the token, in place of the variable
  Ctrl-C ends the wait of a blocking command, together with its connection.
  Exits with 0 at the end, 1 if the connection fails, and 2 if an argument is wrong.`;

const OPTIONS = {
  namespace: { type: 'string' },
  'token-file': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

const EXIT_FAILED = 1;
const EXIT_USAGE = 2;

interface Request {
  readonly target: ConnectTarget;
}

/** Runs until its end. Returns the exit code. */
export async function connect(words: readonly string[]): Promise<number> {
  let request: Request | undefined;
  try {
    request = read(words);
    if (request !== undefined) return await prompt(request.target);
    printOut(USAGE);
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
  return { target };
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
