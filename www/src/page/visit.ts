/**
 * The state of the command line from visit to visit: keys are kept by the engine's store; clock, clients, log and
 * recording here. Offers to continue or to start fresh, and to take the keys over from another tab.
 */

import { Emitter } from '../base/emitter.ts';
import { type KeptEngine, onKeptProblem, takeKeysOver } from '../kept/kept-engine.ts';
import type { PageStore } from '../kept/page-store.ts';
import type { EngineMaker } from '../engine/engine.ts';
import type { Workspace } from '../line/workspace.ts';
import { keep, recall } from '../base/storage.ts';
import type { WorkspaceState } from '../line/workspace-state.ts';

interface SavedState extends WorkspaceState {
  readonly id: 'page';
  readonly savedMs: number;
}

/** The recording's start, which may be large, in a record of its own: it is written when it changes. */
interface SavedStart {
  readonly id: 'start';
  readonly start: Uint8Array | undefined;
}

export interface Offer {
  readonly text: string;
  readonly actions: readonly { readonly label: string; readonly act: () => void }[];
}

/** Shortest time between two saves of what changes. */
const SAVE_PAUSE_MS = 250;
/** Name of the half-typed line in the tab's storage. */
const DRAFT = 'draft';

export class Visit {
  readonly changes = new Emitter<'visit'>();
  private restored: Offer | undefined;
  private problem: string | undefined;
  private update: Offer | undefined;
  private cleared: Offer | undefined;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isSaved = true;
  private savedStart: Uint8Array | undefined;

  constructor(
    private readonly store: PageStore,
    private readonly workspace: Workspace,
    private readonly engine: KeptEngine,
    private readonly maker: EngineMaker,
  ) {
    this.problem = engine.problem;
    store.changes.on(['problem'], () => this.changes.emit('visit'));
    onKeptProblem(engine.db, (problem) => this.report(problem));
  }

  /** Messages for the visitor, the most important first. */
  get offers(): readonly Offer[] {
    const text = this.problem ?? this.store.problem;
    const problem = text === undefined ? undefined : { text, actions: [] };
    const restored = this.engine.state === 'elsewhere' ? this.elsewhere() : this.restored;
    const cleared = this.workspace.bringLogBack && this.cleared;
    return [problem, restored, cleared, this.update].filter((offer) => offer !== undefined);
  }

  /** Restores the last visit, and saves this one from now on. */
  begin(state: WorkspaceState | undefined): void {
    this.savedStart = state?.recorded.start;
    if (state) this.workspace.restore(state);
    this.keepDraft();
    this.workspace.changes.on(['cleared'], () => this.offerLog());
    if (this.engine.state === 'elsewhere') return this.workspace.makeReadOnly();
    const keys = this.engine.restoredKeys;
    if (keys > 0 || (state?.log.length ?? 0) > 0) {
      const found = keys === 1 ? '1 key is' : `${keys} keys are`;
      this.restored = this.offer(`Your last visit continues: ${found} here.`, [
        ['Continue', () => this.dismiss()],
        ['Start fresh', () => this.startFresh()],
      ]);
    }
    if (this.engine.state !== 'kept') return;
    this.workspace.changes.on(['log'], () => this.saveSoon());
    this.workspace.clock.changes.on(['clock'], () => this.saveSoon());
    addEventListener('pagehide', () => this.saveRest());
    document.addEventListener('visibilitychange', () => document.hidden && this.saveRest());
  }

  /** Keeps a half-typed line over a reload of this tab. */
  private keepDraft(): void {
    const { line } = this.workspace;
    let kept = recall(DRAFT, 'tab') ?? '';
    if (kept !== '') line.input(kept, false);
    // Without need this storage is left alone: writing it here holds up what other storage has yet to write.
    addEventListener('pagehide', () => {
      if (line.text !== kept) keep(DRAFT, (kept = line.text), 'tab');
    });
  }

