/**
 * Output of all connections, written once per turn of the event loop, as Redis does before it sleeps. A client process
 * that the first reply wakes then finds the others too, and the server is not interrupted between two writes.
 */
import type { Socket } from 'node:net';

/** Size above which output of one socket is written immediately. */
const HELD_BYTES_MAX = 16 * 1024;

export class OutputBatch {
  #corked: Socket[] = [];

  /** Queues a copy of `output`, which is written at the end of the turn. */
  write(socket: Socket, output: Uint8Array): void {
    if (socket.writableCorked === 0) {
      socket.cork();
      if (this.#corked.push(socket) === 1) setImmediate(this.#flush);
    }
    socket.write(Buffer.from(output));
    if (socket.writableLength >= HELD_BYTES_MAX) socket.uncork();
  }

  readonly #flush = (): void => {
    const corked = this.#corked;
    this.#corked = [];
    for (const socket of corked) socket.uncork();
  };
}
