/** Parts of the page that the explorer of races uses: the session with the race, and an engine for it. */

import type { WorkerEngine } from '../engine/engine.ts';
import type { SharedSession } from '../share/sharing.ts';

export interface WorkerEngines {
  /** Module and seed, for an engine that runs a text in a worker. */
  engineFor(text: string): Promise<WorkerEngine>;
}

export interface RacedSession {
  readonly lesson: string | undefined;
  readonly shown: SharedSession;
  open(session: SharedSession): void;
}

export interface RacePage extends WorkerEngines {
  readonly sessionEditor: RacedSession;
}
