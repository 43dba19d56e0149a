/** Sockets of commands that have waited, kept for further ones. */
import { ClientState } from '../client/shared/state.js';
import { SocketLine, type SocketTarget } from './socket-line.js';

/** Number of sockets that are kept, and how long. */
const IDLE_MAX = 4;
const LINGER_MS = 10_000;

interface Kept {
  readonly url: string;
  readonly db: number;
  readonly timer: ReturnType<typeof setTimeout>;
}

export class IdleLines {
  readonly #target: SocketTarget;
  readonly #idle = new Map<SocketLine, Kept>();
  #closed = false;

  constructor(target: SocketTarget) {
    this.#target = target;
  }

  /** A line to a shard, in a database. */
  take(url: string, db: number): SocketLine {
    for (const [line, kept] of this.#idle) {
      if (kept.db !== db || kept.url !== url) continue;
      clearTimeout(kept.timer);
      this.#idle.delete(line);
      if (line.isIdle) return line;
      line.close();
    }
    return new SocketLine({ ...this.#target, url }, new ClientState({ db }));
  }

  keep(line: SocketLine, url: string, db: number): void {
    if (this.#closed || !line.isIdle || this.#idle.size >= IDLE_MAX) return line.close();
    const end = (): void => {
      this.#idle.delete(line);
      line.close();
    };
    this.#idle.set(line, { url, db, timer: setTimeout(end, LINGER_MS) });
  }

  close(): void {
    this.#closed = true;
    for (const [line, { timer }] of this.#idle) {
      clearTimeout(timer);
      line.close();
    }
    this.#idle.clear();
  }
}
