/** Undo and redo over states of any kind. Typing without a pause is one step. Pure. */

/** Longest pause within one step of typing, in milliseconds. */
const TYPING_PAUSE_MS = 1000;
const MAX_STEPS = 200;

export class Undo<State> {
  private past: State[] = [];
  private future: State[] = [];
  private typedAtMs = Number.NEGATIVE_INFINITY;

  get canUndo(): boolean {
    return this.past.length > 0;
  }

  get canRedo(): boolean {
    return this.future.length > 0;
  }

  /** Notes the state before a change that stands alone. */
  before(state: State): void {
    this.past = [...this.past, state].slice(-MAX_STEPS);
    this.future = [];
    this.typedAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Notes the state before a keystroke at an instant; the first of a run only. */
  beforeTyping(state: State, nowMs: number): void {
    if (nowMs - this.typedAtMs > TYPING_PAUSE_MS) this.before(state);
    this.typedAtMs = nowMs;
  }

  /** The state to return to from the present one. */
  undo(present: State): State | undefined {
    const state = this.past.pop();
    if (state !== undefined) this.future.push(present);
    this.typedAtMs = Number.NEGATIVE_INFINITY;
    return state;
  }

  redo(present: State): State | undefined {
    const state = this.future.pop();
    if (state !== undefined) this.past.push(present);
    return state;
  }
}
