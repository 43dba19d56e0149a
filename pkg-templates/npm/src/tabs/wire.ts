/**
 * Messages between tabs. The room is the channel of all tabs of a name; each tab has an inbox, so that calls and answers
 * wake only their recipient. `kind`, `from` and `version` keep their meaning in all versions.
 */

/** Version of these messages. */
export const VERSION = 1;

/** Name of the room. */
export function roomName(name: string): string {
  return `keylatch:${name}`;
}

/** Name of a tab's inbox. */
export function inboxName(name: string, tab: string): string {
  return `keylatch:${name}:${tab}`;
}

/** Name of the lock that a tab holds as long as it lives. */
export function tabLockName(name: string, tab: string): string {
  return `keylatch:${name}:tab:${tab}`;
}

interface Sent {
  readonly from: string;
  readonly version: number;
}

/** Question of a new tab: which tab leads? */
export interface Hello extends Sent {
  readonly kind: 'hello';
}

/** A tab holds the lock of the name; it runs calls as soon as its store is open. */
export interface Leads extends Sent {
  readonly kind: 'leads';
  /** Number of the leadership, greater than those before. */
  readonly epoch: number;
  readonly isReady: boolean;
}

/** A tab leads no longer, or could not open the store. */
export interface Resigned extends Sent {
  readonly kind: 'resigned';
  readonly epoch: number;
}

/** Messages of the room. */
export type RoomMessage = Hello | Leads | Resigned;

/** Commands as RESP for one client of the tab. */
export interface CommandRequest {
  readonly kind: 'command';
  /** Number of the client within the tab. */
  readonly client: number;
  readonly bytes: Uint8Array;
  /** Answer when the data is flushed. */
  readonly flushed?: boolean;
  /** Connects the client: it is new, or its state is lost. */
  readonly opens?: boolean;
  /** The client ends after the answer. */
  readonly once?: boolean;
}

/** Disconnects a client of the tab; not answered. */
export interface CloseRequest {
  readonly kind: 'close';
  readonly client: number;
}

/** Ends the wait of a call, unless it is answered already. */
export interface CancelRequest {
  readonly kind: 'cancel';
  readonly call: number;
}

/** Calls a method of the database. */
export interface MethodRequest {
  readonly kind: 'method';
  readonly method: string;
  readonly given: readonly unknown[];
}

/** Names of the events that the tab listens to, separated by blanks. */
export interface ListenRequest {
  readonly kind: 'listen';
  readonly events: string;
}

/** Any request of a tab to the leader. */
export type Request = CommandRequest | CloseRequest | CancelRequest | MethodRequest | ListenRequest;

/** An error as data. */
export interface Failure {
  readonly name: string;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Answer of the leader. */
export type Outcome =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'failure'; readonly failure: Failure }
  /** The client is not connected, or was disconnected: nothing ran. */
  | { readonly kind: 'unknown' }
  /** The leader ends: nothing ran. */
  | { readonly kind: 'refused' }
  /** The wait was ended by `cancel`: nothing ran. */
  | { readonly kind: 'cancelled' };

/** A request in the leader's inbox. */
export interface Call extends Sent {
  readonly kind: 'call';
  readonly epoch: number;
  /** Number within the tab; later calls have greater ones. */
  readonly id: number;
  readonly request: Request;
}

/** An answer in a tab's inbox. */
export interface Answer extends Sent {
  readonly kind: 'answer';
  readonly epoch: number;
  readonly id: number;
  readonly outcome: Outcome;
}

/** Messages of channels for a client of the tab, as RESP. */
export interface Push extends Sent {
  readonly kind: 'push';
  readonly epoch: number;
  readonly client: number;
  readonly bytes: Uint8Array;
}

/** An event of a key. */
export interface Happened extends Sent {
  readonly kind: 'event';
  readonly epoch: number;
  readonly event: string;
  readonly key: Uint8Array;
  readonly db: number;
}

/** One of the messages for a tab. */
export type Piece = Call | Answer | Push | Happened;

/** Messages that were sent in one turn, in their order: the cost of a channel is by message. */
export interface Batch extends Sent {
  readonly kind: 'batch';
  readonly pieces: readonly Piece[];
}

/** Messages of an inbox. */
export type InboxMessage = Piece | Batch;
