/** All errors that this package throws. The wording of server errors comes with the reply. Stacks begin at the caller's line. */
import { fromCaller } from './stack.js';

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
    fromCaller(this);
  }
}

/** The WebAssembly instance trapped. Its memory can no longer be trusted, so every later call throws this error. */
export class PoisonedError extends Error {
  override readonly name = 'PoisonedError';

  constructor(cause: unknown) {
    super('the engine trapped and is unusable: create a new Keylatch (the trap is in .cause)', { cause });
    fromCaller(this);
  }
}

/** The engine or the client was closed. */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';

  constructor(what: 'engine' | 'client') {
    super(`the ${what} is closed`);
    fromCaller(this);
  }
}

/** The clock threw, returned a value that is not a time, or called its own engine. The command did not run. */
export class ClockError extends Error {
  override readonly name = 'ClockError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    fromCaller(this);
  }
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
    fromCaller(this);
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
    fromCaller(this);
  }
}

/** A typed command line that cannot be split into arguments; columns count from 1. */
export class LineError extends Error {
  override readonly name = 'LineError';
  readonly column: number;

  constructor(message: string, column: number) {
    super(message);
    this.column = column;
    fromCaller(this);
  }
}

/**
 * An engine, log or snapshot that cannot be loaded: damaged, of another version, or an engine that the environment does
 * not compile. The message says what to do; nothing was changed by the refused part.
 */
export class LoadError extends Error {
  override readonly name = 'LoadError';

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    fromCaller(this);
  }
}
