/// <reference lib="dom" preserve="true" />
/**
 * Entry `keylatch/element`: importing it defines `<keylatch-repl>`, a session of commands that readers of a page can run.
 * On a server that renders pages it can be imported, too, and defines nothing. Pages with a view of their own find what it is
 * made of: the state of a session, its verdict, and links.
 */
import { KeylatchRepl } from '../element/repl.js';

export { type FenceOptions, upgradeFences } from '../element/fences.js';
export type { ReplSettings } from '../element/repl.js';
export * from '../element/shared.js';
export type {
  SessionClient,
  SessionExpectation,
  SessionMismatch,
  SessionOptions,
  SessionReport,
  SessionStep,
} from '../session/session.js';
export { KeylatchRepl };

// A second copy of the package on a page leaves the first one's element in place.
if (globalThis.customElements && !customElements.get('keylatch-repl'))
  customElements.define('keylatch-repl', KeylatchRepl);

declare global {
  interface HTMLElementTagNameMap {
    'keylatch-repl': KeylatchRepl;
  }
}
