/**
 * The state of a log, and what changes it. It has two parts. One is the life of the log, for the program:
 *
 * ```
 *         ------failed----->
 * running <-----written------ failed
 *    |                          |
 *  close                      close
 *    v                          v
 * closing <-----written------ closingFailed
 *
 * running, failed, closing, closingFailed --lost--> lost
 * closing, closingFailed, lost --ended--> closed
 * ```
 *
 * The other one is whether the log may go on, or the store has to get the whole state first:
 *
 * ```
 * log --owe--> owed --take--> taking --give--> held --owe--> superseded
 *  ^            ^               |               |  |             |
 *  |            +--- refused ---+--- refused ---+  |             |
 *  |            +------------ replaced, refused ---|-------------+
 *  +--------------------- replaced ----------------+
 * ```
 *
 * All other events leave the state as it is.
 */
import type { PersistenceState } from './log-settings.js';

/** Life of a log. `closingFailed`: it is closing, and what failed before was not written since. */
export type Life = 'running' | 'failed' | 'closing' | 'closingFailed' | 'lost' | 'closed';

/**
 * `log`: effects are appended. `owed`: the store must get the whole state before anything else. `taking`: that state is
 * being taken, and contains all effects up to then. `held`: it is being written, and appends wait. `superseded`: it is
 * being written, and another one must follow.
 */
export type Contents = 'log' | 'owed' | 'taking' | 'held' | 'superseded';

export interface LogState {
  readonly life: Life;
  readonly contents: Contents;
}

/**
 * `written`: the store has all that was given to it. `failed`: writing failed. `lost`: the store is gone. `close`: the log
 * takes nothing more. `ended`: the store is released. `owe`: the log does not lead to the present state. `take`: that state
 * is asked of the engine. `give`: the store begins to write it. `replaced`: the store has it. `refused`: it could not be
 * taken or written.
 */
export type LogEvent =
  | 'written'
  | 'failed'
  | 'lost'
  | 'close'
  | 'ended'
  | 'owe'
  | 'take'
  | 'give'
  | 'replaced'
  | 'refused';

type Transitions<State extends string> = Readonly<Record<State, Readonly<Partial<Record<LogEvent, State>>>>>;

const LIFE: Transitions<Life> = {
  running: { failed: 'failed', close: 'closing', lost: 'lost' },
  failed: { written: 'running', close: 'closingFailed', lost: 'lost' },
  closing: { lost: 'lost', ended: 'closed' },
  closingFailed: { written: 'closing', lost: 'lost', ended: 'closed' },
  lost: { ended: 'closed' },
  closed: {},
};

const CONTENTS: Transitions<Contents> = {
  log: { owe: 'owed' },
  owed: { take: 'taking' },
  taking: { give: 'held', refused: 'owed' },
  held: { owe: 'superseded', replaced: 'log', refused: 'owed' },
  superseded: { replaced: 'owed', refused: 'owed' },
};

/** State of a log after its data was restored. */
export const RUNNING: LogState = { life: 'running', contents: 'log' };

/** The state after an event. */
export function after({ life, contents }: LogState, event: LogEvent): LogState {
  return { life: LIFE[life][event] ?? life, contents: CONTENTS[contents][event] ?? contents };
}

/** The state as the program sees it: until a log is closed, it shows whether writing works. */
export function shown({ life }: LogState): PersistenceState {
  if (life === 'closing') return 'running';
  return life === 'closingFailed' ? 'failed' : life;
}

/** True once nothing is taken from the engine. */
export function hasEnded({ life }: LogState): boolean {
  return life === 'lost' || life === 'closed';
}

/** True once the log was asked to end: a failure is final. */
export function isEnding({ life }: LogState): boolean {
  return life === 'closing' || life === 'closingFailed' || life === 'closed';
}

/** True while the whole state is being taken or written: appends wait. */
export function isHeld({ contents }: LogState): boolean {
  return contents === 'taking' || contents === 'held' || contents === 'superseded';
}

/** True while effects need not be kept: a state that is still to be taken contains them. */
export function isOwed({ contents }: LogState): boolean {
  return contents === 'owed' || contents === 'taking' || contents === 'superseded';
}
