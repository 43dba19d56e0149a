/** Whether a text runs Lua, so that the engine with Lua is loaded before it. */

/** A command at the beginning of a line, also in quotes and behind the prompt of a session. */
const RUNS_LUA =
  /^(?:[^\n#>]*>)?[^\S\n]*(["']?)(?:(?:EVAL(?:SHA)?(?:_RO)?|FCALL(?:_RO)?)\1\s|SCRIPT\1\s+(["']?)LOAD\2\s|FUNCTION\1\s+(["']?)(?:LIST|LOAD|RESTORE|STATS)\3(?:\s|$))/im;

/** True if a session, or a line of one, may run a script: it needs the engine of keylatch-scripting. */
export function needsLua(text: string): boolean {
  return RUNS_LUA.test(text);
}
