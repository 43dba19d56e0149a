/** Decisions about requests while the store fails: they pass, or they are refused. */
import { NotSupported } from '../../locks/errors.js';
import { problem, type PlainResponse, retryAfter } from './plain-response.js';

/** Options about a store that fails, is silent, or cannot be reached. */
export interface StoreFailureOptions {
  /** Whether requests pass (`open`) or are answered with 503 (`closed`) while the store fails. */
  readonly onFailure?: 'open' | 'closed' | undefined;
  /** Gets each error of the store. */
  readonly onError?: ((error: unknown) => void) | undefined;
}

/** Seconds after which a client may try again. */
const AGAIN_MS = 1000;

/**
 * The response to a request after the store failed; undefined if the request passes. A store that lacks the
 * command is a mistake of the program: that error is thrown.
 */
export function failed(error: unknown, { onFailure, onError }: StoreFailureOptions): PlainResponse | undefined {
  if (error instanceof NotSupported) throw error;
  onError?.(error);
  if (onFailure === 'open') return undefined;
  return problem(503, 'a part of this server is not available at the moment', retryAfter(AGAIN_MS));
}
