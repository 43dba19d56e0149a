// Kinds of coordination beside locks, as every store has them.
import assert from 'node:assert/strict';
import { sleep } from './server.mjs';

/** One permit at a time. */
export async function checkPermits(mine) {
  const permit = await mine.semaphore('pool', 1).acquire();
  assert.equal(await mine.semaphore('pool', 1).acquire({ ifAvailable: true }), null);
  await permit.release();
}

/** One candidate leads, until it resigns. */
export async function checkElection(mine) {
  const election = mine.elect('chair', { candidate: 'ann' });
  await election.campaign();
  assert.equal((await election.leader()).candidate, 'ann');
  assert.equal(await election.resign(), true);
}

/** Two calls of a task at once run it once. */
export async function checkOnce(mine) {
  const both = [mine.once('job', () => sleep(20).then(() => ({ n: 1 }))), mine.once('job', () => ({ n: 2 }))];
  assert.deepEqual(await Promise.all(both), [{ n: 1 }, { n: 1 }]);
}
