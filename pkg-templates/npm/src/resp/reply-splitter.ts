/** Divides RESP bytes that arrive in pieces, cut anywhere, into single replies. Reads each byte once. */

const CARRIAGE_RETURN = 13;
const BULK_TYPES = '$=!';
const ARRAY_TYPES = '*~>';
const ALL_TYPES = `${BULK_TYPES}${ARRAY_TYPES}%|:+-_,#(`;
/** Longest count of a reply: its sign and digits. */
const COUNT_BYTES = 24;
const FIRST_BYTES = 4096;
/** A buffer beyond this is given back once it is read. */
const KEPT_BYTES = 1 << 20;

/** The bytes are no replies. */
export class ReplyFormatError extends Error {}

export class ReplySplitter {
  #buffer: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** Bytes in the buffer, and the end of those that were read. */
  #length = 0;
  #at = 0;
  /** Elements that the reply begun still lacks; 0 between replies. */
  #missing = 0;

  /** Whether a reply has begun that is not whole. */
  get isTorn(): boolean {
    return this.#length > 0;
  }

  /** The replies that a piece completes, each in a buffer of its own. Throws ReplyFormatError. */
  push(piece: Uint8Array): Uint8Array<ArrayBuffer>[] {
    this.#append(piece);
    const replies: Uint8Array<ArrayBuffer>[] = [];
    let start = 0;
    while (this.#at < this.#length) {
      if (this.#missing === 0) this.#missing = 1;
      if (!this.#readReply()) break;
      replies.push(this.#buffer.slice(start, this.#at));
      start = this.#at;
    }
    this.#drop(start);
    return replies;
  }

  /** Reads on up to the end of the reply; false if it is not there yet. */
  #readReply(): boolean {
    while (this.#missing > 0) {
      const end = this.#elementEnd();
      if (end === undefined) return false;
      this.#at = end;
    }
    return true;
  }

  /** End of the element at the position, after which its own elements are missing; undefined if it is not whole. */
  #elementEnd(): number | undefined {
    if (this.#at >= this.#length) return undefined;
    const type = String.fromCharCode(this.#buffer[this.#at] as number);
    if (!ALL_TYPES.includes(type)) throw new ReplyFormatError(`a reply cannot begin with ${JSON.stringify(type)}`);
    const lineEnd = this.#lineEnd();
    if (lineEnd === undefined) return undefined;
    const isCounted = BULK_TYPES.includes(type) || ARRAY_TYPES.includes(type) || type === '%' || type === '|';
    const count = isCounted ? this.#count(lineEnd) : -1;
    if (BULK_TYPES.includes(type) && count >= 0) {
      const end = lineEnd + count + 2;
      if (end > this.#length) return undefined;
      this.#missing -= 1;
      return end;
    }
    // A negative count is a null, which has nothing behind it. An attribute stands in front of its reply.
    if (count > 0) this.#missing += type === '%' || type === '|' ? 2 * count : count;
    if (type !== '|') this.#missing -= 1;
    return lineEnd;
  }

  /** Position behind the line at the position; undefined if it has no end yet. */
  #lineEnd(): number | undefined {
    // Bytes behind the length are left from former replies.
    const end = this.#buffer.indexOf(CARRIAGE_RETURN, this.#at);
    return end === -1 || end + 2 > this.#length ? undefined : end + 2;
  }

  #count(lineEnd: number): number {
    const digits = this.#buffer.subarray(this.#at + 1, Math.min(lineEnd - 2, this.#at + COUNT_BYTES));
    const text = String.fromCharCode(...digits);
    if (!/^-?\d+$/.test(text)) throw new ReplyFormatError(`a reply has the count ${JSON.stringify(text)}`);
    return Number(text);
  }

  #append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#buffer.length) {
      const larger = new Uint8Array(Math.max(length, 2 * this.#buffer.length, FIRST_BYTES));
      larger.set(this.#buffer.subarray(0, this.#length));
      this.#buffer = larger;
    }
    this.#buffer.set(piece, this.#length);
    this.#length = length;
  }

  /** Forgets what was returned. */
  #drop(end: number): void {
    this.#buffer.copyWithin(0, end, this.#length);
    this.#length -= end;
    this.#at -= end;
    if (this.#length === 0 && this.#buffer.length > KEPT_BYTES) this.#buffer = new Uint8Array(0);
  }
}
