// The state of a tab: each event in each state.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { source } from './support/source.mjs';

const { after, ALONE, hasBegun, isNewLeader, roleOf } = await source('tabs/tab-state.ts');

const EVENTS = ['acquired', 'opened', 'ended', 'resigned', 'leads', 'foreign', 'left', 'returned', 'closed'];

/** The next place for each event of EVENTS; a dot where it stays. */
const PLACES = {
  waiting: 'opening . . . . . away . closed',
  opening: '. leading waiting . . . away . closed',
  leading: '. . waiting . . . leaving . closed',
  leaving: '. . away . . . . leading closed',
  away: '. . . . . . . waiting closed',
  closed: '. . . . . . . . .',
};

const leader = (kind, epoch, resignedEpoch) => ({ kind, epoch, resignedEpoch });

/** Leaders that a tab can know when 5 is the greatest epoch. */
const LEADERS = {
  none: leader('none', 5, 5),
  announced: leader('announced', 5, 3),
  ready: leader('ready', 5, 3),
  foreign: leader('foreign', 5, 3),
  'foreign after 5': leader('foreign', 5, 5),
};

/** Events about a leader, and the leader that is known then, in the order of LEADERS; a dot where it is the same. */
const KNOWN = [
  [{ kind: 'leads', epoch: 4, isReady: true }, '. . . . .'],
  [{ kind: 'leads', epoch: 3, isReady: true }, '. . . . .'],
  [{ kind: 'leads', epoch: 5, isReady: false }, '. announced/5/3 ready/5/3 announced/5/3 .'],
  [{ kind: 'leads', epoch: 5, isReady: true }, '. ready/5/3 ready/5/3 ready/5/3 .'],
  [
    { kind: 'leads', epoch: 6, isReady: false },
    'announced/6/5 announced/6/3 announced/6/3 announced/6/3 announced/6/5',
  ],
  [{ kind: 'leads', epoch: 6, isReady: true }, 'ready/6/5 ready/6/3 ready/6/3 ready/6/3 ready/6/5'],
  [{ kind: 'acquired', epoch: 6 }, 'announced/6/5 announced/6/3 announced/6/3 announced/6/3 announced/6/5'],
  [{ kind: 'opened', epoch: 5 }, '. ready/5/3 ready/5/3 ready/5/3 .'],
  [{ kind: 'resigned', epoch: 4 }, '. . . . .'],
  [{ kind: 'resigned', epoch: 5 }, 'none/5/5 none/5/5 none/5/5 foreign/5/5 foreign/5/5'],
  [{ kind: 'resigned', epoch: 6 }, '. . . . .'],
  [{ kind: 'ended', epoch: 4 }, 'none/5/5 announced/5/4 ready/5/4 foreign/5/4 foreign/5/5'],
  [{ kind: 'ended', epoch: 5 }, 'none/5/5 none/5/5 none/5/5 foreign/5/5 foreign/5/5'],
  [{ kind: 'foreign', leads: true }, 'foreign/5/5 foreign/5/3 foreign/5/3 foreign/5/3 foreign/5/5'],
  [{ kind: 'foreign', leads: false }, '. . . none/5/3 none/5/5'],
  [{ kind: 'left' }, '. . . . .'],
  [{ kind: 'returned' }, '. . . . .'],
  [{ kind: 'closed' }, '. . . . .'],
];

test('each event leads from each place to the place of the table', () => {
  for (const [place, row] of Object.entries(PLACES)) {
    for (const [index, next] of row.split(' ').entries()) {
      const event = { kind: EVENTS[index], epoch: 6, isReady: true, leads: true };
      const expected = next === '.' ? place : next;
      assert.equal(after({ place, leader: LEADERS.ready }, event).place, expected, `${event.kind} in ${place}`);
    }
  }
});

test('each event leads from each known leader to the one of the table', () => {
  assert.deepEqual(new Set(KNOWN.map(([{ kind }]) => kind)), new Set(EVENTS));
  for (const [event, row] of KNOWN) {
    for (const [index, next] of row.split(' ').entries()) {
      const [name, before] = Object.entries(LEADERS)[index];
      const now = after({ place: 'waiting', leader: before }, event).leader;
      const message = `${JSON.stringify(event)} in ${name}`;
      if (next === '.') assert.equal(now, before, message);
      else assert.equal(`${now.kind}/${now.epoch}/${now.resignedEpoch}`, next, message);
    }
  }
});

test('a tab with the lock takes no other version for the leader', () => {
  for (const place of ['opening', 'leading', 'leaving'])
    for (const leads of [true, false])
      assert.equal(after({ place, leader: LEADERS.ready }, { kind: 'foreign', leads }).leader, LEADERS.ready, place);
});

test('a tab leads from the opening of its store to the end of its leadership', () => {
  const roles = Object.keys(PLACES).map((place) => roleOf({ place, leader: ALONE.leader }));
  assert.deepEqual(roles, ['follower', 'follower', 'leader', 'leader', 'follower', 'closed']);
});

test('calls have another destination, and state is restored, exactly once for a leader', () => {
  const states = [
    ['none', 'announced', true, false],
    ['none', 'ready', true, true],
    ['announced', 'announced', false, false],
    ['announced', 'ready', false, true],
    ['ready', 'ready', false, false],
    ['ready', 'none', false, false],
    ['ready', 'foreign', false, false],
    ['foreign', 'ready', true, true],
  ];
  for (const [before, now, isNew, begins] of states) {
    assert.equal(isNewLeader(LEADERS[before], LEADERS[now]), isNew, `${before} to ${now}`);
    assert.equal(hasBegun(LEADERS[before], LEADERS[now]), begins, `${before} to ${now}`);
  }
  assert.ok(isNewLeader(LEADERS.ready, leader('ready', 6, 3)) && hasBegun(LEADERS.ready, leader('ready', 6, 3)));
});
