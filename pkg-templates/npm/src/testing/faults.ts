/** Faults on demand: which requests of a server's clients fail, wait or lose their connection. Knows no sockets. */
import { argumentsOf, type ClientRequest } from '../resp/request-splitter.js';
import { CallerRangeError, CallerTypeError } from '../base/caller-errors.js';

/** Replies of a server in trouble, by their first word; the texts are those of Redis. */
const REPLIES = {
  OOM: "OOM command not allowed when used memory > 'maxmemory'.",
  READONLY: "READONLY You can't write against a read only replica.",
  LOADING: 'LOADING Redis is loading the dataset in memory',
  BUSY: 'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  MASTERDOWN: "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  CLUSTERDOWN: 'CLUSTERDOWN The cluster is down',
  TRYAGAIN: 'TRYAGAIN Multiple keys request during rehashing of slot',
  NOREPLICAS: 'NOREPLICAS Not enough good replicas to write.',
  NOAUTH: 'NOAUTH Authentication required.',
  MISCONF:
    "MISCONF Redis is configured to save RDB snapshots, but it's currently unable to persist to disk. Commands that may " +
    'modify the data set are disabled, because this instance is configured to report errors during writes if RDB ' +
    'snapshotting fails (stop-writes-on-bgsave-error option). Please check the Redis logs for details about the RDB error.',
} as const;

/** Kinds that concern some commands only: those with one of these flags of COMMAND INFO. */
const CONCERNED: Readonly<Record<string, string>> = {
  OOM: 'denyoom',
  READONLY: 'write',
  NOREPLICAS: 'write',
  MISCONF: 'write',
};

/** Commands that clients send by themselves when they connect or leave; they fail only if they are named. */
const OF_CONNECTIONS = new Set(['HELLO', 'AUTH', 'CLIENT', 'SELECT', 'INFO', 'COMMAND', 'RESET', 'QUIT', '']);

/**
 * An error reply with the text of Redis, or `DISCONNECT`: the connection ends instead of a reply. `OOM`, `READONLY`,
 * `NOREPLICAS` and `MISCONF` fail only commands that such a server refuses.
 */
export type FaultKind = keyof typeof REPLIES | 'DISCONNECT';

const FILTER_OPTIONS = ['command', 'when'];
const FAULT_OPTIONS = [...FILTER_OPTIONS, 'times', 'afterwards'];

/** Which requests a fault or a delay concerns. */
export interface RequestFilter {
  /** Name of a command, or several, in any case; all commands unless given. */
  readonly command?: string | readonly string[] | undefined;
  /** Called with the arguments of a request, the command's name first: true if it is concerned. */
  readonly when?: ((argv: readonly string[]) => boolean) | undefined;
}

/** Which requests a fault hits, and how often. */
export interface FaultOptions extends RequestFilter {
  /** Number of requests that fail, 1 unless given; `Infinity` until `cancel` or `reset`. */
  readonly times?: number | undefined;
  /** True: the command runs, and only its reply is lost or replaced. */
  readonly afterwards?: boolean | undefined;
}

/** A fault or delay that was asked for; `using` cancels it. */
export class Fault implements Disposable {
  readonly #isConcerned: (request: ClientRequest) => boolean;
  readonly #cancel: (fault: Fault) => void;
  #hits = 0;

  /** @internal */
  constructor(
    /** @internal Error reply; undefined: the connection ends. */
    readonly text: string | undefined,
    /** @internal */
    readonly afterwards: boolean,
    /** @internal */
    readonly times: number,
    isConcerned: (request: ClientRequest) => boolean,
    cancel: (fault: Fault) => void,
  ) {
    this.#isConcerned = isConcerned;
    this.#cancel = cancel;
  }

  /** Number of requests that failed so far. */
  get hits(): number {
    return this.#hits;
  }

  /** Ends the fault. */
  cancel(): void {
    this.#cancel(this);
  }

  /** Ends the fault; called by `using`. */
  [Symbol.dispose](): void {
    this.cancel();
  }

