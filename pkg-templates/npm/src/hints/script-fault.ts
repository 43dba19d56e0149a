/** The place in a script that an error reply names. Pure. */

/** A place in a script. */
export interface ScriptFault {
  /** Number of the line, from 1. */
  readonly line: number;
  /** Where the word that the error quotes begins, from 1; undefined if the line has it several times, or not at all. */
  readonly column: number | undefined;
  /** The line itself. */
  readonly text: string;
}

/** Position of the script's text among the words of a command. */
const TEXT_AT: Readonly<Record<string, number>> = { EVAL: 1, EVAL_RO: 1, 'SCRIPT LOAD': 2, 'FUNCTION LOAD': -1 };
/** The place where Lua found the error, and its message; behind it, an error at run time names the script. */
const PLACED = /\buser_(?:script|function):(\d+): (.*?)(?: script: \w+, on @user_\w+:\d+\.)?$/s;
/** The place of a call of which the command has failed. */
const CALLED = /, on @user_(?:script|function):(\d+)\.$/;

/** The place of an error in the script that a command has brought; undefined for other errors and other commands. */
export function findScriptFault(words: readonly string[], error: string): ScriptFault | undefined {
  const [, number, message = ''] = PLACED.exec(error) ?? CALLED.exec(error) ?? [];
  const script = textOf(words);
  if (number === undefined || script === undefined) return undefined;
  const line = Number(number);
  const text = script.split('\n')[line - 1];
  return text === undefined ? undefined : { line, column: columnOf(text, message), text };
}

/** The line with its number, and a mark below the word: for a terminal, or a page in a font of equal widths. */
export function printScriptFault({ line, column, text }: ScriptFault): string {
  const number = `  ${line} | `;
  if (column === undefined) return number + text;
  // A tab stays one, so that the mark stands below its word.
  const before = text.slice(0, column - 1).replace(/[^\t]/g, ' ');
  return `${number}${text}\n${' '.repeat(number.length - 2)}| ${before}^ column ${column}`;
}

function textOf(words: readonly string[]): string | undefined {
  const [first = '', second = ''] = words.map((word) => word.toUpperCase());
  const at = TEXT_AT[first] ?? TEXT_AT[`${first} ${second}`];
  return at === undefined ? undefined : words.at(at);
}

function columnOf(text: string, message: string): number | undefined {
  if (message.endsWith("near '<eof>'")) return text.length + 1;
  // Of several quoted words, such as an expected one, the last is the one that is there.
  const word = [...message.matchAll(/'([^']+)'/g)].at(-1)?.[1];
  if (word === undefined) return undefined;
  const places = placesOf(text, word);
  return places.length === 1 ? (places[0] as number) + 1 : undefined;
}

/** Where a word stands in a text; a name only as a whole. At most two places: more say no more. */
function placesOf(text: string, word: string): number[] {
  const isPartOfName = (character: string): boolean => /^\w$/.test(character);
  const isName = /^\w+$/.test(word);
  const places: number[] = [];
  for (let at = text.indexOf(word); at !== -1 && places.length < 2; at = text.indexOf(word, at + word.length)) {
    const isInside = isPartOfName(text.charAt(at - 1)) || isPartOfName(text.charAt(at + word.length));
    if (!(isName && isInside)) places.push(at);
  }
  return places;
}
