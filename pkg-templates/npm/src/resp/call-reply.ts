/** Reads the reply of one call, which lies in the memory of an instance. Every call of a program comes here. */
import type { AsciiText } from './ascii-text.js';
import { ReplyReader, textOf, type Reply } from './reply.js';

const enum Byte {
  CarriageReturn = 13,
  Bulk = 36,
  Status = 43,
  Integer = 58,
  Null = 95,
  Array = 42,
  Zero = 48,
  Minus = 45,
}
/** Largest number of digits with which every integer is exact. */
const SAFE_DIGITS = 15;
/** A slice of a longer text keeps all of that text in memory, so its pieces are copied instead. */
const CUT_MAX = 64 * 1024;

/** The call, for errors. */
interface Called {
  /** Name of the command in upper case. */
  readonly command: string;
}

/**
 * Reads the reply of `length` bytes at `at`, bulk strings as bytes on request. `ascii` is undefined if the reply may hold
 * other characters. Common replies are read here, all others by the reader.
 */
export function readCallReply(
  bytes: Uint8Array,
  at: number,
  length: number,
  asBytes: boolean,
  ascii: AsciiText | undefined,
  called: Called,
): Reply<string | Uint8Array> {
  switch (bytes[at]) {
    case Byte.Bulk: {
      let start = at + 1;
      let size = 0;
      for (let code = bytes[start] as number; code !== Byte.CarriageReturn; code = bytes[++start] as number)
        size = size * 10 + code - Byte.Zero;
      start += 2;
      if (asBytes || bytes[at + 1] === Byte.Minus || start + size + 2 !== at + length) break;
      return ascii !== undefined ? ascii.read(start, start + size) : textOf(bytes, start, start + size);
    }
    case Byte.Integer: {
      if (length > SAFE_DIGITS + 3 || bytes[at + 1] === Byte.Minus) break;
      let value = 0;
      for (let next = at + 1; next < at + length - 2; next += 1)
        value = value * 10 + (bytes[next] as number) - Byte.Zero;
      return value;
    }
    case Byte.Status:
      if (length === 5 && bytes[at + 1] === 79 && bytes[at + 2] === 75) return 'OK';
      break;
    case Byte.Null:
      return null;
    case Byte.Array:
      if (ascii === undefined || asBytes || length > CUT_MAX) break;
      return new ReplyReader(bytes, at, at + length, false, called.command, ascii.read(at, at + length)).readAll();
  }
  return new ReplyReader(bytes, at, at + length, asBytes, called.command).readAll();
}
