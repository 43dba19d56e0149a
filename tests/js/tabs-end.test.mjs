// The end of the page that leads: what it hands over in the turn of the event.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { until, World } from './support/tabs-world.mjs';

let world;
afterEach(() => world.close());

test('an urgent end of the leader hands over what was acknowledged while an append runs, in the turn of the event', async () => {
  world = new World();
  const [a, b] = [await world.open(), await world.open()];
  const { append } = a.store;
  const waiting = [];
  const appended = [];
  a.store.hasten = () => {
    a.store.isUrgent = true;
  };
  a.store.append = (piece, nowMs) => {
    appended.push(String.fromCharCode(...piece));
    return new Promise((resolve) => waiting.push(() => resolve(append(piece, nowMs))));
  };
  await b.db.set('running', 1);
  await until(() => appended.length === 1);
  await b.db.set('behind', 1);
  await b.db.set('last', 1);
  assert.equal(appended.length, 1, 'one append at a time');
  a.life.leaving();
  assert.deepEqual(appended[1].match(/behind|last/g), ['behind', 'last']);
  for (const finish of waiting) finish();
  assert.deepEqual(await b.db.mget('running', 'behind', 'last'), ['1', '1', '1']);
});
