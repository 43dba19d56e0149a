/** Messages of a page that frames `/embed`. Anything may arrive here; all but one form is ignored. Pure. */

const MIN_HEIGHT = 120;
const MAX_HEIGHT = 4000;

/** Height in pixels of `{ keylatch: 'resize', height }`, within limits; undefined for anything else. */
export function heightOfMessage(data: unknown): number | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { keylatch, height } = data as { readonly keylatch?: unknown; readonly height?: unknown };
  if (keylatch !== 'resize' || typeof height !== 'number' || !Number.isFinite(height)) return undefined;
  return Math.round(Math.min(Math.max(height, MIN_HEIGHT), MAX_HEIGHT));
}
