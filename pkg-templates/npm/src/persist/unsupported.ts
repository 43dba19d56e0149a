/** Words for commands and keys of a log that the engine lacks. */
import { textOf } from '../resp/reply.js';
import { readRequest } from '../resp/request.js';

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
  const command = readRequest(log, offset, 3);
  return typeof command === 'object' ? command.words.map((word) => textOf(word)) : [];
}
