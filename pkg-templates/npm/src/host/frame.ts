/**
 * The frame of one instance, from which the engine reads the arguments of a command and in which it leaves the reply
 * (src/wasm/frame.rs). Writes texts, numbers and bytes. The fastest ways for texts were found by
 * measurement, by runtime and length.
 */
import { AsciiText, hasBuffer } from '../resp/ascii-text.js';
import { ARGUMENT_MAX, bytesOf, commandName, type Argument, argumentText } from '../base/argument.js';
import { ReplyError } from '../base/errors.js';
import { NAMES } from './generated/convention.js';
import { type GlueEngine, StackNeed, type StackProbe } from './glue.js';
import { readCallReply } from '../resp/call-reply.js';
import type { Reply } from '../resp/reply.js';
import { Encoder } from '../base/encoders.js';

/** Each of the first arguments, the name included, has a fixed span with a view made in advance. */
const enum Slot {
  Count = 8,
  Bytes = 2048,
}

/** Row number of a command that is called by its name. */
export const NO_ROW = 0xffff;
/** Part of a generated row that is its number. */
export const ROW_MASK = 0xffff;

/** A larger frame is shrunk again after the call. */
const ROOM_KEPT_MAX = 1024 * 1024;
/** Longer strings are encoded separately, so that their space is exact. */
const TEXT_IN_PLACE_MAX = 64 * 1024;

/** Length in characters up to which a loop is faster than the encoder. A call of the encoder costs less in Node. */
const LOOP_MAX = hasBuffer ? 16 : 100;

const NOTHING = /* @__PURE__ */ new Uint8Array(0);
/** Returned in place of a reply: the client is blocked. */
export const BLOCKED = Symbol('blocked');

const encoder = /* @__PURE__ */ new Encoder();

export class Frame {
  readonly #memory: { readonly buffer: ArrayBuffer };
  readonly #engine: GlueEngine;
  readonly #probe: StackProbe;
  #bytes = new Uint8Array(0);
  #words = new Uint32Array(0);
  #slots: Uint8Array[] = [];
  #text = new AsciiText(this.#bytes);
  /** Word offsets: the header, and the first span. */
  #header = 0;
  #spans = 0;
  #spanCount = 0;
  /** Byte offsets: the base of spans, and start and end of the argument space. */
  #base = 0;
  #room = 0;
  #end = 0;
  /** Where the next large argument of the current command goes, once there is one. */
  #tail = 0;
  /** The current command: its row, and its name if it has no row. */
  #row = 0;
  #name: Argument = '';

  constructor(memory: { readonly buffer: ArrayBuffer }, engine: GlueEngine, probe: StackProbe) {
    this.#memory = memory;
    this.#engine = engine;
    this.#probe = probe;
    this.#find();
  }

