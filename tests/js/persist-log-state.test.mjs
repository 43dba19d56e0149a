// The state of a log: each event in each state.
import assert from 'node:assert/strict';
import { test } from 'node:test';

import { source } from './support/source.mjs';

const { after, hasEnded, isEnding, isHeld, isOwed, RUNNING, shown } = await source('persist/log-state.ts');

const EVENTS = ['written', 'failed', 'lost', 'close', 'ended', 'owe', 'take', 'give', 'replaced', 'refused'];

/** The next state for each event of EVENTS; a dot where it stays. */
const LIFE = {
  running: '. failed lost closing . . . . . .',
  failed: 'running . lost closingFailed . . . . . .',
  closing: '. . lost . closed . . . . .',
  closingFailed: 'closing . lost . closed . . . . .',
  lost: '. . . . closed . . . . .',
  closed: '. . . . . . . . . .',
};
const CONTENTS = {
  log: '. . . . . owed . . . .',
  owed: '. . . . . . taking . . .',
  taking: '. . . . . . . held . owed',
  held: '. . . . . superseded . . log owed',
  superseded: '. . . . . . . . owed owed',
};

function nextOf(table, state, event) {
  const next = table[state].split(' ')[EVENTS.indexOf(event)];
  return next === '.' ? state : next;
}

const states = Object.keys(LIFE).flatMap((life) => Object.keys(CONTENTS).map((contents) => ({ life, contents })));

test('each event leads from each state to the state of the table', () => {
  for (const state of states) {
    for (const event of EVENTS) {
      const expected = { life: nextOf(LIFE, state.life, event), contents: nextOf(CONTENTS, state.contents, event) };
      assert.deepEqual(after(state, event), expected, `${event} in ${state.life}, ${state.contents}`);
    }
  }
});

test('every state is reached from the first one, and closed is the end', () => {
  const reached = new Map([[JSON.stringify(RUNNING), RUNNING]]);
  for (const state of reached.values()) {
    for (const event of EVENTS) {
      const next = after(state, event);
      reached.set(JSON.stringify(next), next);
    }
  }
  assert.equal(reached.size, states.length);
  for (const event of EVENTS) assert.equal(after({ life: 'closed', contents: 'log' }, event).life, 'closed');
});

test('a state is shown, ends, holds appends and owes the whole state as listed', () => {
  const lives = Object.keys(LIFE).map((life) => ({ life, contents: 'log' }));
  assert.deepEqual(lives.map(shown), ['running', 'failed', 'running', 'failed', 'lost', 'closed']);
  assert.deepEqual(lives.map(hasEnded), [false, false, false, false, true, true]);
  assert.deepEqual(lives.map(isEnding), [false, false, true, true, false, true]);
  const contents = Object.keys(CONTENTS).map((contents) => ({ life: 'running', contents }));
  assert.deepEqual(contents.map(isHeld), [false, false, true, true, true]);
  assert.deepEqual(contents.map(isOwed), [false, true, true, false, true]);
});