  /** @internal True if the request is to fail, which counts as a hit. */
  takes(request: ClientRequest): boolean {
    if (!this.#isConcerned(request)) return false;
    this.#hits += 1;
    if (this.#hits >= this.times) this.cancel();
    return true;
  }
}

/** A delay of requests that was asked for; `using` cancels it. */
export class Latency implements Disposable {
  readonly #cancel: (latency: Latency) => void;

  /** @internal */
  constructor(
    /** Delay of each request in milliseconds. */
    readonly ms: number,
    /** @internal */
    readonly isConcerned: (request: ClientRequest) => boolean,
    cancel: (latency: Latency) => void,
  ) {
    this.#cancel = cancel;
  }

  /** Ends the delay. */
  cancel(): void {
    this.#cancel(this);
  }

  /** Ends the delay; called by `using`. */
  [Symbol.dispose](): void {
    this.cancel();
  }
}

export class Faults {
  #faults: readonly Fault[] = [];
  #latencies: readonly Latency[] = [];
  readonly #hasFlag: (command: string, flag: string) => boolean;
  readonly #changed: () => void;

  /** `changed` is called when a delay ended. */
  constructor(hasFlag: (command: string, flag: string) => boolean, changed: () => void) {
    this.#hasFlag = hasFlag;
    this.#changed = changed;
  }

  /** False while every request passes. */
  get any(): boolean {
    return this.#faults.length + this.#latencies.length > 0;
  }

  add(kind: FaultKind | Error | (string & {}), options: FaultOptions): Fault {
    refuseUnknown('failNext', options, FAULT_OPTIONS);
    const { times = 1, afterwards = false } = options;
    if (!(times === Infinity || (Number.isInteger(times) && times > 0))) {
      throw new CallerRangeError(`times must be a positive integer or Infinity, found ${String(times)}`);
    }
    const filter = filterOf(options);
    const flag = typeof kind === 'string' ? CONCERNED[kind] : undefined;
    const isUsual = ({ name }: ClientRequest): boolean =>
      options.command !== undefined || (!OF_CONNECTIONS.has(name) && (flag === undefined || this.#hasFlag(name, flag)));
    const isConcerned = (request: ClientRequest): boolean => isUsual(request) && filter(request);
    const fault = new Fault(textOf(kind), afterwards, times, isConcerned, (over) => {
      this.#faults = this.#faults.filter((other) => other !== over);
    });
    this.#faults = [...this.#faults, fault];
    return fault;
  }

  delay(ms: number, filter: RequestFilter): Latency {
    refuseUnknown('latency', filter, FILTER_OPTIONS);
    if (typeof ms !== 'number' || !(ms >= 0)) {
      throw new CallerRangeError(`latency must be milliseconds, or Infinity for no reply at all, found ${String(ms)}`);
    }
    const latency = new Latency(ms, filterOf(filter), (over) => {
      this.#latencies = this.#latencies.filter((other) => other !== over);
      this.#changed();
    });
    this.#latencies = [...this.#latencies, latency];
    return latency;
  }

  /** Takes the fault of a request, if there is one; faults are used up in the order in which they were asked for. */
  take(request: ClientRequest): Fault | undefined {
    return this.#faults.find((fault) => fault.takes(request));
  }

  /** Delay of a request in milliseconds: that of the latest filter that concerns it. */
  delayOf(request: ClientRequest): number {
    return this.#latencies.findLast(({ isConcerned }) => isConcerned(request))?.ms ?? 0;
  }

  clear(): void {
    this.#faults = [];
    this.#latencies = [];
    this.#changed();
  }
}

function refuseUnknown(method: string, options: object, known: readonly string[]): void {
  const unknown = Object.keys(options).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new CallerTypeError(`${method}: unknown option '${unknown}'; its options are ${known.join(', ')}`);
}

/** The error reply of a kind; undefined when the connection is to end. */
function textOf(kind: FaultKind | Error | string): string | undefined {
  const text = kind instanceof Error ? kind.message : kind;
  if (text === 'DISCONNECT') return undefined;
  if (typeof text === 'string' && Object.hasOwn(REPLIES, text)) return REPLIES[text as keyof typeof REPLIES];
  if (typeof text === 'string' && /^[A-Z][A-Z0-9_]* .*\S/.test(text) && !/[\r\n]/.test(text)) return text;
  throw new CallerTypeError(
    `failNext: ${JSON.stringify(text)} is neither an error reply such as 'ERR not today' nor one of ` +
      `${[...Object.keys(REPLIES), 'DISCONNECT'].join(', ')}`,
  );
}

function filterOf({ command, when }: RequestFilter): (request: ClientRequest) => boolean {
  const names = new Set((typeof command === 'string' ? [command] : (command ?? [])).map((name) => name.toUpperCase()));
  return (request) =>
    (names.size === 0 || names.has(request.name)) && (when === undefined || when(argumentsOf(request)));
}
