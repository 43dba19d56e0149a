/**
 * ASCII in the memory of an instance as JavaScript text. The fastest way by runtime and length was found by
 * measurement.
 */
import { textOf } from './reply.js';

/** Part of Node's Buffer that is used, where it exists. */
interface TextBuffer {
  /** Function behind `toString('latin1')`, without its choice of encoding. Node does not document it. */
  latin1Slice(start: number, end: number): string;
}
type BufferMaker = { from(buffer: ArrayBuffer): TextBuffer; readonly prototype: Partial<TextBuffer> };

interface Globals {
  readonly process?: { readonly versions?: { readonly node?: string } };
  readonly Buffer?: BufferMaker;
}

/** Node's Buffer. Edge runtimes emulated by Next have a `process`, and throw when it is looked at. */
function nodeBuffer(): BufferMaker | undefined {
  try {
    const { process, Buffer } = globalThis as unknown as Globals;
    return process?.versions?.node && typeof Buffer?.prototype.latin1Slice === 'function' ? Buffer : undefined;
  } catch {
    return undefined;
  }
}

const NodeBuffer = /* @__PURE__ */ nodeBuffer();
export const hasBuffer = NodeBuffer !== undefined;

/** Length in bytes up to which character codes are faster than the decoder, without Node's Buffer. */
const CODES_MAX = 64;

const enum Short {
  Max = 32,
}

export class AsciiText {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #buffer: TextBuffer | undefined;

  /** `bytes`: all of the memory. */
  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#buffer = NodeBuffer?.from(bytes.buffer);
  }

  /** Text of the ASCII bytes from `start` to `end`. */
  read(start: number, end: number): string {
    if (end - start <= Short.Max) return shortText(this.#bytes, start, end - start);
    if (this.#buffer !== undefined) return this.#buffer.latin1Slice(start, end);
    return end - start <= CODES_MAX ? ofCodes(this.#bytes, start, end) : textOf(this.#bytes, start, end);
  }
}

/**
 * ASCII of at most 32 bytes. One call with possibly too many arguments is faster than several with the exact number.
 */
function shortText(b: Uint8Array, i: number, length: number): string {
  if (length > 16) {
    // biome-ignore format: eight bytes a line.
    const text = String.fromCharCode(
      b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!, b[i + 7]!,
      b[i + 8]!, b[i + 9]!, b[i + 10]!, b[i + 11]!, b[i + 12]!, b[i + 13]!, b[i + 14]!, b[i + 15]!,
      b[i + 16]!, b[i + 17]!, b[i + 18]!, b[i + 19]!, b[i + 20]!, b[i + 21]!, b[i + 22]!, b[i + 23]!,
      b[i + 24]!, b[i + 25]!, b[i + 26]!, b[i + 27]!, b[i + 28]!, b[i + 29]!, b[i + 30]!, b[i + 31]!,
    );
    return length === Short.Max ? text : text.substring(0, length);
  }
  // biome-ignore format: eight bytes a line.
  const text = String.fromCharCode(
    b[i]!, b[i + 1]!, b[i + 2]!, b[i + 3]!, b[i + 4]!, b[i + 5]!, b[i + 6]!, b[i + 7]!,
    b[i + 8]!, b[i + 9]!, b[i + 10]!, b[i + 11]!, b[i + 12]!, b[i + 13]!, b[i + 14]!, b[i + 15]!,
  );
  return text.substring(0, length);
}

/** ASCII in pieces of sixteen bytes: a call costs more than many arguments do. */
function ofCodes(b: Uint8Array, start: number, end: number): string {
  let text = '';
  for (let i = start; i < end; i += 16) text += shortText(b, i, Math.min(16, end - i));
  return text;
}
