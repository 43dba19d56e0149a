/** Responses that middleware gives in place of a handler: plain data, written by the part for each framework. */

/** A header's name and value. */
export type Header = readonly [name: string, value: string];

/** A response. */
export interface PlainResponse {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string | Uint8Array;
}

const MS_PER_SECOND = 1000;

const TITLES: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  409: 'Conflict',
  422: 'Unprocessable Content',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
};

/** A refusal as problem details (RFC 9457). */
export function problem(status: number, detail: string, headers: readonly Header[] = []): PlainResponse {
  return {
    status,
    headers: [...headers, ['Content-Type', 'application/problem+json']],
    body: JSON.stringify({ title: TITLES[status], status, detail }),
  };
}

/** Header Retry-After of a number of milliseconds; none if it would never help. */
export function retryAfter(ms: number): Header[] {
  return Number.isFinite(ms) ? [['Retry-After', String(secondsOf(ms))]] : [];
}

/** Milliseconds in whole seconds, as headers have them: rounded up, so that a client does not come too early. */
export function secondsOf(ms: number): number {
  return Math.ceil(ms / MS_PER_SECOND);
}

/** Value of a header with one more item: each policy of a list may come from other middleware. */
export function withItem(before: number | string | string[] | undefined, item: string): string {
  return before === undefined ? item : `${before}, ${item}`;
}

/** Headers by their names: a text, or a list for a name that occurs more than once, such as Set-Cookie. */
export function byName(headers: readonly Header[]): Map<string, string | string[]> {
  const all = new Map<string, string | string[]>();
  for (const [name, value] of headers) {
    const before = all.get(name);
    all.set(name, before === undefined ? value : [before, value].flat());
  }
  return all;
}
