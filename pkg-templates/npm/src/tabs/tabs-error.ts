/** The error of calls across tabs. */
import { shareClass } from '../base/shared-classes.js';

/** Kinds of failures between tabs. */
export type TabsCode =
  /** No tab led for a second: the call was not sent. */
  | 'NO_LEADER'
  /** Another tab became the leader while the call ran. */
  | 'LEADER_CHANGED'
  /** The leader did not answer within the deadline: its tab is frozen or busy. */
  | 'NO_ANSWER'
  /** The leader runs a version of keylatch with another protocol. */
  | 'OTHER_VERSION'
  /** The browser lacks BroadcastChannel or Web Locks. */
  | 'UNSUPPORTED';

const MESSAGES: Readonly<Record<TabsCode, string>> = {
  NO_LEADER:
    'no tab leads this name; the call was not sent, so try again (a page that used open() of keylatch/persist, or a ' +
    'frozen tab, may hold it)',
  LEADER_CHANGED: 'the leading tab ended during the call',
  NO_ANSWER: 'the leading tab did not answer in time: it is frozen or busy',
  OTHER_VERSION: 'the leading tab runs another version of keylatch: reload this page and the others',
  UNSUPPORTED: 'tabs need BroadcastChannel and Web Locks: serve the page over https, or use a newer browser',
};

/**
 * A call that another tab should have answered. If `retryable`, calling again may succeed; if `mayHaveRun`, it is unknown
 * whether the command ran, so look first, or repeat only what can run twice.
 */
export class TabsError extends Error {
  /** @internal */
  static readonly isShared: boolean = /* @__PURE__ */ shareClass(this, 'TabsError');
  /** `TabsError`. */
  override readonly name = 'TabsError';
  /** Kind of the failure. */
  readonly code: TabsCode;
  /** True when calling again may succeed. */
  readonly retryable: boolean;
  /** True when it is unknown whether the command ran; false when it did not. */
  readonly mayHaveRun: boolean;

  constructor(code: TabsCode, mayHaveRun = false) {
    const unknown = mayHaveRun ? '; it is unknown whether the command ran' : '';
    super(`${MESSAGES[code]}${unknown}`);
    this.code = code;
    this.retryable = code !== 'OTHER_VERSION' && code !== 'UNSUPPORTED';
    this.mayHaveRun = mayHaveRun;
  }
}
