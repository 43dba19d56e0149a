/**
 * The state of a tab, and what changes it. It has two parts. One is its place in the election:
 *
 * ```
 * waiting --acquired--> opening --opened--> leading --left------> leaving
 *    ^                     |                   |    <--returned--    |
 *    +------- ended -------+------ ended ------+                     |
 *                                                                    |
 * waiting, opening --left--> away <------------- ended --------------+
 *                              |
 * waiting <---- returned ------+
 *
 * all --closed--> closed
 * ```
 *
 * The other one is the leader that it knows, with its epoch:
 *
 * ```
 *       leads              leads and is ready
 * none ---------> announced ------------------> ready
 *  ^                  |                           |
 *  +---- resigned ----+---------------------------+
 *
 * all --foreign leads--> foreign --leads------------> announced, ready
 *                        foreign --foreign resigned-> none
 * ```
 *
 * A greater epoch leads from any of them to `announced` or `ready`; a smaller one, or one that has resigned, changes
 * nothing. The own leadership counts as that of another tab; meanwhile no foreign one does. All other events leave the state as it is.
 */
import type { Role } from './role.js';

/**
 * `waiting`: for the lock. `opening`: the tab has it, and opens the store. `leading`: it runs calls. `leaving`: its page is
 * frozen or ends, and its leadership too. `away`: it asks for nothing until the page returns.
 */
export type Place = 'waiting' | 'opening' | 'leading' | 'leaving' | 'away' | 'closed';

export interface KnownLeader {
  /** `announced`: its store is not open. `foreign`: it runs another version. */
  readonly kind: 'none' | 'announced' | 'ready' | 'foreign';
  /** Greatest epoch that was seen. */
  readonly epoch: number;
  /** Greatest epoch with a leader that resigned. */
  readonly resignedEpoch: number;
}

export interface TabState {
  readonly place: Place;
  readonly leader: KnownLeader;
}

/**
 * `acquired`, `opened` and `ended` are about the leadership of the tab itself, `leads` and `resigned` about that of others,
 * `foreign` about tabs of another version. `left` and `returned` come from the page.
 */
export type TabEvent =
  | { readonly kind: 'acquired' | 'opened' | 'ended' | 'resigned'; readonly epoch: number }
  | { readonly kind: 'leads'; readonly epoch: number; readonly isReady: boolean }
  | { readonly kind: 'foreign'; readonly leads: boolean }
  | { readonly kind: 'left' | 'returned' | 'closed' };

const PLACES: Readonly<Record<Place, Readonly<Partial<Record<TabEvent['kind'], Place>>>>> = {
  waiting: { acquired: 'opening', left: 'away', closed: 'closed' },
  opening: { opened: 'leading', ended: 'waiting', left: 'away', closed: 'closed' },
  leading: { ended: 'waiting', left: 'leaving', closed: 'closed' },
  leaving: { ended: 'away', returned: 'leading', closed: 'closed' },
  away: { returned: 'waiting', closed: 'closed' },
  closed: {},
};

/** State of a tab that knows no other one. */
export const ALONE: TabState = { place: 'waiting', leader: { kind: 'none', epoch: 0, resignedEpoch: 0 } };

/** The state after an event. The known leader is the same object if the event says nothing about it. */
export function after({ place, leader }: TabState, event: TabEvent): TabState {
  return { place: PLACES[place][event.kind] ?? place, leader: leaderAfter(leader, event, holdsLock(place)) };
}

function holdsLock(place: Place): boolean {
  return place === 'opening' || place === 'leading' || place === 'leaving';
}

function leaderAfter(leader: KnownLeader, event: TabEvent, leads: boolean): KnownLeader {
  switch (event.kind) {
    case 'acquired':
      return leading(leader, event.epoch, false);
    case 'opened':
      return leading(leader, event.epoch, true);
    case 'leads':
      return leading(leader, event.epoch, event.isReady);
    case 'ended':
      return resigned(leader, event.epoch);
    case 'resigned':
      return event.epoch === leader.epoch ? resigned(leader, event.epoch) : leader;
    case 'foreign':
      // Only one tab of all versions has the lock: that message is late.
      if (leads) return leader;
      if (event.leads) return { ...leader, kind: 'foreign' };
      return leader.kind === 'foreign' ? { ...leader, kind: 'none' } : leader;
    default:
      return leader;
  }
}

function leading(leader: KnownLeader, epoch: number, isReady: boolean): KnownLeader {
  if (epoch < leader.epoch || epoch <= leader.resignedEpoch) return leader;
  const wasReady = epoch === leader.epoch && leader.kind === 'ready';
  return { ...leader, kind: isReady || wasReady ? 'ready' : 'announced', epoch };
}

function resigned(leader: KnownLeader, epoch: number): KnownLeader {
  const isOver = epoch === leader.epoch && leader.kind !== 'foreign';
  return { ...leader, kind: isOver ? 'none' : leader.kind, resignedEpoch: Math.max(leader.resignedEpoch, epoch) };
}

/** The role, as the program sees it: a tab leads until its leadership has ended. */
export function roleOf({ place }: TabState): Role {
  if (place === 'leading' || place === 'leaving') return 'leader';
  return place === 'closed' ? 'closed' : 'follower';
}

/** True if calls have another destination now. */
export function isNewLeader(before: KnownLeader, now: KnownLeader): boolean {
  const wasKnown = before.kind === 'announced' || before.kind === 'ready';
  return now.kind !== 'none' && now.kind !== 'foreign' && !(wasKnown && before.epoch === now.epoch);
}

/** True if a leader has begun to run calls. */
export function hasBegun(before: KnownLeader, now: KnownLeader): boolean {
  return now.kind === 'ready' && !(before.kind === 'ready' && before.epoch === now.epoch);
}
