/** Runs the trials of a task one after the other, in the worker of the race explorer, until one fails. */

import type { RaceReport } from 'keylatch/testing';
import type { SessionStep } from 'keylatch/hints';
import { Emitter } from '../base/emitter.ts';
import { Exploration } from './exploration.ts';
import type { WorkerEngines } from './raced-session.ts';
import { type Trial, trialsOf } from './trial.ts';
import { verdictOf } from './verdict.ts';

export interface Verdict {
  readonly safe: boolean;
  readonly text: string;
  /** An order that fails, as a session. */
  readonly session: string | undefined;
}

const SAMPLED = 'there are too many orders to run all: use fewer commands';

export class TrialRun {
  readonly changes = new Emitter<'trial'>();
  /** Undefined while the trials run. */
  verdict: Verdict | undefined;
  private readonly exploration = new Exploration();
  private trials: readonly Trial[] = [];
  private engines: WorkerEngines | undefined;
  /** Number of the trial that runs. */
  private at = 0;

  constructor() {
    this.exploration.changes.on(['race'], () => this.hear());
  }

  /** Runs the trials of a file with the steps of a learner, if they differ from those that ran last. */
  follow(file: string, steps: readonly SessionStep[], engines: WorkerEngines): void {
    const trials = trialsOf(file, steps);
    if (JSON.stringify(trials) === JSON.stringify(this.trials)) return;
    this.end();
    this.trials = trials;
    this.engines = engines;
    this.at = 0;
    this.next();
  }

  /** Ends what runs, and forgets the verdict. */
  end(): void {
    this.trials = [];
    this.exploration.cancel();
    this.verdict = undefined;
  }

  private next(): void {
    const trial = this.trials[this.at];
    if (!trial || !this.engines) return;
    const { text, crashes, clockSteps } = trial;
    this.exploration.start({ text, options: { crashes, clockSteps } }, this.engines.engineFor(text));
  }

  private hear(): void {
    const { report, problem, share } = this.exploration;
    const trial = this.trials[this.at];
    if (!trial || share !== undefined) return;
    if (problem !== '') return this.judge({ safe: false, text: problem, session: undefined });
    const failure = report && failureOf(report, trial.text);
    if (failure) return this.judge({ ...failure, text: `${trial.title}: ${failure.text}` });
    this.at += 1;
    if (this.at < this.trials.length) this.next();
    else this.judge({ safe: true, text: 'every order of these commands is safe', session: undefined });
  }

  private judge(verdict: Verdict): void {
    this.verdict = verdict;
    this.changes.emit('trial');
  }
}

function failureOf({ unsafe, sample, outcomes }: RaceReport, text: string): Verdict | undefined {
  const [first] = outcomes;
  if (unsafe > 0 && first) return { safe: false, text: verdictOf(first, text), session: first.session };
  return sample ? { safe: false, text: SAMPLED, session: undefined } : undefined;
}
