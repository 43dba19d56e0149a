/** Commands over several lines: a script in quotes that the lines typed so far leave open. */
import { typedWords } from './words.js';

/** Commands with a text in Lua as an argument. Others are one line, as in redis-cli. */
const TAKES_SCRIPT = /^\s*(?:EVAL(?:_RO)?|SCRIPT\s+LOAD|FUNCTION\s+LOAD(?:\s+REPLACE)?)\s/i;

/** Whether a command ends inside a quote and takes a script, so that its next line belongs to it. */
export function isUnfinished(text: string): boolean {
  return TAKES_SCRIPT.test(text) && typedWords(text).openQuote !== undefined;
}
