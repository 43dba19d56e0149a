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
} from '../hints/complete.js';
export { findFault, type FaultKind, type LineFault } from '../hints/fault.js';
export { keyMatcher } from '../base/glob.js';
export type { Argument as ArgumentGrammar, ArgumentType } from '../hints/grammar.js';
export { findCommand, ghostHint, syntaxOf, type HintRow, type HintRows, type NamedCommand } from '../hints/hint.js';
export { oneLine } from '../base/one-line.js';
export { INVALID_REPETITIONS, repetitionsOf, type Repetitions } from '../hints/repetitions.js';
export { findScriptFault, printScriptFault, type ScriptFault } from '../hints/script-fault.js';
export { modesAdmit, type Fact, type FactKind, type FieldFact, type Hold } from '../host/facts.js';
export type { LatchMode } from '../host/generated/modes.js';
export { keyIndicesOf } from '../client/key-specs.js';
export { leasesAfter, type Lease } from '../race/leases.js';
export { splitReplies } from '../resp/split-replies.js';
export type { SessionReport, SessionStep, SessionOptions } from '../session/session.js';
export type { SessionLine, SessionLineKind } from '../session/session-lines.js';
export { adoptClients, exportedClient, type ExportedClient } from '../db/carried-clients.js';
export { loadFresh, printReply, replyLines, runSessionOn, sessionLines, splitLine } from '../db/tools.js';
export { isUnfinished } from '../hints/unfinished.js';
export { lastCommandStart, splitCommands, typedWords, type CommandText, type TypedWords } from '../hints/words.js';
