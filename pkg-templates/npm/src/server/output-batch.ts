/**
 * Output of all connections, written once per turn of the event loop, as Redis does before it sleeps. A client process
 * that the first reply wakes then finds the others too, and the server is not interrupted between two writes. No reply to a
 * write leaves before the write is in the log.
 */
import type { Socket } from 'node:net';

/** Size above which output of one socket is written immediately. */
const HELD_BYTES_MAX = 16 * 1024;

/**
 * Appends the effects of the turn: true if they are in the log, false if they could not be appended, a promise while the log
 * is busy; it rejects if they could not be.
 */
export type AppendPending = () => boolean | Promise<void>;

export class OutputBatch {
  /** Set while there is a log. */
  appendPending: AppendPending | undefined;
  #corked: Socket[] = [];
  #isScheduled = false;
  /** True while effects may wait that the log does not have. */
  #hasPending = false;
  /** Sockets with replies to such effects. */
  readonly #writers = new Set<Socket>();
  /** Sockets with output that waits for the log, and the number of promises that each waits for. */
  readonly #waiting = new Map<Socket, number>();
  /** Sockets that are ended once their output was written. */
  readonly #ending = new Set<Socket>();

  /** Queues a copy of `output`, which is written at the end of the turn. */
  write(socket: Socket, output: Uint8Array): void {
    if (socket.writableCorked === 0) {
      socket.cork();
      this.#corked.push(socket);
      this.#schedule();
    }
    socket.write(Buffer.from(output));
    if (socket.writableLength < HELD_BYTES_MAX || this.#waiting.has(socket)) return;
    this.#appendNow();
    this.#release(socket);
  }

  /** Notes that effects wait for the log. `writer` has replies that depend on them; messages depend on none. */
  wrote(writer?: Socket): void {
    if (this.appendPending === undefined) return;
    this.#hasPending = true;
    if (writer !== undefined) this.#writers.add(writer);
    this.#schedule();
  }

  /** Ends a connection after its output. */
  end(socket: Socket): void {
    this.flush();
    if (this.#waiting.has(socket)) this.#ending.add(socket);
    else socket.end();
  }

  /** Writes everything now, as before a connection is closed, which would write its output unasked. */
  readonly flush = (): void => {
    this.#isScheduled = false;
    const corked = this.#corked;
    this.#corked = [];
    this.#appendNow();
    for (const socket of corked) this.#release(socket);
  };

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(this.flush);
  }

  /** Appends what waits. Connections with replies to it are ended if that fails, and wait while the log is busy. */
  #appendNow(): void {
    if (!this.#hasPending) return;
    this.#hasPending = false;
    const appended = this.appendPending?.() ?? true;
    for (const writer of appended === true ? [] : this.#writers) {
      if (appended === false) this.#drop(writer);
      else this.#wait(writer, appended as Promise<void>);
    }
    this.#writers.clear();
  }

  /** Holds the output back until the log has what it depends on, also what is written meanwhile. */
  #wait(socket: Socket, appended: Promise<void>): void {
    this.#waiting.set(socket, (this.#waiting.get(socket) ?? 0) + 1);
    appended.then(
      () => this.#waited(socket),
      () => this.#drop(socket),
    );
  }

  #waited(socket: Socket): void {
    const left = (this.#waiting.get(socket) ?? 1) - 1;
    if (left > 0) this.#waiting.set(socket, left);
    else this.#waiting.delete(socket);
    // Writes of the turn in progress may need a promise of their own.
    this.#appendNow();
    this.#release(socket);
    if (!this.#waiting.has(socket) && this.#ending.delete(socket)) socket.end();
  }

  #release(socket: Socket): void {
    if (!this.#waiting.has(socket)) socket.uncork();
  }

  #drop(socket: Socket): void {
    this.#waiting.delete(socket);
    this.#ending.delete(socket);
    socket.destroy();
  }
}
