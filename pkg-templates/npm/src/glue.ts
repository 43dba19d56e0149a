/**
 * The engine as the generated bindings show it (src/wasm in the Rust sources). Bytes go in through the input area:
 * `reserve` says where, the caller writes, the next method takes the length. Byte results longer than a word are
 * either copied out by the bindings or lie at `output()` until the next call.
 */

/** An event as the engine reports it. */
export interface RawEvent {
  readonly event: string;
  readonly key: Uint8Array;
  readonly db: number;
}

export interface GlueOptions {
  /** An unsigned 64-bit number in decimal. */
  readonly seed: string;
  readonly monotonic: boolean;
  /** The earliest time a monotonic clock shows. */
  readonly floorMs?: number;
  /** The clock stands still until `setClock`; `now` is never called. */
  readonly manual: boolean;
}

export interface GlueInspection {
  readonly cursor: string;
  readonly keys: readonly {
    readonly key: Uint8Array;
    readonly type: string;
    readonly size: number;
    readonly deadlineMs: number | null;
  }[];
}

export interface GlueClient {
  readonly name: string;
  readonly db: number;
  readonly protocol: 2 | 3;
  readonly inTransaction: boolean;
  /** Subscribed to something, or a monitor. */
  readonly listening: boolean;
}

/** Lengths of -1 say that the clock failed and nothing ran. */
export interface GlueEngine {
  /** Where the engine is in the instance's memory; 0 once it was freed. */
  readonly __wbg_ptr: number;
  free(): void;
  /** Gives the area back; answers where to write `length` bytes, or 0 when there is no memory for them. */
  reserve(length: number): number;
  output(): number;
  /** 0 when there is no memory for another client. */
  connect(): number;
  disconnect(client: number): void;
  setProtocol(client: number, protocol: number): void;
  client(client: number): GlueClient | undefined;
  /** Where the frame is: header, spans, how many, bytes, where their room begins, how long they are. */
  frame(): Uint32Array;
  /** Makes the frame larger, or small again; false when there is no memory for it. */
  reserveFrame(args: number, room: number): boolean;
  /** What the script must have been printed from. */
  convention(): number;
  /** Ends a transaction whatever the clock says. */
  discard(client: number): void;
  /** A client over a stream, from one address to another; 0 as for `connect`. */
  accept(address: string, localAddress: string): number;
  /** `now` is what the clock shows, NaN when it failed; one that stands still need not be asked. */
  feed(client: number, length: number, now: number): number;
  /** As `feed`, but runs nothing: hands on what reached the client. */
  wake(client: number): number;
  /** How the last feeding ended: 1 more to do, 2 the client waits, 4 hang up. */
  fed(): number;
  /** Clients that something reached from elsewhere; 0 stands for the configuration. */
  affected(): Uint32Array | undefined;
  parameter(name: string): string;
  /** Why not, if not. */
  configure(name: string, value: string): string | undefined;
  outbox(client: number): Uint8Array;
  /** The client is to be hung up on. */
  closing(client: number): boolean;
  /** From now on the engine knows where among the events each message for this client belongs. */
  notePositions(client: number): void;
  /** For each message in the outbox: how many of the events that wait came before it. */
  takePositions(client: number): Uint32Array;
  tick(): boolean;
  nextDeadline(): number | undefined;
  setClock(ms: number): void;
  now(): number;
  /** Names of events, separated by blanks; `*` for all. Others are not built. */
  listen(names: string): void;
  takeEvents(): RawEvent[] | undefined;
  record(on: boolean): void;
  takeEffects(): Uint8Array;
  replay(length: number): { units: number; droppedBytes: number; lastNowMs: number | null };
  snapshot(): Uint8Array;
  load(length: number): void;
  /** Clients and configuration, for `importState` of a fresh instance; throws if some state cannot migrate. */
  exportState(): Uint8Array;
  importState(length: number): void;
  digest(): string;
  inspect(db: number, cursor: string, limit: number): GlueInspection;
  runSession(length: number, untilLine: number | undefined): unknown;
  printReply(length: number): string;
  splitLine(length: number): Uint8Array[] | { message: string; column: number };
}

/** `engine_call`, an export of the instance itself: the bits of Status, or -1 when the time has to be known and nothing ran. */
export type RawCall = (engine: number, client: number, row: number, count: number, now: number) => number;

/** What the bindings' factory gives for one WebAssembly instance. */
export interface Glue {
  readonly Engine: new (options: GlueOptions, now: () => number) => GlueEngine;
  readonly raw: { readonly engine_call: RawCall; readonly memory: { readonly buffer: ArrayBuffer } };
}
