/** Exports of `keylatch/testing` in every environment. */
export { ManualClock, describeMismatches, runSession, type Report, type RunOptions } from '../index.js';
export { assertSameKeys, type Keyspace, type SameKeysOptions } from './same-keys.js';
export { assertSession } from './assert-session.js';
