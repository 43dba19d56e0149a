/**
 * The command line's engine with its keys from earlier visits, through `keylatch/persist`. One tab has the keys; others
 * show a copy, and can take them over.
 */

import type { Keylatch } from 'keylatch/core';
import { ManualClock } from 'keylatch/core';
import { open, PersistenceError, type PersistentKeylatch } from 'keylatch/persist';
import type { Engine, EngineMaker } from '../engine/engine.ts';
import { forget, keep, recall } from '../base/storage.ts';

export interface KeptEngine extends Engine {
  /**
   * `kept`: written to the browser's storage; `elsewhere`: a copy, another tab has the keys; `unkept`: in memory only,
   * because of `problem`.
   */
  readonly state: 'kept' | 'elsewhere' | 'unkept';
  /** Number of keys from the last visit. */
  readonly restoredKeys: number;
  readonly problem: string | undefined;
}

type Message =
  | { readonly kind: 'ask' }
  | { readonly kind: 'copy'; readonly snapshot: Uint8Array }
  | { readonly kind: 'release' }
  | { readonly kind: 'released' };

const NAME = 'playground';
const CHANNEL = 'keylatch.workspace';
/** Marks a tab that reloads to take the keys, or because it has given them away. */
const TAKING = 'taking';
const GIVEN = 'given';
const COPY_LIMIT_MS = 700;
const RELEASE_LIMIT_MS = 3000;
const TAKE_TRIES = 20;
const TAKE_PAUSE_MS = 150;

const channel = 'BroadcastChannel' in globalThis ? new BroadcastChannel(CHANNEL) : undefined;

export async function openKept(maker: EngineMaker, startMs: number): Promise<KeptEngine> {
  const given = recall(GIVEN, 'tab') !== undefined;
  const tries = recall(TAKING, 'tab') === undefined ? 1 : TAKE_TRIES;
  forget(GIVEN, 'tab');
  forget(TAKING, 'tab');
  if (given) return elsewhere(maker, startMs);
  for (let left = tries; ; left -= 1) {
    try {
      return await opened(maker, startMs);
    } catch (error) {
      if (!(error instanceof PersistenceError)) throw error;
      if (error.code !== 'IN_USE') return unkept(maker, startMs, error);
      if (left === 1) return elsewhere(maker, startMs);
      await pause(TAKE_PAUSE_MS);
    }
  }
}

/** Asks the tab that has the keys to give them away, then reloads to open them; false: it does not answer. */
export async function takeKeysOver(): Promise<boolean> {
  const released = answer('released', RELEASE_LIMIT_MS);
  channel?.postMessage({ kind: 'release' } satisfies Message);
  if (!(await released)) return false;
  keep(TAKING, '1', 'tab');
  location.reload();
  return true;
}

async function opened(maker: EngineMaker, startMs: number): Promise<KeptEngine> {
  const clock = new ManualClock(startMs);
  const db = await open({ name: NAME, clock, ...maker.options });
  channel?.addEventListener('message', ({ data }: MessageEvent<Message>) => void serve(db, data));
  return { db, clock, state: 'kept', restoredKeys: db.persistence.restored.restoredKeys, problem: undefined };
}

/** Answers other tabs: a copy of the keys, or the keys themselves. */
async function serve(db: PersistentKeylatch, { kind }: Message): Promise<void> {
  if (kind === 'ask') channel?.postMessage({ kind: 'copy', snapshot: db.snapshot() } satisfies Message);
  if (kind !== 'release') return;
  keep(GIVEN, '1', 'tab');
  await db.close();
  channel?.postMessage({ kind: 'released' } satisfies Message);
  location.reload();
}

async function elsewhere(maker: EngineMaker, startMs: number): Promise<KeptEngine> {
  const engine = maker.make(startMs);
  const asked = answer('copy', COPY_LIMIT_MS);
  channel?.postMessage({ kind: 'ask' } satisfies Message);
  const message = await asked;
  if (message?.kind === 'copy') engine.db.load(message.snapshot);
  return { ...engine, state: 'elsewhere', restoredKeys: 0, problem: undefined };
}

function unkept(maker: EngineMaker, startMs: number, error: PersistenceError): KeptEngine {
  // Without a place in the data, the browser itself has no storage.
  const kept = error.code === 'NEWER_VERSION' || error.file !== undefined;
  const problem = kept
    ? `The keys of your last visit cannot be opened (${error.message}). They are left as they are; nothing typed now is kept.`
    : `This browser keeps nothing for this page (${error.message}): the keys are gone when it is closed.`;
  return { ...maker.make(startMs), state: 'unkept', restoredKeys: 0, problem };
}

/** The next message of a kind; undefined when none comes in time. */
function answer(kind: Message['kind'], limitMs: number): Promise<Message | undefined> {
  return new Promise((done) => {
    const listen = ({ data }: MessageEvent<Message>): void => {
      if (data.kind === kind) end(data);
    };
    const end = (message: Message | undefined): void => {
      channel?.removeEventListener('message', listen);
      done(message);
    };
    channel?.addEventListener('message', listen);
    setTimeout(() => end(undefined), limitMs);
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}

/** Failures of the storage while the page is open. */
export function onKeptProblem(db: Keylatch, listener: (problem: string | undefined) => void): void {
  if (!('onPersistence' in db)) return;
  (db as PersistentKeylatch).onPersistence(({ state, error }) => {
    if (state === 'running') listener(undefined);
    else if (error)
      listener(
        `The keys cannot be written to the browser's storage at the moment (${error.message}). They stay in this tab.`,
      );
  });
}
