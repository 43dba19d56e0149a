/** Words for commands and keys of a log that the engine lacks. */
import { textOf } from '../resp/reply.js';
import { readRequest } from '../resp/request.js';

/** Characters of a key that a message shows. */
const SHOWN_MAX = 100;

/** Describes the command at an offset of a log; undefined if there is none. */
export function describeCommand(log: Uint8Array, offset: number): string | undefined {
  const [name, key] = wordsAt(log, offset);
  if (name === undefined || !/^[A-Za-z][A-Za-z0-9._-]*$/.test(name)) return undefined;
  const command = name.toUpperCase();
  const kind = command.includes('.') ? 'a type of a module' : undefined;
  const ofKey = key === undefined ? '' : ` of the key ${JSON.stringify(key.slice(0, SHOWN_MAX))}`;
  return `the command ${command}${ofKey}${kind === undefined ? '' : ` (${kind})`} is not supported`;
}

/** The first two words of a command. */
function wordsAt(log: Uint8Array, offset: number): string[] {
  const command = readRequest(log, offset, 2);
  return typeof command === 'object' ? command.words.map((word) => textOf(word)) : [];
}
