/** All errors that this package throws. The wording of server errors comes with the reply. */

/** An error reply of the server. `message` is its text as Redis words it, code included. */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
  /** The first word of the message: `ERR`, `WRONGTYPE`, `EXECABORT`, ... */
  readonly code: string;
  /** The command that failed, in capitals. */
  readonly command: string;

  constructor(message: string, command: string, options?: ErrorOptions) {
    super(message, options);
    this.code = /^[A-Z][A-Z0-9_]*(?= |$)/.exec(message)?.[0] ?? 'ERR';
    this.command = command;
  }
}

/**
 * The result of a command is an integer beyond 2^53 - 1, which a number cannot hold exactly. The command has run; with
 * `{ bigint: true }` as last argument its method returns a bigint.
 */
export class UnsafeIntegerError extends RangeError {
  override readonly name = 'UnsafeIntegerError';
  /** The result. */
  readonly value: bigint;
  /** The command, in capitals. */
  readonly command: string;

  constructor(method: string, value: bigint) {
    super(
      `${method}: the command has run, but its result ${value} is beyond 2^53 - 1; ` +
        'pass { bigint: true } as last argument to get a bigint',
    );
    this.value = value;
    this.command = method.toUpperCase();
  }
}

/**
 * Commands of a transaction failed when they ran; the others have run, as in Redis. `cause` is the first error.
 * `exec({ errors: 'return' })` returns errors among the results instead.
 */
export class ExecError extends Error {
  override readonly name = 'ExecError';
  /** Results of all commands in their order; errors where they occurred. */
  readonly replies: readonly unknown[];

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
  }
}

/** The WebAssembly instance trapped. Its memory can no longer be trusted, so every later call throws this error. */
export class PoisonedError extends Error {
  override readonly name = 'PoisonedError';

  constructor(cause: unknown) {
    super('the engine trapped and is unusable: create a new Keylatch (the trap is in .cause)', { cause });
  }
}

/** The engine or the client was closed. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';

  constructor(what: 'engine' | 'client') {
    super(`the ${what} is closed`);
  }
}

/** The clock threw, returned a value that is not a time, or called its own engine. The command did not run. */
export class ClockError extends Error {
  override readonly name = 'ClockError';
}

/** Commands with a method that returns a promise. */
const AWAITABLE = ['BLPOP', 'BRPOP', 'BLMOVE', 'BLMPOP', 'BZPOPMIN', 'BZPOPMAX', 'BZMPOP', 'WAIT'];

/**
 * The command is blocked, or queued behind a blocked one, and has no reply yet. The reply will be in `takePushes` or
 * `takeOutbox`.
 */
export class WaitingError extends Error {
  override readonly name = 'WaitingError';
  readonly command: string;

  constructor(command: string) {
    const way = AWAITABLE.includes(command) ? `; await the method ${command.toLowerCase()}() instead` : '';
    super(`${command} blocks: the reply will be delivered with the client's pushes${way}`);
    this.command = command;
  }
}

/** A session text that cannot be read; lines and columns count from 1. */
export class SessionError extends Error {
  override readonly name = 'SessionError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** A typed command line that cannot be split into arguments; columns count from 1. */
export class LineError extends Error {
  override readonly name = 'LineError';
  readonly column: number;

  constructor(message: string, column: number) {
    super(message);
    this.column = column;
  }
}

/** A log or snapshot that is damaged or was written by a newer version; nothing was changed by the refused part. */
export class LoadError extends Error {
  override readonly name = 'LoadError';
}
