/** Frames of a WebSocket as a client writes and reads them (RFC 6455), without extensions. Pure. */
import { Decoder } from '../../base/encoders.js';
import { concat } from '../../resp/concat.js';

export const TEXT = 1;
export const BINARY = 2;
export const CLOSE = 8;
export const PING = 9;
export const PONG = 10;

const CONTINUATION = 0;
const IS_LAST = 0x80;
const IS_MASKED = 0x80;
/** Bits of extensions, which were not asked for. */
const RESERVED = 0x70;
const OPCODE = 0x0f;
/** Longest payload of a control frame, and lengths that stand for one of two or of eight bytes. */
const CONTROL_MAX = 125;
const LENGTH_16 = 126;
const LENGTH_64 = 127;
const MASK_BYTES = 4;
/** Longest text: servers send `pong` alone. */
const TEXT_MAX = 64 * 1024;

/** Bytes that a server must not send. */
export class FrameError extends Error {}

/** A frame with this payload, which is masked by four random bytes: proxies must not read requests in it. */
export function encodeFrame(opcode: number, payload: Uint8Array, mask: Uint8Array): Uint8Array {
  const masked = new Uint8Array(payload.length);
  for (let index = 0; index < payload.length; index += 1)
    masked[index] = (payload[index] as number) ^ (mask[index % MASK_BYTES] as number);
  return concat([headerOf(opcode, payload.length), mask, masked]);
}

function headerOf(opcode: number, length: number): Uint8Array {
  const first = IS_LAST | opcode;
  if (length <= CONTROL_MAX) return Uint8Array.of(first, IS_MASKED | length);
  if (length < 2 ** 16) return Uint8Array.of(first, IS_MASKED | LENGTH_16, length >> 8, length & 0xff);
  const header = new Uint8Array(10);
  header.set([first, IS_MASKED | LENGTH_64]);
  new DataView(header.buffer).setBigUint64(2, BigInt(length));
  return header;
}

/** Recipient of what a server sends. */
export interface FrameListener {
  /** A part of a binary message: RESP is a stream, so the ends of messages mean nothing. */
  bytes(part: Uint8Array): void;
  text(message: string): void;
  /** A whole control frame. */
  control(opcode: number, payload: Uint8Array): void;
}

/** Reads frames out of chunks that are cut anywhere. */
export class FrameReader {
  readonly #listener: FrameListener;
  /** Bytes of a header that is not whole. */
  #header: Uint8Array = new Uint8Array(0);
  #opcode = 0;
  /** Opcode of the message that goes on in continuations; 0 between messages. */
  #message = 0;
  #isLast = false;
  /** Bytes that the frame still lacks; undefined between frames. */
  #missing: number | undefined;
  /** Payload so far of a text, and of a control frame, which may come between its parts. */
  #text: Uint8Array = new Uint8Array(0);
  #control: Uint8Array = new Uint8Array(0);

  constructor(listener: FrameListener) {
    this.#listener = listener;
  }

  /** Throws FrameError. */
  push(chunk: Uint8Array): void {
    let rest = chunk;
    while (rest.length > 0) rest = this.#missing === undefined ? this.#readHeader(rest) : this.#readPayload(rest);
  }

  /** Reads a header, as far as it is there. Returns the bytes behind it. */
  #readHeader(chunk: Uint8Array): Uint8Array {
    const known = this.#header.length;
    const bytes = known === 0 ? chunk : concat([this.#header, chunk]);
    const size = headerSize(bytes);
    if (size === undefined || bytes.length < size) {
      this.#header = new Uint8Array(bytes);
      return chunk.subarray(chunk.length);
    }
    this.#header = new Uint8Array(0);
    this.#begin(bytes.subarray(0, size));
    return chunk.subarray(size - known);
  }

  #begin(header: Uint8Array): void {
    const [first = 0, second = 0] = header;
    if ((first & RESERVED) !== 0) throw new FrameError('a frame has bits of an extension');
    if ((second & IS_MASKED) !== 0) throw new FrameError('a frame of the server is masked');
    this.#isLast = (first & IS_LAST) !== 0;
    this.#opcode = first & OPCODE;
    const length = payloadLength(header);
    this.#judge(length);
    this.#missing = length;
    if (length === 0) this.#end();
  }

  #judge(length: number): void {
    if (this.#opcode >= CLOSE) {
      if (this.#opcode > PONG || length > CONTROL_MAX || !this.#isLast)
        throw new FrameError('a control frame is wrong');
      return;
    }
    const isContinued = this.#message !== 0;
    if (this.#opcode > BINARY || (this.#opcode === CONTINUATION) !== isContinued)
      throw new FrameError('a message is not in order');
    if (!isContinued) this.#message = this.#opcode;
    if (this.#message === TEXT && this.#text.length + length > TEXT_MAX) throw new FrameError('a text is too long');
  }

  #readPayload(chunk: Uint8Array): Uint8Array {
    const missing = this.#missing as number;
    const part = chunk.subarray(0, missing);
    this.#missing = missing - part.length;
    if (this.#opcode >= CLOSE) this.#control = concat([this.#control, part]);
    else if (this.#message === BINARY) this.#listener.bytes(part);
    else this.#text = concat([this.#text, part]);
    if (this.#missing === 0) this.#end();
    return chunk.subarray(part.length);
  }

  #end(): void {
    this.#missing = undefined;
    if (this.#opcode >= CLOSE) {
      const payload = this.#control;
      this.#control = new Uint8Array(0);
      return this.#listener.control(this.#opcode, payload);
    }
    if (!this.#isLast) return;
    const isText = this.#message === TEXT;
    this.#message = 0;
    const message = this.#text;
    this.#text = new Uint8Array(0);
    if (isText) this.#listener.text(new Decoder().decode(message));
  }
}

/** Size of the header that these bytes begin; undefined if that is not known yet. */
function headerSize(bytes: Uint8Array): number | undefined {
  if (bytes.length < 2) return undefined;
  const length = (bytes[1] as number) & ~IS_MASKED;
  return 2 + (length === LENGTH_64 ? 8 : length === LENGTH_16 ? 2 : 0);
}

function payloadLength(header: Uint8Array): number {
  const view = new DataView(header.buffer, header.byteOffset, header.length);
  const length = view.getUint8(1) & ~IS_MASKED;
  if (length === LENGTH_16) return view.getUint16(2);
  return length === LENGTH_64 ? Number(view.getBigUint64(2)) : length;
}
