#!/usr/bin/env node
/** The command `keylatch`: parses its arguments and starts the subcommand. */
import { parseArgs } from 'node:util';
import { check } from './check.js';
import { connect } from './connect.js';
import { dump } from './dump.js';
import { latchScript } from './latch-script.js';
import { LocalShell } from './local-shell.js';
import { create } from './new.js';
import { EXIT_USAGE } from './exit-codes.js';
import { printError, printOut } from './output.js';
import { readRows, readVersion } from './package-files.js';
import { interact, readPipe } from './repl.js';
import { reshard } from './reshard/reshard.js';
import { runFiles } from './run.js';
import { hasLua, runWithLua, SCRIPTING } from './scripting.js';
import { serve } from './serve.js';
import type { ShellOptions } from './shell.js';
import { token } from './token.js';
import { CallerRangeError, CallerTypeError } from '../base/caller-errors.js';

const USAGE = `keylatch                     starts a command line with an engine in this process
keylatch < FILE              runs the commands of a file or a pipe
keylatch run FILE.session..  checks sessions: exits with 0 on match, 1 on mismatch, 2 on unreadable files
keylatch connect URL         the same for a keylatch elsewhere, or a port for Redis clients; --help lists the options
keylatch serve [OPTIONS]     serves Redis clients; --help lists the options
keylatch check PATH [--fix]  checks a folder of data or a file (RDB, AOF); exits with 0 if sound, 1 if damaged
keylatch dump PATH [--json]  prints its contents as commands, or as lines of JSON
keylatch new worker DIR      writes a Cloudflare Worker that answers Redis over HTTPS, into a new folder
keylatch token [OPTIONS]     signs a token for such a Worker; --help lists the options
keylatch reshard URL ...     changes the number of shards of a namespace behind such a Worker; --help says how
keylatch latch.lua           prints the script of keylatch/locks; --help says how servers get it
keylatch --scripting ...      any of these with Lua, by the package keylatch-scripting
keylatch --help | --version`;

const OPTIONS = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
} as const;

function refuse(problem: string): number {
  printError(`keylatch: ${problem}; see keylatch --help`);
  return EXIT_USAGE;
}

/** Runs a command on files; the message of an error names the file. */
async function onData(name: string, work: () => number | Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    const isUsage = error instanceof CallerTypeError || error instanceof CallerRangeError;
    printError(`keylatch ${name}: ${(error as Error).message}${isUsage ? `; see keylatch ${name} --help` : ''}`);
    return EXIT_USAGE;
  }
}

async function main(given: readonly string[]): Promise<number> {
  const words = given.filter((word) => word !== SCRIPTING);
  if (words.length < given.length && !hasLua) return runWithLua(words, refuse);
  const [first, ...others] = words;
  if (first === 'serve') return serve(others);
  if (first === 'connect') return connect(others);
  if (first === 'check') return onData('check', () => check(others));
  if (first === 'dump') return onData('dump', () => dump(others));
  if (first === 'token') return onData('token', () => token(others));
  if (first === 'reshard') return onData('reshard', () => reshard(others));
  if (first === 'latch.lua') return onData('latch.lua', () => latchScript(others));
  if (first === 'new') return onData('new', () => create(others));
  const { values, positionals, tokens } = parseArgs({
    args: [...words],
    options: OPTIONS,
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const unknown = tokens.find((token) => token.kind === 'option' && !Object.hasOwn(OPTIONS, token.name));
  if (unknown !== undefined) return refuse(`unexpected argument "${words[unknown.index]}"`);
  const [command, ...files] = positionals;
  if (values.help) {
    printOut(USAGE);
  } else if (values.version) {
    printOut(`keylatch ${readVersion()}`);
  } else if (command === 'run') {
    return files.length > 0 ? runFiles(files) : refuse('run takes one FILE or more, found none');
  } else if (command !== undefined) {
    return refuse(
      `unexpected argument "${command}", expected run, connect, serve, check, dump, new, token, reshard or latch.lua`,
    );
  } else {
    const rows = readRows();
    const open = (options: ShellOptions): LocalShell => new LocalShell(rows, options);
    if (!process.stdin.isTTY || !process.stdout.isTTY) return readPipe(open);
    await interact(open);
  }
  return 0;
}

// A closed reader (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await main(process.argv.slice(2));
