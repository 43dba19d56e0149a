/** Commands as RESP. */
import { Keylatch } from '../db/built-in.js';
import type { Argument } from '../base/argument.js';

const { bytesOf, commandName } = Keylatch.parts;
const encoder = new TextEncoder();

/** The bytes of commands, in a buffer of their own. What is no argument is a TypeError that names its index. */
export function requestBytes(commands: readonly (readonly Argument[])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const argv of commands) {
    if (argv.length === 0) throw new TypeError('expected a command name');
    parts.push(encoder.encode(`*${argv.length}\r\n`));
    for (const [index, argument] of argv.entries()) {
      const bytes = bytesOf(argument, index, commandName(argv[0]));
      parts.push(encoder.encode(`$${bytes.length}\r\n`), bytes, LINE_END);
    }
  }
  return joined(parts);
}

const LINE_END = encoder.encode('\r\n');

/** All the bytes in a buffer of their own: a view of a larger one would be cloned with all of it. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}
