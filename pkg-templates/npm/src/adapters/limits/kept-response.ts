/** Responses that are kept for their key, as JSON, with the fingerprint of the request that they answer. */
import { fromBase64, toBase64 } from '../../base/base64.js';
import { Encoder } from '../../base/encoders.js';
import type { Header, PlainResponse } from './plain-response.js';

/** A response of a handler. Without a body if that is larger than is kept. */
export interface HandlerResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | undefined;
}

/** Value of a key. Without a body the response was too large. */
export interface Kept {
  readonly fingerprint: string;
  readonly status: number;
  readonly headers: readonly Header[];
  /** Base64. */
  readonly body?: string;
}

/** Headers of one transfer, or of a limit at the time of the request: those of the replay are its own. */
const TRANSIENT = new Set([
  'connection',
  'content-length',
  'date',
  'keep-alive',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

const encoder = /* @__PURE__ */ new Encoder();

/** A response as it is kept: without what belongs to its transfer, and without a body of more than `maxBytes`. */
export function kept(fingerprint: string, { status, headers, body }: HandlerResponse, maxBytes: number): Kept {
  const lasting = headers.filter(([name]) => !TRANSIENT.has(name.toLowerCase()));
  const size = encoder.encode(JSON.stringify(lasting)).length + (body?.length ?? 0);
  if (body === undefined || size > maxBytes) return { fingerprint, status, headers: [] };
  return { fingerprint, status, headers: lasting, body: toBase64(body) };
}

/** A kept response; undefined for one that was too large. */
export function replayed({ status, headers, body }: Kept): PlainResponse | undefined {
  if (body === undefined) return undefined;
  return { status, headers: [...headers, ['Idempotent-Replayed', 'true']], body: fromBase64(body) };
}

/** Whether a value is a kept response, and not something else at its key. */
export function isKept(value: unknown): value is Kept {
  const { fingerprint, status, headers } = (value ?? {}) as Partial<Kept>;
  return typeof fingerprint === 'string' && typeof status === 'number' && Array.isArray(headers);
}
