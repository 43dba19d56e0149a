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
