/** Words for commands and keys of a log that the engine lacks. */

const DIGITS = /^[*$](\d{1,10})\r\n/;
/** Characters of a key that a message shows. */
const SHOWN_MAX = 100;

/** Describes the command at an offset of a log; undefined if there is none. */
export function describeCommand(log: Uint8Array, offset: number): string | undefined {
  const [name, first, second] = wordsAt(log, offset);
  if (name === undefined || !/^[A-Za-z][A-Za-z0-9._-]*$/.test(name)) return undefined;
  const command = name.toUpperCase();
  const key = command === 'XGROUP' ? second : first;
  const kind = command.startsWith('X') ? 'a stream' : command.includes('.') ? 'a type of a module' : undefined;
  const ofKey = key === undefined ? '' : ` of the key ${JSON.stringify(key.slice(0, SHOWN_MAX))}`;
  return `the command ${command}${ofKey}${kind === undefined ? '' : ` (${kind})`} is not supported`;
}

/** The first three words of a command. */
function wordsAt(log: Uint8Array, offset: number): string[] {
  const words: string[] = [];
  let at = offset;
  const number = (): number => {
    const head = String.fromCharCode(...log.subarray(at, at + 13));
    const [line, digits] = DIGITS.exec(head) ?? [];
    at += line?.length ?? 0;
    return Number(digits ?? 0);
  };
  const count = Math.min(number(), 3);
  while (words.length < count) {
    const length = number();
    words.push(new TextDecoder().decode(log.subarray(at, at + length)));
    at += length + 2;
  }
  return words;
}
