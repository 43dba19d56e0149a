/**
 * Splits an unfinished line into words. For hints, completion and finding the end of a command only; the engine parses
 * finished lines (`splitLine`). Pure.
 */

/** Words of an unfinished line. */
export interface TypedWords {
  /** Finished words: a blank stands behind each of them. */
  readonly done: readonly string[];
  /** The word under the cursor, "" right behind a blank. */
  readonly partial: string;
  /** Where the partial word starts in the line, its opening quote included. */
  readonly partialStart: number;
  /** The quote that is still open at the end, if any. */
  readonly openQuote: '"' | "'" | undefined;
}

type Quote = '"' | "'" | undefined;

/** A word with its place in the line. */
export interface WordSpan {
  /** The word without its quotes. */
  readonly text: string;
  /** Where it starts, its opening quote included. */
  readonly start: number;
  /** Where it ends, its closing quote included. */
  readonly end: number;
}

/** Splits an unfinished line; an open quote is no error. */
export function typedWords(line: string): TypedWords {
  const { words, openQuote } = wordSpans(line);
  const last = words.at(-1);
  const isOpen = last !== undefined && last.end === line.length;
  return {
    done: (isOpen ? words.slice(0, -1) : words).map(({ text }) => text),
    partial: isOpen ? last.text : '',
    partialStart: isOpen ? last.start : line.length,
    openQuote,
  };
}

/** The words of an unfinished line with their places, and the quote that is still open at its end. */
export function wordSpans(line: string): { readonly words: readonly WordSpan[]; readonly openQuote: Quote } {
  const words: WordSpan[] = [];
  let text = '';
  let start: number | undefined;
  let quote: Quote;
  for (let at = 0; at < line.length; at += 1) {
    const character = line[at] as string;
    if (quote) {
      const step = insideQuote(line, at, quote);
      at = step.at;
      text += step.text;
      if (step.closed) quote = undefined;
      continue;
    }
    if (isBlank(character)) {
      if (start !== undefined) words.push({ text, start, end: at });
      text = '';
      start = undefined;
      continue;
    }
    start ??= at;
    if (character === '"' || character === "'") quote = character;
    else text += character;
  }
  if (start !== undefined) words.push({ text, start, end: line.length });
  return { words, openQuote: quote };
}

/** One step inside quotes: an escape is kept as a pair, which the engine decodes. */
function insideQuote(line: string, at: number, quote: Quote): { at: number; text: string; closed: boolean } {
  const character = line[at] as string;
  const escapes = character === '\\' && (quote === '"' || line[at + 1] === "'");
  if (escapes && at + 1 < line.length) return { at: at + 1, text: line[at + 1] as string, closed: false };
  if (character === quote) return { at, text: '', closed: true };
  return { at, text: character, closed: false };
}

function isBlank(character: string): boolean {
  return /\s/.test(character);
}

/** A command among the lines of a text: a newline inside quotes does not end it. */
export interface CommandText {
  /** The command as it was typed. */
  readonly text: string;
  /** Offset of its first character in the whole text. */
  readonly start: number;
}

/** Cuts a typed text into commands at the newlines that stand outside quotes. Blank ones are left out. */
export function splitCommands(text: string): CommandText[] {
  const commands: CommandText[] = [];
  let start = 0;
  for (const newline of commandEnds(text)) {
    commands.push({ text: text.slice(start, newline), start });
    start = newline + 1;
  }
  commands.push({ text: text.slice(start), start });
  return commands.filter((command) => command.text.trim() !== '');
}

/** Where the command that is being typed starts: behind the last newline that stands outside quotes. */
export function lastCommandStart(text: string): number {
  return (commandEnds(text).at(-1) ?? -1) + 1;
}

/** Indices of the newlines that stand outside quotes. */
function commandEnds(text: string): number[] {
  const ends: number[] = [];
  let quote: Quote;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at] as string;
    if (quote) {
      const step = insideQuote(text, at, quote);
      at = step.at;
      if (step.closed) quote = undefined;
    } else if (character === '\n') ends.push(at);
    else if (character === '"' || character === "'") quote = character;
  }
  return ends;
}
