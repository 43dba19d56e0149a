/** The interface of ways to a server. Each has streams of commands, and some have subscriptions. */
import type { AbortSignalLike } from '../base/abort.js';
import type { Argument } from '../base/argument.js';
import type { MessageKind } from '../client/channels.js';
import type { ClientState } from '../client/shared/state.js';
import type { WaitTime } from './wait.js';

/** @internal Kind of a request: commands one after another, MULTI with its commands and EXEC, one command that may wait, or subscriptions. */
export type RequestKind = 'commands' | 'transaction' | 'wait' | 'subscription';

/** @internal Commands that are sent together. */
export interface RemoteRequest {
  readonly kind: RequestKind;
  /** Those of a transaction are without MULTI and EXEC. */
  readonly commands: readonly (readonly Argument[])[];
  /** The commands in RESP. */
  readonly bytes: Uint8Array;
  /** Name of the command in capitals, for errors. */
  readonly name: string;
  /** Whether it may run twice. */
  readonly isRead: boolean;
  readonly wait?: WaitTime | undefined;
  readonly signal?: AbortSignalLike | undefined;
}

/** @internal Commands of one client and their replies. */
export interface Line {
  /**
   * Resolves to the replies as RESP3, one for each command; for a transaction those to MULTI, its commands and EXEC, or the one
   * to EXEC alone. Rejects with RemoteError, or with ReplyError if the server refuses all of it.
   */
  send(request: RemoteRequest): Promise<readonly Uint8Array[]>;
  close(): void;
}

/** @internal Recipient of messages, as the elements of a push. */
export type Deliver = (parts: readonly Uint8Array[]) => void;

/** @internal Subscriptions of one database. */
export interface ChannelSource {
  /** Resolves when the server has the subscription, which survives a lost connection. */
  begin(kind: MessageKind, name: Uint8Array): Promise<void>;
  end(kind: MessageKind, name: Uint8Array): void;
}

/** @internal */
export interface Transport {
  /** A line for a client with this state. */
  line(state: ClientState): Line;
  /** A line for a command that waits, in this database. */
  waitingLine(db: number): Line;
  channels(deliver: Deliver): ChannelSource;
  /** Ends everything that waits. */
  close(): void;
}

/** @internal Bounds of a call: times in milliseconds, and whether it has an id. */
export interface CallLimits {
  /** Whether requests that write have ids, by which a server knows one that is sent again. */
  readonly requestIds: boolean;
  /** Time for one answer. */
  readonly timeoutMs: number;
  /** Time in which attempts begin. */
  readonly retryMs: number;
}
