/** Which calls are sent again when an answer was lost: those that only read. */
import { BLOCKING, READ_ONLY } from '../generated/reads.js';

const READS = /* @__PURE__ */ new Set(/* @__PURE__ */ READ_ONLY.split(','));
const WAITS = /* @__PURE__ */ new Set(/* @__PURE__ */ BLOCKING.split(','));

/**
 * Whether a call of a command that a change of the leader cut is sent to the new leader: true for commands with the flag
 * `readonly`, such as `GET` or `OBJECT ENCODING`. All others reject with a TabsError, in which `mayHaveRun` is true.
 */
export function isResent(command: string): boolean {
  return READS.has(command.trim().replace(/\s+/, ' ').toUpperCase());
}

/** Whether a command in capitals may wait. */
export function mayWait(command: string): boolean {
  return WAITS.has(command);
}
