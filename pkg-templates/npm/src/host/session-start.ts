/** @internal The start of every session: 2026-01-01T00:00:00Z. */
export const SESSION_START_MS = 1767225600000;
