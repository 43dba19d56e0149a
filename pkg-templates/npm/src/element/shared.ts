/**
 * Code of `<keylatch-repl>` for pages with a view of their own. The package has it as a file apart from the element, so that
 * a bundle can have it alone.
 */
export { needsLua } from './needs-lua.js';
export {
  decodeLink,
  decodeLinkOptions,
  encodeLink,
  encodeLinkOptions,
  isPermalink,
  LinkError,
  linkParts,
  MAX_LINK_CHARS,
  percentDecoded,
  type Permalink,
} from './permalink.js';
export { type SessionProblem, type SessionRunOptions, type SessionSource, SessionState } from './session-state.js';
export { type Theme as ReplTheme, REPL_THEMES } from './themes.js';
export { type SessionVerdict, sessionVerdict } from './verdict.js';
