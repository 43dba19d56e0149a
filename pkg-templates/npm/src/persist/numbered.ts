/** Numbers of the appends to one store: they begin with 1, without gaps, and are never used twice. */

/** An append in the database. */
export interface LogRecord {
  readonly nowMs: number;
  readonly piece: Uint8Array;
}

/** An append with its number, its key in the database. */
export interface NumberedRecord extends LogRecord {
  readonly number: number;
}

export class NumberedLog {
  #last = 0;
  #confirmed = 0;
  #pending: NumberedRecord[] = [];
  /** Numbers of the arrays that callers passed. */
  #numbers = new WeakMap<Uint8Array, number>();

  /** The greatest number that was given. */
  get last(): number {
    return this.#last;
  }

  /** All numbers up to this one are in the database. */
  get confirmed(): number {
    return this.#confirmed;
  }

  /** Appends that may be missing in the database, in order. */
  get pending(): readonly NumberedRecord[] {
    return this.#pending;
  }

  get pendingBytes(): number {
    return this.#pending.reduce((sum, { piece }) => sum + piece.length, 0);
  }

  /** Begins behind the contents of a database, with appends that it lacks. */
  begin(confirmed: number, pending: readonly NumberedRecord[]): void {
    this.#confirmed = confirmed;
    this.#pending = [...pending];
    this.#numbers = new WeakMap();
    this.#last = confirmed + pending.length;
  }

  /** Numbers an append. An array that was passed before keeps its number. */
  add(piece: Uint8Array, nowMs: number): number {
    const known = this.#numbers.get(piece);
    if (known !== undefined) return known;
    this.#last += 1;
    this.#numbers.set(piece, this.#last);
    this.#pending.push({ number: this.#last, nowMs, piece: compact(piece) });
    return this.#last;
  }

  /** Pending appends up to a number. */
  upTo(number: number): readonly NumberedRecord[] {
    return this.#pending.filter((record) => record.number <= number);
  }

  /** Notes that the database has everything up to a number. */
  confirm(number: number): void {
    this.#confirmed = Math.max(this.#confirmed, number);
    this.#pending = this.#pending.filter((record) => record.number > this.#confirmed);
  }
}

/** A copy where the bytes are part of a larger buffer: IndexedDB would store all of that. */
function compact(bytes: Uint8Array): Uint8Array {
  return bytes.byteLength === bytes.buffer.byteLength ? bytes : bytes.slice();
}
