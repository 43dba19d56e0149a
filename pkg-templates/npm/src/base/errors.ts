/** All errors that this package throws. The wording of server errors comes with the reply. Stacks begin at the caller's line. */
import { AWAITABLE } from './generated/awaitable.js';
import { shareClass } from './shared-classes.js';
import { fromCaller } from './stack.js';
import { CallerRangeError } from './caller-errors.js';

/** An error reply of the server. `message` is its text as Redis words it, code included. */
export class ReplyError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'ReplyError');
  /** `ReplyError`. */
  override readonly name = 'ReplyError';
  /** The first word of the message: `ERR`, `WRONGTYPE`, `EXECABORT`, ... */
  readonly code: string;
  /** The command that failed, in capitals. */
  readonly command: string;

  /** `message` begins with the code; `command` is in capitals. */
  constructor(message: string, command: string, options?: ErrorOptions) {
    super(message, options);
    this.code = /^[A-Z][A-Z0-9_]*(?= |$)/.exec(message)?.[0] ?? 'ERR';
    this.command = command;
    fromCaller(this);
  }

  /** Name, message, code and command, which `JSON.stringify` would not all show. */
  toJSON(): { name: string; message: string; code: string; command: string } {
    const { name, message, code, command } = this;
    return { name, message, code, command };
  }
}

/**
 * The result of a command is an integer beyond 2^53 - 1, which a number cannot hold exactly. The command has run; with
 * `{ bigint: true }` as last argument its method returns a bigint.
 */
export class UnsafeIntegerError extends CallerRangeError {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'UnsafeIntegerError');
  /** `UnsafeIntegerError`. */
  override readonly name = 'UnsafeIntegerError';
  /** The result. */
  readonly value: bigint;
  /** The command, in capitals. */
  readonly command: string;

  /** @internal */
  constructor(method: string, value: bigint) {
    super(
      `${method}: the command has run, but its result ${value} is beyond 2^53 - 1; ` +
        'pass { bigint: true } as last argument to get a bigint',
    );
    this.value = value;
    this.command = method.toUpperCase();
    fromCaller(this);
  }
}

/**
 * Commands of a transaction failed when they ran; the others have run, as in Redis. `cause` is the first error.
 * `exec({ errors: 'return' })` returns errors among the results instead.
 */
export class ExecError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'ExecError');
  /** `ExecError`. */
  override readonly name = 'ExecError';
  /** Results of all commands in their order; errors where they occurred. */
  readonly replies: readonly unknown[];

  /** @internal */
  constructor(replies: readonly unknown[]) {
    const failed = replies.filter((reply) => reply instanceof Error);
    const [cause] = failed;
    const number = replies.indexOf(cause) + 1;
    super(
      `${failed.length} of ${replies.length} commands of the transaction failed, the others have run: ` +
        `command ${number}, ${(cause as ReplyError).command}: ${cause?.message} (all results are in .replies)`,
      { cause },
    );
    this.replies = replies;
    fromCaller(this);
  }
}

/** The WebAssembly instance trapped. Its memory can no longer be trusted, so every later call throws this error. */
export class PoisonedError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'PoisonedError');
  /** `PoisonedError`. */
  override readonly name = 'PoisonedError';

  /** @internal */
  constructor(cause: unknown) {
    super('the engine trapped and is unusable: create a new Keylatch (the trap is in .cause)', { cause });
    fromCaller(this);
  }
}

/** @internal Reason for which the engine ended a client. */
export const ENDED = ': QUIT or CLIENT KILL ended it, or its output was too long; use another one, db.client()';

/** The engine or the client was closed. */
export class ClosedError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'ClosedError');
  /** `ClosedError`. */
  override readonly name = 'ClosedError';

  /** @internal */
  constructor(what: 'engine' | 'client', reason = '') {
    super(`the ${what} is closed${reason}`);
    fromCaller(this);
  }
}

/** The command ran, but the client's replies are off: `CLIENT REPLY OFF` or `SKIP`. */
export class NoReplyError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'NoReplyError');
  /** `NoReplyError`. */
  override readonly name = 'NoReplyError';
  /** The command that ran, in capitals. */
  readonly command: string;

  /** @internal */
  constructor(command: string) {
    super(`${command} ran without a reply, because replies are off: turn them on with call('CLIENT', 'REPLY', 'ON')`);
    this.command = command;
    fromCaller(this);
  }
}

