/** Sources of messages for callbacks, such as the subscriptions of a database. */
import type { Instance } from './instance.js';

/** A message for callbacks. */
export interface Message {
  /** Number of pending events that came before it. */
  readonly before: number;
  deliver(): void;
}

/** A source of messages for callbacks. */
export interface MessageSource {
  take(instance: Instance): readonly Message[];
}

/** All sources of one engine. */
export class MessageSources {
  // Replaced, never modified in place: sources may change during a delivery.
  #sources: readonly MessageSource[] = [];

  /** Adds a source. Returns a function that removes it. */
  add(source: MessageSource): () => void {
    this.#sources = [...this.#sources, source];
    return () => {
      this.#sources = this.#sources.filter((other) => other !== source);
    };
  }

  /** Messages of all sources, in order; those at one position among the events in the order of the sources. */
  take(instance: Instance): readonly Message[] {
    const [first, ...others] = this.#sources;
    const messages = first?.take(instance) ?? [];
    if (others.length === 0) return messages;
    return [...messages, ...others.flatMap((source) => source.take(instance))].sort(
      (one, other) => one.before - other.before,
    );
  }
}
