/**
 * Limits the work of a text's scripts where it runs on the thread of a page: together they have a fifth of what one script
 * has elsewhere. The limit follows from the text alone, so replies are the same at every run.
 */
interface Configurable {
  configSet(parameter: string, value: string): unknown;
}

/** Lines and columns count from 1. */
interface Problem {
  readonly line: number;
  readonly column: number;
  readonly message: string;
}

const PARAMETER = 'lua-instruction-limit';
/** Instructions of all scripts of a text; a second of work. */
const INSTRUCTIONS = 20_000_000;
/** The least value of the parameter. */
const LEAST = 1000;
/** Lines that run a script. A quoted name counts, because escapes can spell any command. */
const SCRIPTS = /^[^\n#>]*>\s*(?:["']|EVAL|FCALL)/gim;
const CONFIG_SET = /\bCONFIG\W+SET\W/i;

/** Sets the limit in an engine that is to run the text. Returns a problem instead if the text sets it itself. */
export function limitScripts(db: Configurable, text: string): Problem | undefined {
  const scripts = text.match(SCRIPTS)?.length ?? 0;
  if (scripts === 0) return undefined;
  const line = text.split('\n').findIndex((one) => setsLimit(unescaped(one))) + 1;
  if (line > 0) return { line, column: 1, message: `${PARAMETER} is fixed in a page; keylatch run runs this session` };
  db.configSet(PARAMETER, String(Math.max(Math.floor(INSTRUCTIONS / scripts), LEAST)));
  return undefined;
}

/** Whether a line has the parameter behind CONFIG SET, behind a prompt: each part is searched once. */
function setsLimit(line: string): boolean {
  const prompt = line.indexOf('>');
  const comment = line.indexOf('#');
  if (prompt === -1 || (comment !== -1 && comment < prompt)) return false;
  const command = line.slice(prompt);
  const set = command.search(CONFIG_SET);
  return set !== -1 && command.toLowerCase().lastIndexOf(PARAMETER) > set;
}

/** A line as it reads without escapes, for a search only. */
function unescaped(line: string): string {
  return line
    .replace(/\\x([0-9a-f]{2})/gi, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\\/g, '');
}
