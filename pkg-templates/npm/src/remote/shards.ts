/**
 * Shards of a namespace, found by MOVED: each has a range of slots, and a socket is of one shard. Ranges are not known before, so a
 * command of a new slot is tried on the shards next to it, which have run nothing when they answer MOVED.
 */
import { bytesOf, commandName } from '../base/argument.js';
import { slotOfBytes } from '../base/cluster-slot.js';
import { ReplyError } from '../base/errors.js';
import { keyIndices } from '../client/key-positions.js';
import { decodeReplies } from '../resp/reply.js';
import { isError } from '../resp/reply-kinds.js';
import type { RemoteRequest } from './transport.js';

const CROSSSLOT = "CROSSSLOT Keys in request don't hash to the same slot";
/** Commands of which the first argument is a channel, which has a slot as keys have. */
const PUBLISHES = /^S?PUBLISH$/;
const MOVED = /^MOVED (\d+) /;

/** The slot is one of another shard. Nothing has run. */
export class Moved extends ReplyError {
  readonly slot: number;

  constructor({ message, command }: ReplyError, slot: number) {
    super(message, command);
    this.slot = slot;
  }
}

/** The refusal of a shard that does not have a slot; undefined for other errors. */
export function movedOf(error: unknown): Moved | undefined {
  if (!(error instanceof ReplyError)) return undefined;
  const slot = MOVED.exec(error.message)?.[1];
  return slot === undefined ? undefined : new Moved(error, Number(slot));
}

/** Replies, unless one is MOVED: a transaction with such a command has run nothing. Rejects with Moved then. */
export async function unlessMoved(
  replies: Promise<readonly Uint8Array[]>,
  request: Pick<RemoteRequest, 'commands' | 'name'>,
): Promise<readonly Uint8Array[]> {
  const found = await replies;
  for (const reply of found) {
    const moved = isError(reply) ? movedOf(decodeReplies(reply, { command: request.name })[0]) : undefined;
    if (moved === undefined) continue;
    // No shard has all keys of this transaction.
    if (moved.slot !== slotOfRequest(request)) throw new ReplyError(CROSSSLOT, request.name);
    throw moved;
  }
  return found;
}

/** The slot of the first key or channel of a request; undefined if it has none. */
export function slotOfRequest({ commands }: Pick<RemoteRequest, 'commands'>): number | undefined {
  for (const argv of commands) {
    const name = commandName(argv[0]);
    const [index] = PUBLISHES.test(name) ? [1] : keyIndices(argv);
    const word = index === undefined ? undefined : argv[index];
    if (index !== undefined && word !== undefined) return slotOfBytes(bytesOf(word, index, name));
  }
  return undefined;
}

/** Slots that a shard is known to have: those between two of its slots are its own, too. */
interface Range {
  first: number;
  last: number;
  readonly url: string;
}

type Attempt<T> = (url: string) => Promise<T>;

/** The address at which an attempt was not MOVED, and its result. */
interface Found<T> {
  readonly url: string;
  readonly value: T;
}

export class Shards {
  readonly #url: string;
  /** In the order of their slots; empty while nothing was MOVED. */
  #ranges: Range[] = [];
  /** Searches under way, by slot: other commands of the slot wait, so that they keep their order. */
  readonly #searches = new Map<number, Promise<unknown>>();
  /** The first command of a shard that was not known: others may be of the same one. */
  #opening: Promise<unknown> | undefined;

  /** The address of the namespace, which is that of the first shard. */
  constructor(url: string) {
    this.#url = url;
  }

  /**
   * Runs `attempt` at the address of a slot's shard. It rejects with Moved if that is another one; where its answer may take long,
   * `probe` does so in its place. Without a slot the first shard is meant.
   */
  async run<T>(slotOf: () => number | undefined, attempt: Attempt<T>, probe?: Attempt<unknown>): Promise<T> {
    if (this.#ranges.length > 0) {
      const slot = slotOf();
      return slot === undefined ? attempt(this.#url) : this.#routed(slot, attempt, probe);
    }
    try {
      return await attempt(this.#url);
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
      if (this.#ranges.length === 0) this.#begin();
      return this.#routed(error.slot, attempt, probe);
    }
  }

  /** The first shard has the first slot; the others are not known. */
  #begin(): void {
    this.#ranges = [{ first: 0, last: 0, url: this.#url }];
  }

  async #routed<T>(slot: number, attempt: Attempt<T>, probe: Attempt<unknown> | undefined): Promise<T> {
    for (let search = this.#searches.get(slot); search !== undefined; search = this.#searches.get(slot))
      await search.catch(() => {});
    const range = this.#ranges.find(({ first, last }) => first <= slot && slot <= last);
    if (range === undefined) return this.#searching(slot, attempt, probe);
    try {
      return await attempt(range.url);
    } catch (error) {
      if (!(error instanceof Moved)) throw error;
      // The number of shards was changed.
      if (this.#ranges.includes(range)) this.#begin();
      return this.#routed(slot, attempt, probe);
    }
  }

  async #searching<T>(slot: number, attempt: Attempt<T>, probe: Attempt<unknown> | undefined): Promise<T> {
    if (probe === undefined) return (await this.#noted(slot, this.#search(slot, attempt))).value;
    const { url } = await this.#noted(slot, this.#search(slot, probe));
    return attempt(url);
  }

  async #noted<T>(slot: number, search: Promise<T>): Promise<T> {
    this.#searches.set(slot, search);
    try {
      return await search;
    } finally {
      this.#searches.delete(slot);
    }
  }

  /** Tries the nearest shards below and above the slot, then one that is not known yet. */
  async #search<T>(slot: number, attempt: Attempt<T>): Promise<Found<T>> {
    const tried = new Set<string>();
    for (;;) {
      const near = this.#nearest(slot).find((url) => !tried.has(url));
      if (near === undefined && this.#opening !== undefined) {
        await this.#opening.catch(() => {});
        continue;
      }
      const url = near ?? `${this.#url}/slot/${slot}`;
      const found = await this.#tried(url, slot, attempt, near === undefined);
      if (found !== undefined) return found;
      tried.add(url);
    }
  }

  #nearest(slot: number): readonly string[] {
    const below = this.#ranges.findLast(({ first }) => first <= slot);
    const above = this.#ranges.find(({ first }) => first > slot);
    return [below, above].flatMap((range) => (range === undefined ? [] : [range.url]));
  }

  /** Undefined if the slot is not at this address. */
  async #tried<T>(url: string, slot: number, attempt: Attempt<T>, isNew: boolean): Promise<Found<T> | undefined> {
    const result = attempt(url);
    if (isNew) this.#opening = result;
    try {
      const value = await result;
      this.#learn(slot, url);
      return { url, value };
    } catch (error) {
      // The server names each slot itself, so a slot is at its own address.
      if (!(error instanceof Moved) || isNew) throw error;
      return undefined;
    } finally {
      if (isNew) this.#opening = undefined;
    }
  }

  #learn(slot: number, url: string): void {
    const range = this.#ranges.find((each) => each.url === url);
    if (range !== undefined) {
      range.first = Math.min(range.first, slot);
      range.last = Math.max(range.last, slot);
      return;
    }
    this.#ranges.push({ first: slot, last: slot, url });
    this.#ranges.sort((one, other) => one.first - other.first);
  }
}
