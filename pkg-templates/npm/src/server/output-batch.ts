/**
 * Output of all connections, written once per turn of the event loop, as Redis does before it sleeps. A client process
 * that the first reply wakes then finds the others too, and the server is not interrupted between two writes.
 */
import type { Socket } from 'node:net';

/** Size above which output of one socket is written immediately. */
const HELD_BYTES_MAX = 16 * 1024;

export class OutputBatch {
  readonly #isSafe: () => boolean;
  #corked: Socket[] = [];

  /** `isSafe` is asked before output leaves: false if it must not, and its connections are ended. */
  constructor(isSafe: () => boolean) {
    this.#isSafe = isSafe;
  }

  /** Queues a copy of `output`, which is written at the end of the turn. */
  write(socket: Socket, output: Uint8Array): void {
    if (socket.writableCorked === 0) {
      socket.cork();
      if (this.#corked.push(socket) === 1) setImmediate(this.flush);
    }
    socket.write(Buffer.from(output));
    if (socket.writableLength >= HELD_BYTES_MAX) this.#release(socket, this.#isSafe());
  }

  /** Writes everything now, as before a connection is closed, which would write its output unasked. */
  readonly flush = (): void => {
    const corked = this.#corked;
    this.#corked = [];
    const isSafe = this.#isSafe();
    for (const socket of corked) this.#release(socket, isSafe);
  };

  #release(socket: Socket, isSafe: boolean): void {
    if (isSafe) socket.uncork();
    else socket.destroy();
  }
}
