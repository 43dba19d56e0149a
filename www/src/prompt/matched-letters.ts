/** Letters of a suggestion that were typed. Pure. */

export interface Letters {
  readonly text: string;
  readonly typed: boolean;
}

/** Splits a suggestion into runs of typed and other letters: where the text occurs as a whole, else letter by letter. */
export function matchedLetters(suggestion: string, typed: string): Letters[] {
  const whole = typed === '' ? -1 : suggestion.toUpperCase().indexOf(typed.toUpperCase());
  const marks = whole >= 0 ? range(whole, typed.length) : scattered(suggestion, typed);
  const runs: Letters[] = [];
  for (const [index, text] of [...suggestion].entries()) {
    const isTyped = marks.has(index);
    const last = runs.at(-1);
    if (last?.typed === isTyped) runs[runs.length - 1] = { text: last.text + text, typed: isTyped };
    else runs.push({ text, typed: isTyped });
  }
  return runs;
}

function range(from: number, length: number): Set<number> {
  return new Set(Array.from({ length }, (_, offset) => from + offset));
}

function scattered(suggestion: string, typed: string): Set<number> {
  const marks = new Set<number>();
  const letters = [...typed.toUpperCase()];
  for (const [index, character] of [...suggestion.toUpperCase()].entries())
    if (character === letters[marks.size]) marks.add(index);
  return marks.size === letters.length ? marks : new Set();
}
