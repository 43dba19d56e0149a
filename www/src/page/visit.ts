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

/** Keys and log that were replaced. */
interface Replaced {
  readonly id: 'replaced';
  readonly keys: Uint8Array;
  readonly state: WorkspaceState;
  /** Sentence about what took their place. */
  readonly text: string;
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
  private replaced: Replaced | undefined;
  /** True in a tab that has begun a command line of its own, while another tab has the kept one. */
  private isApart = false;
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
    return [problem, restored, this.undoable(), cleared, this.update].filter((offer) => offer !== undefined);
  }

  /** Brings back the keys and the log that were replaced last, and keeps the present ones; undefined: there are none. */
  get bringBack(): (() => void) | undefined {
    const { replaced } = this;
    if (!replaced) return undefined;
    return () =>
      this.replace('The former keys and log are back.', () => this.workspace.bringBack(replaced.keys, replaced.state));
  }

  /** Restores the last visit, and saves this one from now on. */
  begin(state: WorkspaceState | undefined): void {
    this.savedStart = state?.recorded.start;
    if (state) this.workspace.restore(state);
    this.keepDraft();
    this.workspace.changes.on(['cleared'], () => this.offerLog());
    this.workspace.changes.on(['ran'], () => this.greeted());
    void this.readReplaced();
    this.workspace.mayWrite = this.engine.state !== 'elsewhere';
    if (!this.workspace.mayWrite) return;
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

  /** True if a link to the command line can be opened there: nothing is lost, or the tab has only a copy. */
  get mayOpenLink(): boolean {
    return this.workspace.isEmpty || !this.workspace.mayWrite;
  }

  offerUpdate(reload: () => void): void {
    this.update = this.offer('A new version of this page is ready.', [
      ['Reload', reload],
      ['Later', () => this.clear('update')],
    ]);
    this.changes.emit('visit');
  }

  /**
   * Does something that replaces keys or log, which are kept, also over a reload, until others are replaced. In a tab without
   * the kept keys, the command line is the tab's own from then on.
   */
  replace(text: string, act: () => void): void {
    if (!this.workspace.mayWrite) {
      this.workspace.startFresh(this.emptyKeys());
      this.workspace.mayWrite = this.isApart = true;
      act();
    } else {
      const kept = this.workspace.isEmpty ? undefined : this.present(text);
      act();
      if (kept) this.keepReplaced(kept);
    }
    this.dismiss();
  }

  /** Puts the keys of a file in place of the present ones. */
  replaceKeys(keys: Uint8Array, what: string): void {
    const text = `The keys are those of ${what}.`;
    this.replace(text, () => this.workspace.replaceKeys(keys, what));
    if (this.replaced?.text === text) return;
    this.restored = this.offer(text, [['Close', () => this.dismiss()]]);
    this.changes.emit('visit');
  }

  private present(text: string): Replaced {
    return { id: 'replaced', keys: this.workspace.db.snapshot(), state: this.workspace.state(), text };
  }

  private keepReplaced(replaced: Replaced): void {
    this.replaced = replaced;
    if (this.engine.state === 'kept') void this.store.put('workspace', replaced);
  }

  private async readReplaced(): Promise<void> {
    const kept = await this.store.get<Replaced>('workspace', 'replaced');
    this.replaced ??= kept;
    if (kept) this.changes.emit('visit');
  }

  private undoable(): Offer | undefined {
    const undo = this.bringBack;
    if (!undo || !this.replaced) return undefined;
    return this.offer(this.replaced.text, [
      ['Undo', undo],
      ['Close', () => this.forgetReplaced()],
    ]);
  }

  private forgetReplaced(): void {
    void this.store.remove('workspace', 'replaced');
    this.replaced = undefined;
    this.changes.emit('visit');
  }

  private elsewhere(): Offer {
    const text = this.isApart
      ? "This command line is this tab's own, and is not kept: another tab has yours."
      : 'Another tab has this command line. Here it can be read, and typing is off.';
    return this.offer(text, [['Take over', () => void this.takeOver()]]);
  }

  private startFresh(): void {
    this.replace('Started fresh.', () => this.workspace.startFresh(this.emptyKeys()));
  }

  private emptyKeys(): Uint8Array {
    const { db } = this.maker.make();
    const keys = db.snapshot();
    db.close();
    return keys;
  }

  async takeOver(): Promise<void> {
    if (await takeKeysOver()) return;
    this.report('The other tab does not answer. Close it, then reload this one.');
  }

  /** The first command is an answer to the offers of the start. */
  private greeted(): void {
    if (this.restored) this.dismiss();
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
