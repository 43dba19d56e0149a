/** Encodes requests, and the replies that do not come from the engine. */
import { type Argument, bytesOf, commandName } from '../base/argument.js';
import { concat } from './concat.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { Encoder } from '../base/encoders.js';

const encoder = /* @__PURE__ */ new Encoder();
const LINE_END = /* @__PURE__ */ encoder.encode('\r\n');
const STRING = /^\$(\d+)\r\n/;
/** Longest beginning of a string: its type, the digits of its length, and a line end. */
const STRING_HEAD_BYTES_MAX = 16;
/** Format of a verbatim text, and the colon behind it. */
const TEXT_FORMAT = 'txt:';

/** The bytes of commands, in a buffer of their own. Anything but an argument is a TypeError that names its index. */
export function encodeRequests(commands: readonly (readonly Argument[])[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const argv of commands) {
    if (argv.length === 0) throw new CallerTypeError('expected a command name');
    const name = commandName(argv[0]);
    parts.push(encoder.encode(`*${argv.length}\r\n`));
    for (const [index, argument] of argv.entries()) {
      const bytes = bytesOf(argument, index, name);
      parts.push(encoder.encode(`$${bytes.length}\r\n`), bytes, LINE_END);
    }
  }
  return concat(parts);
}

/** An error reply. The message is one line that begins with its code. */
export function encodeError(message: string): Uint8Array {
  return encoder.encode(`-${message}\r\n`);
}

/** A status reply, such as `OK`. */
export function encodeStatus(text: string): Uint8Array {
  return encoder.encode(`+${text}\r\n`);
}

/** A null of RESP2 in place of an array. */
export function encodeNull(): Uint8Array {
  return encoder.encode('*-1\r\n');
}

/** Marks a reply that is one string as a verbatim text of RESP3; returns any other unchanged. */
export function asVerbatim(reply: Uint8Array): Uint8Array {
  const [head, length] = STRING.exec(String.fromCharCode(...reply.subarray(0, STRING_HEAD_BYTES_MAX))) ?? [];
  if (head === undefined) return reply;
  const marked = `=${Number(length) + TEXT_FORMAT.length}\r\n${TEXT_FORMAT}`;
  return concat([encoder.encode(marked), reply.subarray(head.length)]);
}
