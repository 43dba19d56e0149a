/** Leases: how long a client keeps what a command takes, as the words of the command say. Pure. */

/** A time for which something is kept: milliseconds from the reply on, or the last instant. */
export type Lease = { readonly forMs: number } | { readonly untilMs: number };

const SPANS_MS: Readonly<Record<string, number>> = { EX: 1000, PX: 1, TTL: 1 };
const INSTANTS_MS: Readonly<Record<string, number>> = { EXAT: 1000, PXAT: 1 };
/** Commands with a time as their third word. */
const COMMANDS: Readonly<Record<string, readonly [kind: 'for' | 'until', unitMs: number]>> = {
  SETEX: ['for', 1000],
  PSETEX: ['for', 1],
  EXPIRE: ['for', 1000],
  PEXPIRE: ['for', 1],
  EXPIREAT: ['until', 1000],
  PEXPIREAT: ['until', 1],
};

/**
 * The time for which a command keeps what it takes: by an option such as PX or TTL, or as SETEX and EXPIRE do. Undefined if
 * it names none.
 *
 * @example leaseOf(['SET', 'lock', 'me', 'NX', 'PX', '5000']) // { forMs: 5000 }
 */
export function leaseOf(words: readonly string[]): Lease | undefined {
  const [name = '', ...rest] = words.map((word) => word.toUpperCase());
  const command = COMMANDS[name];
  if (command) return leaseFrom(command[0], Number(rest[1]) * command[1]);
  for (let index = 1; index < rest.length - 1; index += 1) {
    const word = rest[index] ?? '';
    const amount = Number(rest[index + 1]);
    if (SPANS_MS[word] !== undefined) return leaseFrom('for', amount * SPANS_MS[word]);
    if (INSTANTS_MS[word] !== undefined) return leaseFrom('until', amount * INSTANTS_MS[word]);
  }
  return undefined;
}

function leaseFrom(kind: 'for' | 'until', ms: number): Lease | undefined {
  if (!Number.isFinite(ms)) return undefined;
  return kind === 'for' ? { forMs: ms } : { untilMs: ms };
}