/** The clock threw, returned a value that is not a time, or called its own engine. The command did not run. */
export class ClockError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'ClockError');
  /** `ClockError`. */
  override readonly name = 'ClockError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    fromCaller(this);
  }
}

/**
 * The command is blocked, or queued behind a blocked one, and has no reply yet. The reply will be in `takePushes` or
 * `takeOutbox`.
 */
export class WaitingError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'WaitingError');
  /** `WaitingError`. */
  override readonly name = 'WaitingError';
  /** The command that is blocked, in capitals. */
  readonly command: string;

  /** @internal */
  constructor(command: string) {
    const way = AWAITABLE.includes(command) ? `; await the method ${command.toLowerCase()}() instead` : '';
    super(`${command} blocks: the reply will be delivered with the client's pushes${way}`);
    this.command = command;
    fromCaller(this);
  }
}

/** The keys watched by `db.transaction` changed in every attempt, so that nothing was written. */
export class WatchError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'WatchError');
  /** `WatchError`. */
  override readonly name = 'WatchError';

  constructor(attempts: number) {
    super(`watched keys changed in each of ${attempts} attempts: nothing was written (see the option retries)`);
    fromCaller(this);
  }
}

/** A session text that cannot be read; lines and columns count from 1. */
export class SessionError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'SessionError');
  /** `SessionError`. */
  override readonly name = 'SessionError';
  /** Line of the mistake. */
  readonly line: number;
  /** Column of the mistake. */
  readonly column: number;

  /** @internal */
  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
    fromCaller(this);
  }
}

/** A typed command line that cannot be split into arguments; columns count from 1. */
export class LineError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'LineError');
  /** `LineError`. */
  override readonly name = 'LineError';
  /** Column of the mistake. */
  readonly column: number;

  /** @internal */
  constructor(message: string, column: number) {
    super(message);
    this.column = column;
    fromCaller(this);
  }
}

/** A value that the codec cannot decode: another program wrote it, or another codec. The cause is the codec's error. */
export class DecodeError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'DecodeError');
  /** `DecodeError`. */
  override readonly name = 'DecodeError';
  /** The key as text. */
  readonly key: string;

  constructor(key: string, codec: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the value of key ${JSON.stringify(key)} is not ${codec}: ${reason}`, { cause });
    this.key = key;
    fromCaller(this);
  }
}

/** Details of a LoadError. */
export interface LoadErrorOptions extends ErrorOptions {
  /** Bytes before the damage, or before the part that is not supported. */
  readonly offset?: number | undefined;
}

/**
 * An engine, log or snapshot that cannot be loaded: damaged, of another version, or an engine that the environment does
 * not compile. The message says what to do; nothing was changed by the refused part.
 */
export class LoadError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'LoadError');
  /** `LoadError`. */
  override readonly name = 'LoadError';
  /** Bytes before the damage, or before the part that is not supported; undefined if that is not known. */
  readonly offset: number | undefined;

  constructor(message: string, options: LoadErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.offset = options.offset;
    fromCaller(this);
  }
}

/** Messages of the bindings about an instance that a trap left behind. */
const BINDING_ERRORS = /^(recursive use of an object|null pointer passed to rust|attempted to take ownership)/;

/**
 * @internal Whether WebAssembly itself threw an error. Compared by name: the error may come from another realm. InternalError
 * is Firefox's stack overflow.
 */
export function isTrap(error: unknown): boolean {
  const { name, message } = (error ?? {}) as { readonly name?: unknown; readonly message?: unknown };
  if (name === 'RuntimeError' || name === 'RangeError' || name === 'InternalError') return true;
  return typeof message === 'string' && BINDING_ERRORS.test(message);
}

/** @internal Whether a reply is an error. Most replies are no objects, which is found without the class. */
export function isReplyError(reply: unknown): reply is ReplyError {
  return typeof reply === 'object' && reply instanceof ReplyError;
}
