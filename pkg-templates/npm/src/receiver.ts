/** A client of the engine that only listens: connected while there is something to hear, and again when somebody ended it. */
import type { ClientObserver } from './client-observers.js';
import type { Host, Message, MessageSource } from './host.js';
import type { Instance } from './instance.js';
import { ReplyReader } from './reply.js';

/** One message, as its parts; texts in it are bytes. */
export type Parts = readonly unknown[];

/** Whom a receiver listens for. */
export interface PushListener {
  received(parts: Parts): void;
  /** Somebody ended the client with CLIENT KILL. Another one is there, which hears nothing yet. */
  reconnected(instance: Instance, client: number): void;
  /** The engine is gone. */
  ended(): void;
}

export class Receiver implements ClientObserver, MessageSource {
  readonly #host: Host;
  readonly #listener: PushListener;
  #client: number | undefined;
  #stopObserving = (): void => {};

  constructor(host: Host, listener: PushListener) {
    this.#host = host;
    this.#listener = listener;
  }

  /** Its client, if there is one. */
  get client(): number | undefined {
    return this.#client;
  }

  connect(instance: Instance): number {
    const client = (this.#client ??= instance.connect(3));
    instance.guarded(() => instance.engine.notePositions(client));
    const stopObserving = this.#host.observe(client, this);
    const stopDelivering = this.#host.deliverFrom(this);
    this.#stopObserving = () => {
      stopDelivering();
      stopObserving();
    };
    return client;
  }

  disconnect(instance: Instance): void {
    const client = this.#client;
    if (client === undefined) return;
    this.#client = undefined;
    this.#stopObserving();
    instance.guarded(() => instance.engine.disconnect(client));
  }

  /** The messages since the last time. */
  take(instance: Instance): readonly Message[] {
    const client = this.#client;
    if (client === undefined) return [];
    const outbox = instance.guarded(() => instance.engine.outbox(client));
    if (outbox.length === 0) return [];
    const positions = instance.guarded(() => instance.engine.takePositions(client));
    const messages: Message[] = [];
    for (const reader = new ReplyReader(outbox, 0, outbox.length, true, ''); !reader.done; ) {
      const parts = reader.read() as Parts;
      // Every message was posted with its position.
      const before = positions[messages.length] ?? 0;
      messages.push({ before, deliver: () => this.#listener.received(parts) });
    }
    return messages;
  }

  /** Messages are taken by the host; what is left to look after is a client that somebody ended. */
  reached(instance: Instance): void {
    const client = this.#client;
    if (client === undefined || !instance.guarded(() => instance.engine.closing(client))) return;
    this.disconnect(instance);
    this.#listener.reconnected(instance, this.connect(instance));
  }

  ended(): void {
    this.#client = undefined;
    this.#listener.ended();
  }
}
