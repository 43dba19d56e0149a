/** Exports of `keylatch/testing` in every environment. */
export { ManualClock } from '../host/clock.js';
export { SessionError } from '../base/errors.js';
export { describeMismatches } from '../session/session-report.js';
export type {
  SessionReport,
  SessionClient,
  SessionExpectation,
  SessionMismatch,
  SessionOptions,
  SessionStep,
} from '../session/session.js';
export { exploreRace, type ExploreOptions } from '../race/explore.js';
export type { RaceClient, RaceKey, RaceOutcome, RaceProgress, RaceReport } from '../race/report.js';
export { runSession, type RunOptions } from './run-session.js';
export { runSessionOn } from '../db/tools.js';
export { assertSameKeys, type Keyspace, type SameKeysOptions } from './same-keys.js';
export { assertSession } from './assert-session.js';
export { TestClock } from './clock.js';
