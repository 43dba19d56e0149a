/** An error that Jest, Vitest, Mocha and node:test show with the difference between what was expected and found. */

export interface Compared {
  readonly expected: unknown;
  readonly actual: unknown;
}

/** Failure of an assertion, recognised by its code as Node's own are; made without Node. */
export class AssertionError extends Error implements Compared {
  override readonly name = 'AssertionError';
  readonly code = 'ERR_ASSERTION';
  readonly operator = 'strictEqual';
  readonly generatedMessage = false;
  /** Vitest and Mocha print the difference only then. */
  readonly showDiff = true;
  readonly expected: unknown;
  readonly actual: unknown;

  /** The stack begins with the caller of `assertion`. */
  constructor(message: string, { expected, actual }: Compared, assertion: (...args: never[]) => unknown) {
    super(message);
    this.expected = expected;
    this.actual = actual;
    (Error as { captureStackTrace?: (error: Error, above: unknown) => void }).captureStackTrace?.(this, assertion);
  }
}
