/** An exploration of a race, in a worker. */

import script from 'virtual:race-worker';
import type { RaceReport } from 'keylatch/testing';
import type { WorkerEngine } from '../engine/engine.ts';
import { Emitter } from '../base/emitter.ts';
import type { RaceMessage, RaceRequest } from './worker.ts';

export class Exploration {
  readonly changes = new Emitter<'race'>();
  report: RaceReport | undefined;
  problem = '';
  /** Share of the work that is done, while it runs. */
  share: number | undefined;
  commands = 0;
  private worker: Worker | undefined;

  /** Begins anew when the engine is there; what ran before is cancelled. */
  start({ text, options }: RaceRequest, engine: Promise<WorkerEngine>): void {
    this.cancel();
    this.report = undefined;
    this.problem = '';
    this.share = 0;
    const worker = new Worker(script, { type: 'module' });
    const missed = (): void => {
      if (this.worker === worker) this.fail('The explorer could not be loaded. Try again with a network.');
    };
    this.worker = worker;
    worker.addEventListener('message', ({ data }: MessageEvent<RaceMessage>) => this.hear(data));
    worker.addEventListener('error', missed);
    engine.then(({ module, seed }) => worker.postMessage({ text, options: { ...options, module, seed } }), missed);
    this.changes.emit('race');
  }

  /** Ends the worker, at any time. */
  cancel(): void {
    if (!this.worker) return;
    this.fail(`Cancelled after ${this.commands.toLocaleString('en')} commands.`);
  }

  /** Ends what runs, and forgets what was found. */
  forget(): void {
    this.end();
    this.report = undefined;
    this.problem = '';
  }

  private hear(message: RaceMessage): void {
    if (message.kind === 'problem') return this.fail(message.message);
    if (message.kind === 'progress') ({ share: this.share, commands: this.commands } = message.progress);
    else {
      this.end();
      this.report = message.report;
    }
    this.changes.emit('race');
  }

  private fail(problem: string): void {
    this.end();
    this.problem = problem;
    this.changes.emit('race');
  }

  private end(): void {
    this.worker?.terminate();
    this.worker = undefined;
    this.share = undefined;
  }
}
