/**
 * Commands with replies and changes that follow from keys, deadlines, the clock, earlier lines of their client, and the
 * channels to which others subscribe. Rows say which commands depend on more: on chance, on the server, on connections.
 */
import { INDEPENDENT } from './generated/independent.js';
import { Decoder } from '../base/encoders.js';

const decoder = /* @__PURE__ */ new Decoder();

/** Names of commands, and of subcommands as `PARENT|CHILD`; containers are left out. */
const NAMES = /* @__PURE__ */ new Set(/* @__PURE__ */ INDEPENDENT.split(' '));
const SCRIPTS = new Set(['EVAL', 'EVAL_RO']);
/** A call in a script with the name of its command, or a function of `redis` that has no state. */
const CALL = /redis\.(?:p?call\s*\(\s*(['"])(?<name>\w+(?:\.\w+)?)\1|(?:error_reply|status_reply|sha1hex)\b)/gi;

export function isDeterminedByKeys(words: readonly Uint8Array[]): boolean {
  const name = nameOf(words);
  if (name === '') return true;
  if (SCRIPTS.has(name)) return isDeterminedScript(decoder.decode(words[1]));
  return NAMES.has(name) || NAMES.has(`${name}|${nameOf(words.slice(1))}`);
}

/** True for a script that names all commands it calls, and uses nothing else of the server. */
function isDeterminedScript(text: string): boolean {
  const calls = [...text.matchAll(CALL)];
  const isWhole = calls.length === (text.match(/\b(?:redis|server)\b/gi) ?? []).length;
  const names = calls.map(({ groups }) => groups?.['name']?.toUpperCase() ?? '');
  return (
    isWhole && names.every((name) => NAMES.has(name)) && !/\b(?:random|_G|getfenv|loadstring|load|rawget)\b/.test(text)
  );
}

/** The name of a command in upper case; '' without words. */
export function nameOf(words: readonly Uint8Array[]): string {
  return decoder.decode(words[0]).toUpperCase();
}
