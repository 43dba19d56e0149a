/** `keylatch latch.lua`: prints the script of keylatch/locks. */
import { parseArgs } from 'node:util';
import { LATCH_SCRIPT } from '../locks/generated/latch-script.js';
import { latchLibrary } from '../locks/script-forms.js';
import { printOut, printText } from './output.js';

export const LATCH_SCRIPT_USAGE = `keylatch latch.lua               prints the script of keylatch/locks, for SCRIPT LOAD
keylatch latch.lua --function    prints it as a library for FUNCTION LOAD, for the option scripts: 'function' of locks:
                                 keylatch latch.lua --function | redis-cli -x FUNCTION LOAD REPLACE`;

const OPTIONS = { function: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const;

/** Prints the script. Returns the exit code. */
export function latchScript(words: readonly string[]): number {
  const { values } = parseArgs({ args: [...words], options: OPTIONS });
  if (values.help) printOut(LATCH_SCRIPT_USAGE);
  // A server knows a script by the hash of its bytes.
  else printText(values.function ? latchLibrary() : LATCH_SCRIPT);
  return 0;
}
