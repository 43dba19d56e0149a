#!/usr/bin/env node
/** The command `keylatch`: reads its arguments and starts what they ask for. */
import { readRows, readVersion } from './package-files.js';
import { interact, readPipe } from './repl.js';
import { runFiles } from './run.js';
import { serve } from './serve.js';

const USAGE = `keylatch                     starts a command line with an engine in this process
keylatch < FILE              runs the commands of a file or a pipe
keylatch run FILE.session..  checks sessions: exits with 0 on match, 1 on mismatch, 2 on unreadable files
keylatch serve [OPTIONS]     serves Redis clients; --help lists the options
keylatch --help | --version`;

async function main(words: readonly string[]): Promise<number> {
  const [first, ...rest] = words;
  switch (first) {
    case undefined: {
      const rows = readRows();
      if (!process.stdin.isTTY || !process.stdout.isTTY) return readPipe(rows);
      await interact(rows);
      return 0;
    }
    case 'run':
      if (rest.length > 0) return runFiles(rest);
      break;
    case 'serve':
      return serve(rest);
    case '--help':
    case '-h':
      console.log(USAGE);
      return 0;
    case '--version':
    case '-v':
      console.log(`keylatch ${readVersion()}`);
      return 0;
  }
  console.error(first === 'run' ? 'keylatch run: missing FILE' : `keylatch: unknown command or option "${first}"`);
  console.error(USAGE);
  return 2;
}

// A reader that went away (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
process.exitCode = await main(process.argv.slice(2));
