/** Requests of the REST protocol: where they go, and failures of their responses. */
import { ReplyError } from '../base/errors.js';
import { AccessRefused, Overloaded, RemoteError } from './errors.js';
import { CallFailure } from './failure.js';

/** Where requests go. */
export interface RestTarget {
  /** Address with the namespace, without a slash at its end. */
  readonly base: string;
  token(): Promise<string | undefined>;
}

/** Errors of Node for addresses that no connection led to. */
const NOT_CONNECTED = /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

/** Headers of a request. */
export async function headersOf(target: RestTarget): Promise<Record<string, string>> {
  try {
    const token = await target.token();
    return token === undefined ? {} : { authorization: `Bearer ${token}` };
  } catch (cause) {
    throw new CallFailure('refused', cause);
  }
}

/** The response, or the failure of a request without one. */
export async function reached(response: Promise<Response>): Promise<Response> {
  try {
    return await response;
  } catch (cause) {
    const { code } = ((cause as Error | undefined)?.cause ?? {}) as { readonly code?: string };
    throw new CallFailure(NOT_CONNECTED.test(code ?? '') ? 'unsent' : 'lost', cause);
  }
}

/** The failure of a response that is not 200. */
export async function failureOfResponse(response: Response, command: string): Promise<CallFailure> {
  const { status } = response;
  const reason = await errorIn(response);
  const shown = reason ?? `status ${status}`;
  if (status === 401 || status === 403) return new CallFailure('refused', new AccessRefused(shown));
  if (status === 429) return new CallFailure('refused', new Overloaded(shown));
  if (status >= 500 || reason === undefined) return new CallFailure('lost', new Error(shown));
  return new CallFailure('refused', new ReplyError(reason, command));
}

async function errorIn(response: Response): Promise<string | undefined> {
  try {
    const { error } = (await response.json()) as { readonly error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    // A proxy in front of the server has answered.
    return undefined;
  }
}

/** Refusal of a request that does nothing: the failed upgrade of a WebSocket has no reason. Undefined if there is none. */
export async function refusalOf(target: RestTarget, timeoutMs: number): Promise<RemoteError | undefined> {
  try {
    const init = { method: 'POST', headers: await headersOf(target), body: '["PING"]' };
    const response = await fetch(`${target.base}/`, { ...init, signal: AbortSignal.timeout(timeoutMs) });
    if (response.status === 200) return undefined;
    const { kind, cause } = await failureOfResponse(response, 'PING');
    return kind === 'refused' && cause instanceof RemoteError ? cause : undefined;
  } catch {
    // The server is not there, or pages of this origin may not ask.
    return undefined;
  }
}
