/**
 * Entry `keylatch/hints`: the rest of a half-typed command, and the candidates at the cursor, from the rows of
 * `keylatch/commands.json`. Pure functions for command lines, in a terminal or on a page; those that take an engine
 * print replies, split lines and run sessions as redis-cli does.
 */
export {
  complete,
  quoteWord,
  type Candidate,
  type CandidateKind,
  type Completion,
  type KeySource,
} from './hint/complete.js';
export { findFault, type FaultKind, type LineFault } from './hint/fault.js';
export { keyMatcher } from './glob.js';
export type { Argument as ArgumentGrammar, ArgumentType } from './hint/grammar.js';
export { findCommand, ghostHint, syntaxOf, type HintRow, type HintRows, type NamedCommand } from './hint/hint.js';
export { findScriptFault, printScriptFault, type ScriptFault } from './hint/script-fault.js';
export { modesAdmit, type Fact, type FactKind, type FieldFact, type Hold } from './facts.js';
export type { LatchMode } from './generated/modes.js';
export { keyIndicesOf } from './key-specs.js';
export { leasesAfter, type Lease } from './race/leases.js';
export { splitReplies } from './split-replies.js';
export type { SessionReport, SessionStep, SessionOptions } from './session.js';
export { loadFresh, printReply, runSessionOn, splitLine } from './tools.js';
export { isUnfinished } from './unfinished.js';
export { lastCommandStart, splitCommands, typedWords, type CommandText, type TypedWords } from './hint/words.js';
