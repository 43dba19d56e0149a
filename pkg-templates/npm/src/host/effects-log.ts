/** The log of effects of one engine: whether it is on, pieces that were taken early, and the signal for stores. */
import { Status } from './generated/convention.js';
import type { Instance } from './instance.js';
import { concat } from '../resp/concat.js';
import { CallerTypeError } from '../base/caller-errors.js';

const NOTHING = /* @__PURE__ */ new Uint8Array(0);

export class EffectsLog {
  #isOn = false;
  /** Effects that were taken from the engine and not yet from here. */
  #pending = NOTHING;
  // Replaced, never modified in place: a listener may add or remove others.
  #listeners: readonly (() => void)[] = [];
  /** Set from the signal until the effects are taken. */
  #isSignalled = false;

  get hasListeners(): boolean {
    return this.#listeners.length > 0;
  }

  /**
   * Status bits that require work after a call. After the signal, until the effects are taken, only many effects do.
   */
  get bits(): number {
    if (!this.hasListeners) return 0;
    return this.#isSignalled ? Status.EffectsFull : Status.Effects;
  }

  /** Starts or stops the log. */
  record(instance: Instance, on: boolean): void {
    instance.guarded(() => instance.engine.declare('effects', on));
    this.#isOn = on;
  }

  /** Continues the log in an instance that replaces another. */
  move(from: Instance, to: Instance): void {
    this.#collect(from);
    to.guarded(() => to.engine.declare('effects', this.#isOn));
  }

  /** Effects since the last call; the signal can be given again. */
  take(instance: Instance): Uint8Array {
    this.#collect(instance);
    const effects = this.#pending;
    this.#pending = NOTHING;
    this.#isSignalled = false;
    return effects;
  }

  /** Adds a listener of the signal. Returns a function that removes it. */
  addListener(listener: () => void): () => void {
    if (typeof listener !== 'function') throw new CallerTypeError('the listener of onEffects must be a function');
    // A function that is added twice is called twice, and removed once each.
    const own = (): void => listener();
    this.#listeners = [...this.#listeners, own];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== own);
    };
  }

  /** Gives the signal if effects are pending: calls each listener through `run`, which handles its errors. */
  signal(instance: Instance, run: (listener: () => void) => void): void {
    const isDue = (instance.guarded(() => instance.engine.status()) & this.bits) !== 0;
    // Effects of an instance that was replaced are pending here.
    if (!isDue && (this.#isSignalled || this.#pending.length === 0)) return;
    this.#isSignalled = true;
    for (const listener of this.#listeners) {
      if (this.#listeners.includes(listener)) run(listener);
    }
  }

  #collect(instance: Instance): void {
    const effects = instance.guarded(() => instance.engine.takeEffects()) as Uint8Array<ArrayBuffer>;
    if (effects.length === 0) return;
    this.#pending = this.#pending.length === 0 ? effects : concat([this.#pending, effects]);
  }
}
