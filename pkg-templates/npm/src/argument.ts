/**
 * Command arguments: what may be passed, and how they are packed for the engine.
 *
 * Packed form, all numbers 32-bit little endian: count, then the length of each argument, then their bytes.
 */

/** Strings travel as UTF-8, numbers as JavaScript prints them, bytes as they are. */
export type Argument = string | number | bigint | Uint8Array;

/** An argument is refused before it reaches the engine: nothing has run. */
function refuse(argv: readonly unknown[], index: number, reason: string): never {
  const command = typeof argv[0] === 'string' ? ` of ${argv[0].slice(0, 64)}` : '';
  throw new TypeError(index === 0 ? `the command name ${reason}` : `argument ${index}${command} ${reason}`);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value !== 'object') return typeof value;
  return value.constructor?.name ?? 'object';
}

/** Bytes of another realm (test frameworks make some) are bytes as well. */
function isBytes(value: unknown): value is Uint8Array {
  if (value instanceof Uint8Array) return true;
  return ArrayBuffer.isView(value) && (value as Uint8Array)[Symbol.toStringTag] === 'Uint8Array';
}

/** Turns numbers into text and refuses what has no bytes of its own. */
function asTextOrBytes(argv: readonly Argument[], index: number): string | Uint8Array {
  const value: unknown = argv[index];
  if (typeof value === 'string') return value;
  if (isBytes(value)) return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number') {
    if (Number.isNaN(value)) refuse(argv, index, 'is NaN');
    return String(value);
  }
  return refuse(argv, index, `must be a string, a number, a bigint or a Uint8Array, got ${describe(value)}`);
}

const encoder = new TextEncoder();

/** Strings beyond this are encoded on their own, so that the room for them is exact. */
const TEXT_IN_PLACE_MAX = 64 * 1024;

/** The longest argument, as in Redis' default configuration. */
export const ARGUMENT_MAX = 512 * 1024 * 1024;

/** Beyond this many characters the built-in encoder beats a loop. */
const LOOP_MAX = 40;

/** Writes ASCII text in a loop; gives up (-1) at the first other character. */
function writeShortAscii(text: string, into: Uint8Array, at: number): number {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 0x7f) return -1;
    into[at + index] = code;
  }
  return text.length;
}

/** `isWellFormed` is younger than the oldest browsers this package serves. */
const isWellFormed: (text: string) => boolean =
  'isWellFormed' in String.prototype
    ? (text) => (text as string & { isWellFormed(): boolean }).isWellFormed()
    : (text) => !/\p{Surrogate}/u.test(text);

/** The encoder would quietly put U+FFFD in place of half a surrogate pair, and two different keys would be one. */
function checkText(argv: readonly Argument[], index: number, text: string): void {
  if (!isWellFormed(text)) refuse(argv, index, 'holds half a surrogate pair, which has no UTF-8 form (pass bytes instead)');
}

function writeText(argv: readonly Argument[], index: number, text: string, into: Uint8Array, at: number): number {
  if (text.length <= LOOP_MAX) {
    const written = writeShortAscii(text, into, at);
    if (written >= 0) return written;
  }
  checkText(argv, index, text);
  return encoder.encodeInto(text, into.subarray(at)).written;
}

/** The bytes of one argument. */
export function bytesOf(argv: readonly Argument[], index: number): Uint8Array {
  const value = asTextOrBytes(argv, index);
  if (typeof value !== 'string') return value.slice();
  checkText(argv, index, value);
  return encoder.encode(value);
}

function writeLength(into: Uint8Array, at: number, length: number): void {
  into[at] = length;
  into[at + 1] = length >>> 8;
  into[at + 2] = length >>> 16;
  into[at + 3] = length >>> 24;
}

/** Arguments checked and ready to be written: `room` bytes are enough for the packed form. */
export interface Packing {
  readonly values: readonly (string | Uint8Array)[];
  readonly room: number;
}

/** Checks the arguments and measures them: three bytes a character at most, as UTF-8 needs. */
export function measure(argv: readonly Argument[]): Packing {
  if (argv.length === 0) throw new TypeError('a command name is needed');
  const values = new Array<string | Uint8Array>(argv.length);
  let room = 4 + 4 * argv.length;
  for (let index = 0; index < argv.length; index += 1) {
    let value = asTextOrBytes(argv, index);
    if (typeof value === 'string' && value.length > TEXT_IN_PLACE_MAX) {
      checkText(argv, index, value);
      value = encoder.encode(value);
    }
    if (value.length > ARGUMENT_MAX) refuse(argv, index, 'is longer than 512 MB');
    values[index] = value;
    room += typeof value === 'string' ? 3 * value.length : value.length;
  }
  return { values, room };
}

/** Writes the packed form at `at` and returns its length. `into` must have `packing.room` bytes from there. */
export function writePacked(argv: readonly Argument[], packing: Packing, into: Uint8Array, at: number): number {
  const { values } = packing;
  writeLength(into, at, values.length);
  let end = at + 4 + 4 * values.length;
  for (let index = 0; index < values.length; index += 1) {
    // The loop bound is the array's own length.
    const value = values[index] as string | Uint8Array;
    let length: number;
    if (typeof value === 'string') {
      length = writeText(argv, index, value, into, end);
    } else {
      into.set(value, end);
      length = value.length;
    }
    writeLength(into, at + 4 + 4 * index, length);
    end += length;
  }
  return end - at;
}

/** The command name in capitals, for messages and errors. */
export function commandName(argv: readonly Argument[]): string {
  const name = argv[0] ?? '';
  if (isBytes(name)) return new TextDecoder().decode(name).toUpperCase();
  return String(name).toUpperCase();
}
