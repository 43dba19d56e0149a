/** Errors of calls that another place should have answered. Error replies of commands are ReplyErrors, here too. */
import { shareClass } from '../base/shared-classes.js';

/** A call without a reply. Subclasses say whether it may have run, and what to do. */
export class RemoteError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'RemoteError');
  /** Name of the class. */
  override readonly name: string = 'RemoteError';
}

/**
 * The reply of a command was lost, so it is unknown whether the command ran: look first, or repeat only what can run twice.
 * Commands that only read are repeated by themselves, and so are others with the option `requestIds`.
 */
export class MayHaveRun extends RemoteError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'MayHaveRun');
  /** `MayHaveRun`. */
  override readonly name = 'MayHaveRun';
  /** The command in capitals; `EXEC` for a transaction. */
  readonly command: string;

  /** `cause` is what became of the reply. */
  constructor(command: string, cause: unknown) {
    super(`the reply of ${command} was lost, so it is unknown whether it ran: ${messageOf(cause)}`, { cause });
    this.command = command;
  }
}

/** The server refuses the token: none was sent, a wrong one, or one that has ended. Nothing has run. */
export class AccessRefused extends RemoteError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'AccessRefused');
  /** `AccessRefused`. */
  override readonly name = 'AccessRefused';

  constructor(reason: string) {
    super(
      `the server refuses the token (${reason}): pass { token } to connect(), one that it knows and that has not ended`,
    );
  }
}

/** The server has more requests than it can run, or its limit for this token is reached. The command has not run. */
export class Overloaded extends RemoteError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'Overloaded');
  /** `Overloaded`. */
  override readonly name = 'Overloaded';

  constructor(reason: string) {
    super(`the server takes no more requests now (${reason}): send fewer, and do not repeat this one at once`);
  }
}

/** The server was not reached, or did not answer a command that only reads: nothing has changed, so try again later. */
export class Unavailable extends RemoteError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'Unavailable');
  /** `Unavailable`. */
  override readonly name = 'Unavailable';

  constructor(reason: string, options?: ErrorOptions) {
    super(`no answer from the server (${reason}): nothing has changed, so try again later`, options);
  }
}

/** The text of an error, with that of its cause where the platform hides the reason there. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  const isHidden = cause instanceof Error && !error.message.includes(cause.message) && cause.message !== '';
  return isHidden ? `${error.message}: ${cause.message}` : error.message;
}
