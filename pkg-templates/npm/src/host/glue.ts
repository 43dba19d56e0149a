/**
 * Interface of the generated bindings (src/wasm in the Rust sources). Bytes are passed through the input area:
 * `reserve` returns its address, the caller writes, the next method takes the length. Results longer than a word are
 * either copied by the bindings or lie at `output()` until the next call.
 */

import type { Fact } from './facts.js';

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
  /** True when the clock stands still until `setClock`; `now` is never called then. */
  readonly manual: boolean;
}

export interface GlueInspection {
  readonly cursor: string;
  readonly keys: readonly {
    readonly key: Uint8Array;
    readonly type: string;
    readonly size: number;
    readonly deadlineMs: number | null;
    readonly fieldDeadlineMs: number | null;
  }[];
  readonly total: number;
}

export interface GlueClient {
  readonly name: string;
  readonly db: number;
  readonly protocol: 2 | 3;
  readonly inTransaction: boolean;
  /** True for subscribers and monitors. */
  readonly listening: boolean;
  /** True while a command of the client is blocked. */
  readonly blocked: boolean;
}

/** Lengths of -1: the clock failed and no command ran. */
export interface GlueEngine {
  /** Address of the engine in the instance's memory; 0 once it was freed. */
  readonly __wbg_ptr: number;
  free(): void;
  /** Frees the area. Returns the address for `length` bytes, or 0 when memory is exhausted. */
  reserve(length: number): number;
  output(): number;
  /** 0 when memory is exhausted. */
  connect(): number;
  disconnect(client: number): void;
  setProtocol(client: number, protocol: number): void;
  client(client: number): GlueClient | null;
  /** Addresses and sizes of the frame: header, spans, number of spans, bytes, start of the argument space, its size. */
  frame(): Uint32Array;
  /** Resizes the frame; false when memory is exhausted. */
  reserveFrame(args: number, room: number): boolean;
  /** Fingerprint of the tables from which the script must have been generated. */
  convention(): number;
  /** Discards a transaction, also when the clock fails. */
  discard(client: number): void;
  /** Connects a client over a stream, with its two addresses; 0 as for `connect`. */
  accept(address: string, localAddress: string): number;
  /** `now`: time of the clock, NaN when it failed. Not read when the clock stands still. */
  feed(client: number, length: number, now: number): number;
  /** Variant of `feed` that runs no request: returns messages and late replies only. */
  wake(client: number): number;
  /**
   * Result of the last feeding, in bits: 1 more to do, 2 the client is blocked, 4 disconnect, 8 effects were caused, 16 a
   * script was suspended.
   */
  fed(): number;
  /** Suspends scripts of accepted clients after about so many instructions. */
  suspendScripts(instructions: number): void;
  /** Runs the suspended script for another slice; true if it is suspended again. `refuses`: others are refused. */
  resumeScript(elapsedMs: number, refuses: boolean): boolean;
  /** Ends the suspended script: it runs to its end, is killed unless it has written, or is dropped with its effects. */
  endScript(way: 'finish' | 'kill' | 'abandon'): void;
  /** Clients with new output that is no reply to their own call; 0 stands for the server. */
  affected(): Uint32Array | undefined;
  parameter(name: string): string;
  /** The reason of a refusal, if any. */
  configure(name: string, value: string): string | undefined;
  outbox(client: number): Uint8Array;
  /** True when the client is to be disconnected. */
  closing(client: number): boolean;
  /** Records from now on the position of each message for this client among the events. */
  notePositions(client: number): void;
  /** For each message in the outbox: number of pending events that came before it. */
  takePositions(client: number): Uint32Array;
  tick(): boolean;
  /** With `forClients`, the first instant at which `tick` has something for a client. */
  nextDeadline(forClients: boolean): number | undefined;
  setClock(ms: number): void;
  now(): number;
  /** Names of events, separated by blanks; `*` for all. Other events are not built. */
  listen(names: string): void;
  takeEvents(): RawEvent[] | undefined;
  /** Declares what the host does, or that it does so no more. */
  declare(role: 'effects' | 'store' | 'log' | 'reader' | 'server', on: boolean): void;
  /** Bits of the work that the last call left, as `engine_call` returns them. */
  status(): number;
  takeEffects(): Uint8Array;
  requestSave(kind: string): void;
  /** Takes the words of a requested SHUTDOWN. */
  takeShutdown(): string | undefined;
  /** Whether the host ends; otherwise the clients that wait get an error. */
  endsByShutdown(hasFailed: boolean): boolean;
  /** Number of effects that the requested sync must cover. */
  takeSyncRequest(): number | undefined;
  logSynced(effects: number): void;
  takeSaveRequest(): string | undefined;
  finishSave(kind: string, failure: string | undefined): void;
  reportLog(failure: string | undefined): void;
  unsavedEffects(): number;
  replay(length: number, skips: boolean): { units: number; droppedBytes: number; lastNowMs: number | null };
  snapshot(): Uint8Array;
  load(length: number, skips: boolean): void;
  /** Parts that the last load or replay left out, as RESP. */
  skipped(): Uint8Array;
  /** Variant of `load` that also begins tokens of latches anew. */
  loadFresh(length: number): void;
  /** Clients and configuration, for `importState` of a fresh instance; throws if some state cannot migrate. */
  exportState(): Uint8Array;
  /** Variant for one client, whatever its state; empty if it is gone, or memory is exhausted. */
  exportState(client: number): Uint8Array;
  /** With `isClient`, adds one client; its id, 0 when memory is exhausted. */
  importState(length: number, isClient: boolean): number;
  digest(): string;
  inspect(db: number, cursor: string, limit: number): GlueInspection;
  /** The key in the input with a part of its value, as RESP; undefined if there is no such key. */
  inspectKey(length: number, db: number, from: number, count: number): Uint8Array | undefined;
  runSession(length: number, untilLine: number | undefined, brief: boolean, facts: boolean): unknown;
  /** Takes the facts since the last call, and starts or stops their queue. */
  takeFacts(goesOn: boolean): Fact<number>[];
  /** Whether the step in the first `step` bytes of the input expects the reply in the others. */
  expectsReply(length: number, step: number): boolean;
  printReply(length: number): string;
  splitLine(length: number): Uint8Array[] | { message: string; column: number };
}

/**
 * `engine_call`, an export of the instance itself: the bits of Status, or -1 when the time is needed and nothing ran.
 */
export type RawCall = (engine: number, client: number, row: number, count: number, now: number) => number;

/** Kinds of calls by their need of stack. */
export const enum StackNeed {
  Command,
  Script,
  Method,
}

/** `probe_stack`, an export too: returns at once, or throws if the stack does not suffice. */
export type StackProbe = (need: StackNeed) => number;

/** Factory result of the bindings for one WebAssembly instance. */
export interface Glue {
  readonly Engine: new (options: GlueOptions, now: () => number) => GlueEngine;
  /** Kinds of the lines of the text in the input: for each line a line of its parts, with tabs between them. */
  readonly outline: (engine: GlueEngine, length: number) => string;
  readonly raw: {
    readonly engine_call: RawCall;
    readonly probe_stack: StackProbe;
    readonly memory: { readonly buffer: ArrayBuffer };
  };
}
