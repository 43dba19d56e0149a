/**
 * Errors of `keylatch/locks`. A callback that never ran and one that lost its lock have different classes: `NeverAcquired`
 * and its subclasses, and `Lost` and its subclass. Codes tell them apart where classes cannot, as between bundles.
 */
import { fromCaller } from '../base/stack.js';
import { shareClass } from '../base/shared-classes.js';

/** Code of a LockError. */
export type LockErrorCode =
  | 'NEVER_ACQUIRED'
  | 'TIMED_OUT'
  | 'ABORTED'
  | 'LOST'
  | 'STOLEN'
  | 'DEADLOCK'
  | 'NO_ANSWER'
  | 'NOT_SUPPORTED';

/** Any error of `keylatch/locks`, except TypeErrors about its arguments. */
export class LockError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'LockError');
  /** Name of the class; `AbortError` for `Aborted`, as other waits have it. */
  override readonly name: string;
  /** Code of the class. */
  readonly code: LockErrorCode;

  /** @internal */
  constructor(name: string, code: LockErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = name;
    this.code = code;
    fromCaller(this);
  }
}

/** The lock was not granted, and the callback did not run. `cause` is the error of the server or connection, if there is one. */
export class NeverAcquired extends LockError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'NeverAcquired');
  /** @internal */
  constructor(message: string, options?: ErrorOptions, name = 'NeverAcquired', code: LockErrorCode = 'NEVER_ACQUIRED') {
    super(name, code, message, options);
  }
}

/** The lock was not granted within the time to wait. */
export class TimedOut extends NeverAcquired {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'TimedOut');
  /** @internal */
  constructor(message: string, options?: ErrorOptions) {
    super(message, options, 'TimedOut', 'TIMED_OUT');
  }
}

/** The signal of the request was aborted before the lock was granted; `cause` is its reason. */
export class Aborted extends NeverAcquired {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'Aborted');
  /** @internal */
  constructor(message: string, cause: unknown) {
    super(message, { cause }, 'AbortError', 'ABORTED');
  }
}

/** The lock was granted, and is held no longer: its lease ended, or its key was changed by hand. */
export class Lost extends LockError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'Lost');
  /** @internal */
  constructor(message: string, options?: ErrorOptions, name = 'Lost', code: LockErrorCode = 'LOST') {
    super(name, code, message, options);
  }
}

/** Another owner holds the lock since before the end of this lease. */
export class Stolen extends Lost {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'Stolen');
  /** @internal */
  constructor(message: string) {
    super(message, undefined, 'Stolen', 'STOLEN');
  }
}

/** Two holders would wait for each other for ever. This one keeps what it holds. */
export class Deadlock extends LockError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'Deadlock');
  /** @internal */
  constructor(message: string, options?: ErrorOptions) {
    super('Deadlock', 'DEADLOCK', message, options);
  }
}

/** The store gave no answer in time. Whether it did what was asked is not known. */
export class NoAnswer extends LockError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'NoAnswer');
  /** @internal */
  constructor(limitMs: number) {
    super('NoAnswer', 'NO_ANSWER', `the store did not answer within ${Math.ceil(limitMs)} ms`);
  }
}

/** The server lacks the command that the request needs. */
export class NotSupported extends LockError {
  /** @internal */
  static override readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'NotSupported');
  /** The command, in capitals. */
  readonly command: string;

  /** @internal */
  constructor(command: string, message: string) {
    super('NotSupported', 'NOT_SUPPORTED', message);
    this.command = command;
  }
}

/** @internal Names as messages show them. */
export function quoted(names: readonly string[]): string {
  return names.map((name) => JSON.stringify(name)).join(', ');
}

/** @internal Error of a wait that is over. */
export function unavailable(what: string, waitMs: number | undefined): NeverAcquired {
  if (waitMs === 0) return new NeverAcquired(`${what} is held by others`);
  return new TimedOut(`${what} was held by others for ${waitMs} ms`);
}

/** Names with one hash tag: the first part of the first name. */
function tagged(names: readonly string[]): string {
  const [tag = ''] = (names[0] ?? '').split('/');
  return quoted(names.map((name) => `{${tag}}${name.startsWith(tag) ? name.slice(tag.length) : name}`));
}

function reasonOf(names: readonly string[], cause: unknown): string {
  if (hasCode(cause, 'CROSSSLOT')) return `several names need one slot of the cluster; name them ${tagged(names)}`;
  return cause instanceof Error ? cause.message : String(cause);
}

/** @internal Error of a request that the store, or the way to it, refused. */
export function refused(names: readonly string[], cause: unknown, waitMs = 0): LockError {
  if (cause instanceof LockError && !(cause instanceof NoAnswer)) return cause;
  const message = `the lock ${quoted(names)} was not acquired: ${reasonOf(names, cause)}`;
  return waitMs > 0 && cause instanceof NoAnswer
    ? new TimedOut(message, { cause })
    : new NeverAcquired(message, { cause });
}

/** @internal Whether an error is a reply with one of some codes. Clients may put words of their own in front. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && error.message.split(/\W/).some((word) => codes.includes(word));
}

/** @internal The error of a request that a script or a command of the server refused. */
export function translated(error: unknown): unknown {
  return hasCode(error, 'DEADLOCK') ? new Deadlock((error as Error).message, { cause: error }) : error;
}

/** @internal Whether the command may have run although it ended with this error. */
export function isUnknown(error: unknown): boolean {
  return !(error instanceof LockError) || error instanceof NoAnswer;
}
