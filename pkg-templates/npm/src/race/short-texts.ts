/** Texts of values and replies that may be long: their beginnings, with their lengths. Pure. */

/** Bytes above which a reply or a value is not read as text. */
export const LONG_BYTES = 4_096;
/** Characters above which a text is shortened. */
const CHARACTERS_MAX = 400;

/** A text, or its beginning with its length. `mark` is added where something was cut off. */
export function shortened(text: string, mark = ''): string {
  if (text.length <= CHARACTERS_MAX) return text;
  return `${text.slice(0, CHARACTERS_MAX)}… (${text.length.toLocaleString('en')} characters${mark})`;
}
