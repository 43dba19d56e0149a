/**
 * Blocking commands. Each runs on an engine client of its own, so that other commands do not wait behind it, and
 * returns a promise of its reply. Nothing polls: the host notifies the observer when the reply has reached that client.
 */
import { abortReason, onAbort, type AbortSignalLike } from '../base/abort.js';
import { commandName, type Argument } from '../base/argument.js';
import type { ClientObserver } from '../host/client-observers.js';
import { Connection } from './connection.js';
import { ClosedError, PoisonedError, ReplyError } from '../base/errors.js';
import { BLOCKED } from '../host/frame.js';
import type { Instance } from '../host/instance.js';
import { ReplyReader, type Reply } from '../resp/reply.js';
import { fromTrace, trace, type Trace } from '../base/stack.js';

/** Options of the methods that wait. */
export interface WaitOptions {
  /** Ends the wait: the promise is rejected with the signal's reason, an AbortError by default. */
  readonly signal?: AbortSignalLike | undefined;
}

/** @internal A command that may block. */
export interface WaitRequest extends WaitOptions {
  readonly argv: readonly Argument[];
  readonly asBytes: boolean;
  /** True when the command has a timeout: the process is kept alive until then. */
  readonly timed: boolean;
}

type Replies = Reply<string | Uint8Array>;

/** @internal Runs a command in the current database of `origin`, and ends when `origin` is closed. */
export function waitFor(origin: Connection, request: WaitRequest): Promise<Replies> {
  return new Promise((resolve, reject) => {
    if (request.signal?.aborted) throw abortReason(request.signal);
    new Wait(origin, request, resolve, reject).start();
  });
}

class Wait implements ClientObserver {
  readonly #connection: Connection;
  readonly #cleanups: (() => void)[] = [];
  /** The stack of the call: what ends the wait runs on another. */
  #trace: Trace | undefined;

  constructor(
    private readonly origin: Connection,
    private readonly request: WaitRequest,
    private readonly resolve: (reply: Replies) => void,
    private readonly reject: (reason: unknown) => void,
  ) {
    this.#connection = new Connection(origin.host, { db: origin.info().db });
  }

  start(): void {
    try {
      this.origin.host.enter((instance) => this.#run(instance));
    } catch (error) {
      this.#fail(error);
    }
  }

  #run(instance: Instance): void {
    const { argv, asBytes, timed, signal } = this.request;
    this.origin.refuseEnded(instance);
    const id = this.#connection.id();
    this.#cleanups.push(() => this.#connection.disconnect());
    const reply = instance.run(id, argv, asBytes);
    if (reply !== BLOCKED) return this.#answer(reply);
    this.#trace = trace();
    this.#cleanups.push(this.origin.host.observe(id, this, timed), this.origin.addDependent(this));
    if (signal !== undefined) this.#cleanups.push(onAbort(signal, () => this.#abandon(abortReason(signal))));
  }

  reached(instance: Instance): void {
    const id = this.#connection.id();
    const bytes = instance.guarded(() => instance.engine.outbox(id));
    if (bytes.length > 0) {
      this.#answer(
        new ReplyReader(bytes, 0, bytes.length, this.request.asBytes, commandName(this.request.argv[0])).read(),
      );
    } else if (instance.guarded(() => instance.engine.closing(id))) {
      this.#fail(new ClosedError('client'));
    }
  }

  ended(error: Error): void {
    this.#fail(error);
  }

  /** Called when the originating client is closed. */
  originClosed(): void {
    this.#abandon(new ClosedError('client'));
  }

  /** A reply that is ready contains an element taken from a key, which must not be lost. */
  #abandon(reason: unknown): void {
    try {
      this.origin.host.enter((instance) => this.reached(instance));
    } catch {
      // The wait ends whatever is wrong with the engine.
    }
    this.#fail(reason);
  }

  #answer(reply: Replies): void {
    if (reply instanceof ReplyError) this.#fail(reply);
    else this.#end(() => this.resolve(reply));
  }

  #fail(reason: unknown): void {
    const located = this.#trace !== undefined && isOwn(reason) ? fromTrace(reason, this.#trace) : reason;
    this.#end(() => this.reject(located));
  }

  /** Idempotent, as resolving the promise is. */
  #end(complete: () => void): void {
    complete();
    for (const cleanup of this.#cleanups.splice(0).reverse()) cleanup();
  }
}

/** Whether an error was made for this wait alone; a signal's reason belongs to the program. */
function isOwn(reason: unknown): reason is Error {
  return reason instanceof ReplyError || reason instanceof ClosedError || reason instanceof PoisonedError;
}
