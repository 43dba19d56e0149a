/** Answers of the browser that may never come. */

/** No answer came in time. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
  override readonly message = 'the browser does not answer';
}

/** Waits for an answer, and rejects if there is none in time. */
export async function answered<T>(answer: Promise<T>, limitMs: number): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, fail) => {
    timer = setTimeout(() => fail(new NoAnswerError()), limitMs);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
