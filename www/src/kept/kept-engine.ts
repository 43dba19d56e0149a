/**
 * The command line's engine with its keys from earlier visits, through `keylatch/persist`. One tab has the keys; others
 * show a copy, and can take them over.
 */

import type { Keylatch } from 'keylatch/core';
import { ManualClock } from 'keylatch/core';
import { open, PersistenceError, type PersistentKeylatch } from 'keylatch/persist';
import type { Engine, EngineMaker } from '../engine/engine.ts';
import { answered } from '../base/answer.ts';
import { TabChannel } from '../base/channel.ts';
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
/** Time for the lock, the database and its contents: where site data is restricted, some of them never answer. */
const OPEN_LIMIT_MS = 3000;
const COPY_LIMIT_MS = 700;
const RELEASE_LIMIT_MS = 3000;
const TAKE_TRIES = 20;
const TAKE_PAUSE_MS = 150;

const channel = new TabChannel<Message>(CHANNEL);

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
      if (!(error instanceof PersistenceError && error.code === 'IN_USE')) return unkept(maker, startMs, error);
      if (left === 1) return elsewhere(maker, startMs);
      await pause(TAKE_PAUSE_MS);
    }
  }
}

/** Asks the tab that has the keys to give them away, then reloads to open them; false: it does not answer. */
export async function takeKeysOver(): Promise<boolean> {
  const released = answer('released', RELEASE_LIMIT_MS);
  channel.post({ kind: 'release' });
  if (!(await released)) return false;
  keep(TAKING, '1', 'tab');
  location.reload();
  return true;
}

async function opened(maker: EngineMaker, startMs: number): Promise<KeptEngine> {
  const clock = new ManualClock(startMs);
  const opening = open({ name: NAME, clock, ...maker.options });
  const db = await answered(opening, OPEN_LIMIT_MS).catch((error: unknown) => {
    // One that opens too late would keep other tabs from the keys.
    void opening.then((late) => late.close()).catch(() => undefined);
    throw error;
  });
  channel.listen((message) => void serve(db, message));
  return { db, clock, state: 'kept', restoredKeys: db.persistence.restored.restoredKeys, problem: undefined };
}

/** Answers other tabs: a copy of the keys, or the keys themselves. */
async function serve(db: PersistentKeylatch, { kind }: Message): Promise<void> {
  if (kind === 'ask') channel.post({ kind: 'copy', snapshot: db.snapshot() });
  if (kind !== 'release') return;
  keep(GIVEN, '1', 'tab');
  await db.close();
  channel.post({ kind: 'released' });
  location.reload();
}

async function elsewhere(maker: EngineMaker, startMs: number): Promise<KeptEngine> {
  const engine = maker.make(startMs);
  const asked = answer('copy', COPY_LIMIT_MS);
  channel.post({ kind: 'ask' });
  const message = await asked;
  if (message?.kind === 'copy') engine.db.load(message.snapshot);
  return { ...engine, state: 'elsewhere', restoredKeys: 0, problem: undefined };
}

function unkept(maker: EngineMaker, startMs: number, error: unknown): KeptEngine {
  const { message } = error as Error;
  // Without a place in the data, the browser itself has no storage.
  const kept = error instanceof PersistenceError && (error.code === 'NEWER_VERSION' || error.file !== undefined);
  const problem = kept
    ? `The keys of your last visit cannot be opened (${message}). They are left as they are; nothing typed now is kept.`
    : `This browser keeps nothing for this page (${message}): the keys are gone when it is closed.`;
  return { ...maker.make(startMs), state: 'unkept', restoredKeys: 0, problem };
}

/** The next message of a kind; undefined when none comes in time. */
function answer(kind: Message['kind'], limitMs: number): Promise<Message | undefined> {
  return new Promise((done) => {
    const end = (message: Message | undefined): void => {
      stop();
      done(message);
    };
    const stop = channel.listen((message) => message.kind === kind && end(message));
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
