/** Limits of an object, checked: a class may set its own, and what a namespace takes fits the memory of an isolate. */
import { CallerRangeError, CallerTypeError } from '../../base/caller-errors.js';

/** Limits of a namespace: the static field `limits` of a class that extends `KeylatchObject`. */
export interface KeylatchLimits {
  /**
   * Memory of the keyspace, such as `50mb`; `0` for no limit. Beyond it commands that take more are refused (`OOM`). 20mb unless
   * given; the variable KEYLATCH_MAXMEMORY comes before this.
   */
  readonly memory?: string | undefined;
  /** Longest argument of a command, and longest string that one makes, in bytes: 4 MiB unless given, and at least 1 MiB. */
  readonly valueBytes?: number | undefined;
  /** Commands of a pipeline or a transaction over REST: 10,000 unless given. */
  readonly pipelineCommands?: number | undefined;
  /** Clients that may wait inside of commands such as BLPOP at the same time: 1,000 unless given. */
  readonly waitingClients?: number | undefined;
  /** Sockets: 10,000 unless given. */
  readonly sockets?: number | undefined;
}

export type Limits = Required<{ [Name in keyof KeylatchLimits]: NonNullable<KeylatchLimits[Name]> }>;

const MIB = 1024 * 1024;

/** A keyspace of 20 MB leaves memory of an isolate's 128 MB for a snapshot, the log as it is read, and other namespaces. */
const DEFAULTS: Limits = {
  memory: '20mb',
  valueBytes: 4 * MIB,
  pipelineCommands: 10_000,
  waitingClients: 1000,
  sockets: 10_000,
};
/** The smallest limits; that of values is the engine's. */
const LEAST: Readonly<Record<string, number>> = { valueBytes: MIB, pipelineCommands: 1 };

/** The limits of a class, with the variables of the Worker. Wrong ones are a TypeError or a RangeError. */
export function limitsOf(given: KeylatchLimits, env: unknown): Limits {
  const { KEYLATCH_MAXMEMORY: memory } = (env ?? {}) as { readonly KEYLATCH_MAXMEMORY?: string };
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(DEFAULTS, name));
  if (unknown !== undefined)
    throw new CallerTypeError(`KeylatchObject has no limit '${unknown}': it has ${Object.keys(DEFAULTS).join(', ')}`);
  const present = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const limits: Limits = { ...DEFAULTS, ...present, ...(memory === undefined ? {} : { memory }) };
  for (const [name, value] of Object.entries(limits)) {
    const least = LEAST[name] ?? 0;
    if (name !== 'memory' && !(Number.isSafeInteger(value) && (value as number) >= least))
      throw new CallerRangeError(
        `KeylatchObject: limits.${name} must be an integer of ${least} or more, found ${value}`,
      );
  }
  return limits;
}
