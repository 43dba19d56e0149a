// The state of a shown session, which `<keylatch-repl>` and the page share.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { SessionState, sessionVerdict } = await entry('element');

const TEXT = '> SET door ann\nOK\n@ +1s\n> SET door bob\nOK\n> GET door\n"ann"\n> GET door';

function engine() {
  return new Keylatch({ clock: new ManualClock() });
}

test('a run shows the end, and each earlier step has the keys of its moment', () => {
  const state = new SessionState({ text: TEXT });
  const report = state.runAll(engine());
  assert.equal(state.report, report);
  assert.deepEqual([state.at, state.line, state.isAtEnd], [5, 8, true]);
  const values = [0, 1, 2, 3, 9, -1].map((count) => {
    const db = engine();
    state.goTo(count);
    state.replay(db);
    return [state.at, state.line, db.get('door')];
  });
  assert.deepEqual(values, [
    [0, 0, null],
    [1, 1, 'ann'],
    [2, 3, 'ann'],
    [3, 4, 'bob'],
    [5, 8, 'bob'],
    [0, 0, null],
  ]);
  assert.equal(state.report, report, 'a part of the session is no new report');
});

test('the verdict counts the steps that are given', () => {
  const state = new SessionState({ text: TEXT });
  state.runAll(engine());
  assert.deepEqual(sessionVerdict(state.stops), {
    differing: 1,
    checked: 3,
    words: '1 of 3 checked steps differ',
    unchecked: ', 1 ran unchecked',
  });
  assert.equal(sessionVerdict(state.stops.slice(0, 3)).words, '2 checked, all as expected');
  assert.equal(sessionVerdict(state.stops.slice(4)).words, '1 step ran, none has an expected reply');
});

test('a text that is no session, and keys that cannot be loaded, are problems', () => {
  const state = new SessionState({ text: '> PING\nPONG\n@ nonsense' });
  assert.equal(state.runAll(engine()), undefined);
  assert.deepEqual([state.report, state.at, state.problem?.line], [undefined, 0, 3]);
  state.open({ text: '> PING', start: new Uint8Array([1, 2, 3]) });
  assert.equal(state.problem, undefined);
  state.runAll(engine());
  assert.match(state.problem.message, /^the keys that the session starts with cannot be loaded: /);
  state.open({ text: '> GET k\n"v"', start: withKey() });
  assert.equal(state.runAll(engine()).mismatches, 0);
});

function withKey() {
  const db = engine();
  db.set('k', 'v');
  return db.snapshot();
}

test('the limit of scripts belongs to the text, unless it is lifted', () => {
  const state = new SessionState({ text: '> CONFIG SET lua-instruction-limit 5000\n> EVAL "return 1" 0' });
  state.runAll(engine());
  assert.equal(state.problem?.line, 1);
  state.runAll(engine(), { unlimitedScripts: true });
  assert.equal(state.problem, undefined);
});
