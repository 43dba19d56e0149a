/**
 * Disconnects clients without input for longer than CONFIG `timeout`. Uses one timer, and none while there is no limit.
 */
import { DELAY_MAX_MS } from '../host/timer.js';
import type { Peer } from './peer.js';

const MS_PER_SECOND = 1000;

export class IdleTimeout {
  readonly #peers: ReadonlySet<Peer>;
  #limitMs = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(peers: ReadonlySet<Peer>) {
    this.#peers = peers;
  }

  /** False while connections need not record the time of their last input. */
  get isOn(): boolean {
    return this.#limitMs > 0;
  }

  /** Sets the limit; 0 disables it. */
  setLimit(seconds: number): void {
    this.#limitMs = seconds * MS_PER_SECOND;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.watch();
  }

  stop(): void {
    this.setLimit(0);
  }

  /** Starts the timer when a connection was accepted. */
  watch(): void {
    if (this.isOn && this.#timer === undefined && this.#peers.size > 0) this.#arm(this.#limitMs);
  }

  /** Arms the timer for the next check. An early check disconnects none. */
  #arm(delayMs: number): void {
    this.#timer = setTimeout(() => this.#check(), Math.min(delayMs, DELAY_MAX_MS));
    this.#timer.unref();
  }

  #check(): void {
    this.#timer = undefined;
    const nowMs = Date.now();
    let firstMs = nowMs;
    for (const peer of this.#peers) {
      if (nowMs - peer.lastInputMs < this.#limitMs) firstMs = Math.min(firstMs, peer.lastInputMs);
      else if (!peer.isListening) peer.hangUp();
    }
    if (this.#peers.size > 0) this.#arm(Math.max(firstMs + this.#limitMs - nowMs, MS_PER_SECOND));
  }
}
