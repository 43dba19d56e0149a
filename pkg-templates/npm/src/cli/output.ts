/** Everything that the program prints: texts of data and files cannot control the terminal. */

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
const CONTROL = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** A text without control characters: each is written as the bytes that it has in UTF-8. Line feeds and tabs stay. */
export function printable(text: string): string {
  return text.replace(CONTROL, (character) =>
    Buffer.from(character).reduce((all, byte) => all + hexadecimal(byte), ''),
  );
}

function hexadecimal(byte: number): string {
  return `\\x${byte.toString(16).padStart(2, '0')}`;
}

/** Prints lines to the standard output. */
export function printOut(text: string): void {
  console.log(printable(text));
}

/** Prints a text as it is, without a line feed at its end. */
export function printText(text: string): void {
  process.stdout.write(printable(text));
}

/** Prints lines to the standard error. */
export function printError(text: string): void {
  console.error(printable(text));
}
