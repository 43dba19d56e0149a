/** Failures of one attempt, by what they say about the commands. */

/** `refused`: nothing ran, and `cause` goes to the caller; `unsent`: nothing ran; `lost`: the commands may have run. */
export type FailureKind = 'refused' | 'unsent' | 'lost';

export class CallFailure extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, cause: unknown) {
    super(`the call was ${kind}`, { cause });
    this.kind = kind;
  }
}

/** The failure of an error: without another word the commands may have run. */
export function failureOf(error: unknown): CallFailure {
  return error instanceof CallFailure ? error : new CallFailure('lost', error);
}
