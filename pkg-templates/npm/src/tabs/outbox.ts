/** Messages to other tabs: those of one turn go to an inbox as one. */
import type { Channel } from './environment.js';
import { VERSION, type Piece } from './wire.js';

interface Inbox {
  readonly channel: Channel;
  pieces: Piece[];
}

export class Outbox {
  readonly #from: string;
  readonly #open: (tab: string) => Channel;
  readonly #inboxes = new Map<string, Inbox>();

  /** `open` opens the inbox of a tab. */
  constructor(from: string, open: (tab: string) => Channel) {
    this.#from = from;
    this.#open = open;
  }

  /** Sends a message at the end of this turn. */
  send(tab: string, piece: Piece): void {
    const inbox = this.#inboxes.get(tab) ?? { channel: this.#open(tab), pieces: [] };
    this.#inboxes.set(tab, inbox);
    if (inbox.pieces.push(piece) === 1) queueMicrotask(() => this.#flush(inbox));
  }

  /** Closes the inbox of a tab that has ended. */
  drop(tab: string): void {
    this.#inboxes.get(tab)?.channel.close();
    this.#inboxes.delete(tab);
  }

  /** Closes all. */
  close(): void {
    for (const tab of [...this.#inboxes.keys()]) this.drop(tab);
  }

  #flush(inbox: Inbox): void {
    const { pieces, channel } = inbox;
    inbox.pieces = [];
    const [only] = pieces;
    try {
      channel.postMessage(pieces.length === 1 ? only : { kind: 'batch', from: this.#from, version: VERSION, pieces });
    } catch (error) {
      // The channel was closed in this turn: its tab has ended, or this one was closed.
      if ((error as Error).name !== 'InvalidStateError') throw error;
    }
  }
}
