/** Forms of the script of locks: a text that EVAL sends, or functions of a library that the server has. */
import { LATCH_SCRIPT, LATCH_SCRIPT_SHA1 } from './generated/latch-script.js';

/** How the script runs: sent with EVAL when the server does not have it, or as functions that FUNCTION LOAD has put there. */
export type ScriptForm = 'eval' | 'function';

/** Another script has another name, so that the libraries of two versions stand side by side. */
const LIBRARY = `keylatch_${LATCH_SCRIPT_SHA1.slice(0, 10)}`;
/** The function of operations that a server short of memory has to run. */
const FREEING = `${LIBRARY}_freeing`;

/** Operations that may grow memory. */
const GROWING = new Set(['acquire', 'once', 'limit', 'arrive', 'run']);

/** The function that runs an operation. */
export function functionOf(operation: string): string {
  return GROWING.has(operation) ? LIBRARY : FREEING;
}

/** The script as a library for FUNCTION LOAD. Functions always replicate their effects. */
export function latchLibrary(): string {
  const body = LATCH_SCRIPT.replace(/^redis\.replicate_commands\(\)\n/, '');
  return `#!lua name=${LIBRARY}
local function latch(KEYS,ARGV)
${body}
end
redis.register_function('${LIBRARY}',latch)
redis.register_function{function_name='${FREEING}',callback=latch,flags={'allow-oom'}}
`;
}