  /** Offers to bring a cleared log back. */
  private offerLog(): void {
    const undo = (): void => {
      this.workspace.bringLogBack?.();
      this.clear('cleared');
      this.workspace.changes.emit('log');
    };
    this.cleared = this.offer('The log was cleared.', [
      ['Undo', undo],
      ['Close', () => this.clear('cleared')],
    ]);
    this.changes.emit('visit');
  }

  offerUpdate(reload: () => void): void {
    this.update = this.offer('A new version of this page is ready.', [
      ['Reload', reload],
      ['Later', () => this.clear('update')],
    ]);
    this.changes.emit('visit');
  }

  /** Puts the keys of a file in place of the present ones, which undo brings back. */
  replaceKeys(keys: Uint8Array, what: string): void {
    if (this.engine.state === 'elsewhere') return this.report('Another tab has the keys: take over to load a file.');
    const before = this.workspace.state();
    const snapshot = this.workspace.replaceKeys(keys, what);
    this.restored = this.offer(`The keys are those of ${what}.`, [
      ['Undo', () => this.bringBack(snapshot, before)],
      ['Close', () => this.dismiss()],
    ]);
    this.changes.emit('visit');
  }

  private elsewhere(): Offer {
    return this.offer('Another tab has this command line. Here it can be read, and typing is off.', [
      ['Take over', () => void this.takeOver()],
    ]);
  }

  private startFresh(): void {
    const before = this.workspace.state();
    const fresh = this.maker.make();
    const snapshot = this.workspace.startFresh(fresh.db.snapshot());
    fresh.db.close();
    this.restored = this.offer('Started fresh.', [
      ['Undo', () => this.bringBack(snapshot, before)],
      ['Close', () => this.dismiss()],
    ]);
    this.changes.emit('visit');
  }

  private bringBack(snapshot: Uint8Array, state: WorkspaceState): void {
    this.workspace.bringBack(snapshot, state);
    this.dismiss();
  }

  private async takeOver(): Promise<void> {
    if (await takeKeysOver()) return;
    this.report('The other tab does not answer. Close it, then reload this one.');
  }

  private dismiss(): void {
    this.clear('restored');
  }

  private clear(which: 'restored' | 'update' | 'cleared'): void {
    this[which] = undefined;
    this.changes.emit('visit');
  }

  private report(problem: string | undefined): void {
    this.problem = problem;
    this.changes.emit('visit');
  }

  private offer(text: string, actions: readonly (readonly [string, () => void])[]): Offer {
    return { text, actions: actions.map(([label, act]) => ({ label, act })) };
  }

  /** Saves a first change with its task, because a page that is left may write no more; what follows soon is saved together. */
  private saveSoon(): void {
    this.isSaved = false;
    if (this.timer !== undefined) return;
    queueMicrotask(() => this.saveRest());
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.saveRest();
    }, SAVE_PAUSE_MS);
  }

  private saveRest(): void {
    if (this.isSaved) return;
    this.isSaved = true;
    const state = this.workspace.state();
    const { start } = state.recorded;
    if (start !== this.savedStart) void this.store.put<SavedStart>('workspace', { id: 'start', start });
    this.savedStart = start;
    const recorded = { ...state.recorded, start: undefined };
    const saved: SavedState = { ...state, recorded, id: 'page', savedMs: Date.now() };
    void this.store.put<SavedState>('workspace', saved);
  }
}

/** The state of the last visit. */
export async function savedState(store: PageStore): Promise<WorkspaceState | undefined> {
  const [state, kept] = await Promise.all([
    store.get<SavedState>('workspace', 'page'),
    store.get<SavedStart>('workspace', 'start'),
  ]);
  return state && { ...state, recorded: { ...state.recorded, start: kept?.start } };
}

/** The instant at which the clock of a saved state stands now. */
export function instantOf(state: WorkspaceState | undefined): number {
  if (!state) return Date.now();
  return state.clock.live ? Date.now() + state.clock.offsetMs : state.clock.nowMs;
}