  /** Begins the arguments of a row's command. When memory has grown, the old views are detached and made anew. */
  begin(row: number): void {
    if (this.#bytes.length === 0) this.#look();
    this.#row = row;
    // A refused command may have left large arguments.
    this.#tail = 0;
  }

  /** Writes one of the first arguments. */
  put(index: number, value: Argument): void {
    const text = argumentText(value);
    if (text === undefined) return this.#putBytes(index, bytesOf(value, index, this.command));
    const length = text.length;
    const at = this.#room + index * Slot.Bytes;
    if (length <= LOOP_MAX) {
      const bytes = this.#bytes;
      let seen = 0;
      for (let next = 0; next < length; next += 1) {
        const code = text.charCodeAt(next);
        seen |= code;
        bytes[at + next] = code;
      }
      if (seen < 0x80) return this.#span(index, at, length);
    } else if (length <= Slot.Bytes) {
      const { read, written } = encoder.encodeInto(text, this.#slots[index] as Uint8Array);
      // If there are as many bytes as characters, the text is ASCII, unless it was cut off.
      if (written === length && read === length) return this.#span(index, at, length);
    }
    this.#putBytes(index, bytesOf(value, index, this.command));
  }

  /** Writes all arguments of the command of a row, or of the name that stands first. */
  putAll(row: number, argv: readonly Argument[]): void {
    this.begin(row);
    this.#name = argv[0] as Argument;
    if (argv.length > this.#spanCount) this.#reserve(argv.length, 0);
    if (argv.length > Slot.Count) return this.#putMany(argv);
    // Space for several large arguments is reserved at once; otherwise growing would copy the first ones.
    if (countLarge(argv) > 1) return this.#putEach(argv);
    for (let index = this.#first(); index < argv.length; index += 1) this.put(index, argv[index] as Argument);
  }

  /** Writes the arguments beyond the fixed spans, back to back: texts in one piece, which is faster than one by one. */
  #putMany(argv: readonly Argument[]): void {
    let all = '';
    for (let index = this.#first(); index < argv.length; index += 1) {
      const text = argumentText(argv[index]);
      if (text === undefined || all.length + text.length > TEXT_IN_PLACE_MAX) return this.#putEach(argv);
      all += text;
    }
    if (this.#room + all.length > this.#end) this.#reserve(0, all.length);
    const { read, written } = encoder.encodeInto(all, this.#bytes.subarray(this.#room, this.#end));
    if (written !== all.length || read !== all.length) return this.#putEach(argv);
    let at = this.#room;
    for (let index = this.#first(); index < argv.length; index += 1) {
      const { length } = argumentText(argv[index]) as string;
      this.#span(index, at, length);
      at += length;
    }
  }

  /** Index of the first argument to write: the engine has the names of rows, so they are left out. */
  #first(): number {
    return this.#row === NO_ROW ? 0 : 1;
  }

  #putEach(argv: readonly Argument[]): void {
    const parts = argv.map((value, index) => (index < this.#first() ? NOTHING : bytesOf(value, index, this.command)));
    const total = parts.reduce((sum, part) => sum + part.length, 0);
    if (this.#room + total > this.#end) this.#reserve(0, total);
    this.#tail = this.#room;
    parts.forEach((part, index) => this.#append(index, part));
  }

  #putBytes(index: number, bytes: Uint8Array): void {
    if (bytes.length > Slot.Bytes) return this.#append(index, bytes);
    const at = this.#room + index * Slot.Bytes;
    this.#bytes.set(bytes, at);
    this.#span(index, at, bytes.length);
  }

  /** Appends an argument. */
  #append(index: number, bytes: Uint8Array): void {
    if (this.#tail === 0) this.#tail = this.#room + Slot.Count * Slot.Bytes;
    if (this.#tail + bytes.length > this.#end) {
      const used = this.#tail - this.#room;
      this.#reserve(0, used + bytes.length);
      this.#tail = this.#room + used;
    }
    this.#bytes.set(bytes, this.#tail);
    this.#span(index, this.#tail, bytes.length);
    this.#tail += bytes.length;
  }

  /** Name of the current command in upper case, for errors. */
  get command(): string {
    return this.#row === NO_ROW ? commandName(this.#name) : (NAMES[this.#row & ROW_MASK] ?? '');
  }

  #span(index: number, at: number, length: number): void {
    const word = this.#spans + 2 * index;
    this.#words[word] = at - this.#base;
    this.#words[word + 1] = at - this.#base + length;
  }

  /** Reserves space for `args` arguments and `bytes` bytes of them; keeps the written ones. */
  #reserve(args: number, bytes: number): void {
    const room = Math.max(bytes, this.#end - this.#room);
    this.#probe(StackNeed.Method);
    const reserved =
      room <= Slot.Count * ARGUMENT_MAX && this.#engine.reserveFrame(Math.max(args, this.#spanCount), room);
    if (!reserved) throw new ReplyError('OOM the arguments do not fit into the memory of the engine', this.command);
    this.#find();
  }

  /** Shrinks the frame after a large command, so that its memory is not kept. */
  end(): void {
    if (this.#end - this.#room <= ROOM_KEPT_MAX) return;
    this.#engine.reserveFrame(0, 0);
    this.#find();
  }

  #find(): void {
    const [header = 0, spans = 0, spanCount = 0, base = 0, roomAt = 0, length = 0] = this.#engine.frame();
    this.#header = header >>> 2;
    this.#spans = spans >>> 2;
    this.#spanCount = spanCount;
    this.#base = base;
    this.#room = base + roomAt;
    this.#end = base + length;
    this.#look();
  }

  #look(): void {
    const { buffer } = this.#memory;
    this.#bytes = new Uint8Array(buffer);
    this.#words = new Uint32Array(buffer);
    this.#text = new AsciiText(this.#bytes);
    this.#slots = Array.from({ length: Slot.Count }, (_, index) => {
      const at = this.#room + index * Slot.Bytes;
      return this.#bytes.subarray(at, at + Slot.Bytes);
    });
  }

  /** Length in bytes of the last command's reply; 0 while the client is blocked. */
  get replyLength(): number {
    if (this.#bytes.length === 0) this.#look();
    return this.#words[this.#header + 1] as number;
  }

  /** A copy of the reply. */
  takeReply(): Uint8Array {
    const length = this.replyLength;
    const at = this.#words[this.#header] as number;
    return this.#bytes.slice(at, at + length);
  }

  /** Reads the reply of the last command; BLOCKED while the client is blocked. */
  reply(isAscii: boolean, asBytes: boolean): Reply<string | Uint8Array> | typeof BLOCKED {
    const length = this.replyLength;
    if (length === 0) return BLOCKED;
    const at = this.#words[this.#header] as number;
    return readCallReply(this.#bytes, at, length, asBytes, isAscii ? this.#text : undefined, this);
  }
}

/** Number of arguments that are longer than their fixed spans. */
function countLarge(argv: readonly Argument[]): number {
  let count = 0;
  for (let index = 0; index < argv.length; index += 1) {
    const value = argv[index];
    if ((typeof value === 'string' || value instanceof Uint8Array) && value.length > Slot.Bytes) count += 1;
  }
  return count;
}
