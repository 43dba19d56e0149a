/**
 * A client of the engine that only receives messages: connected while there is a listener, and reconnected after CLIENT
 * KILL.
 */
import type { ClientObserver } from '../host/client-observers.js';
import type { Host } from '../host/host.js';
import type { Message, MessageSource } from '../host/message-source.js';
import type { Instance } from '../host/instance.js';
import { ReplyReader } from '../resp/reply.js';

/** @internal One message as its elements; texts are bytes. */
export type Parts = readonly unknown[];

/** @internal Recipient of the messages. */
export interface PushListener {
  received(parts: Parts): void;
  /** Called after CLIENT KILL ended the client: `client` replaces it, without subscriptions yet. */
  reconnected(instance: Instance, client: number): void;
  /** Called when the engine is closed or has trapped. */
  ended(): void;
}

/** @internal */
export class Receiver implements ClientObserver, MessageSource {
  readonly #host: Host;
  readonly #listener: PushListener;
  #client: number | undefined;
  #stopObserving = (): void => {};

  constructor(host: Host, listener: PushListener) {
    this.#host = host;
    this.#listener = listener;
  }

  /** Number of the client, if it is connected. */
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

  /** Messages since the last call. */
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

  /** Reconnects after CLIENT KILL. Messages are taken by the host. */
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
