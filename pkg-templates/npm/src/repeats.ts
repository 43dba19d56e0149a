/**
 * Reads that are repeated without a call: as long as the engine shows the version that a text was answered with, the text
 * is the answer, and it is enough to count the command. When that is so the engine decides (src/wasm/repeats.rs).
 */
import { Place, numberOf } from './places.js';

/** The numbers both sides see; versions follow. */
const enum Board {
  Client = 0,
  Gets = 1,
  Mgets = 2,
  MgetHits = 3,
  EndedWithMget = 4,
}

/** What of the engine is needed. */
export interface BoardKeeper {
  board(): number;
  versionIndex(keyAt: number, keyLength: number): number;
}

export class Repeats {
  readonly #memory: { readonly buffer: ArrayBuffer };
  readonly #keeper: BoardKeeper;
  readonly #at: number;
  /** All of memory, from the board on. */
  #board = new Float64Array(0);
  /** By place: where the version of its key is, and what it was when the text there was answered. None equals NaN. */
  readonly #indices = new Int32Array(Place.Count);
  readonly #versions = new Float64Array(Place.Count).fill(NaN);

  constructor(memory: { readonly buffer: ArrayBuffer }, keeper: BoardKeeper) {
    this.#memory = memory;
    this.#keeper = keeper;
    this.#at = keeper.board();
  }

  /** Another key lies at a place now. */
  take(at: number, keyLength: number): void {
    const number = numberOf(at);
    this.#indices[number] = this.#keeper.versionIndex(at, keyLength);
    this.#versions[number] = NaN;
  }

  /** The text at a place was just answered. */
  remember(at: number): void {
    if (this.#board.length === 0) this.#board = new Float64Array(this.#memory.buffer, this.#at);
    const number = numberOf(at);
    this.#versions[number] = this.#board[this.#indices[number] as number] as number;
  }

  forget(at: number): void {
    this.#versions[numberOf(at)] = NaN;
  }

  forgetAll(): void {
    this.#versions.fill(NaN);
  }

  /** Whether the text at a place is what the engine would answer this client. */
  isGood(at: number, client: number): boolean {
    const number = numberOf(at);
    // Memory that grew leaves the board empty: nothing is equal then.
    const board = this.#board;
    return board[this.#indices[number] as number] === this.#versions[number] && board[Board.Client] === client;
  }

  /** GET was answered so. */
  countGet(): void {
    const board = this.#board;
    board[Board.Gets]! += 1;
    board[Board.EndedWithMget] = 0;
  }

  /** MGET was, with so many keys. */
  countMget(keys: number): void {
    const board = this.#board;
    board[Board.Mgets]! += 1;
    board[Board.MgetHits]! += keys;
    board[Board.EndedWithMget] = 1;
  }
}
