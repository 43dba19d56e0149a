// Commands that wait, for a database elsewhere: their time, and the same command for a part of it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { source } from './support/source.mjs';

const { waitOf } = await source('remote/wait.ts');

test('the time of a command that waits, and its form for less', () => {
  for (const [argv, ms, within] of [
    [['BLPOP', 'a', 'b', 1.5], 1500, ['BLPOP', 'a', 'b', 0.25]],
    [['brpop', 'a', '0'], Infinity, ['brpop', 'a', 0.25]],
    [['BLMOVE', 'a', 'b', 'LEFT', 'LEFT', Buffer.from('2')], 2000, ['BLMOVE', 'a', 'b', 'LEFT', 'LEFT', 0.25]],
    [['BLMPOP', 3, 1, 'a', 'LEFT'], 3000, ['BLMPOP', 0.25, 1, 'a', 'LEFT']],
    [['BZMPOP', 0, 1, 'a', 'MIN'], Infinity, ['BZMPOP', 0.25, 1, 'a', 'MIN']],
    [['WAIT', 1, 400], 400, ['WAIT', 1, 250]],
    [
      ['LATCH.ACQUIRE', 'WAIT', 'o', 'TTL', '9', 'WAIT', '1e12'],
      1e12,
      ['LATCH.ACQUIRE', 'WAIT', 'o', 'TTL', '9', 'WAIT', 250],
    ],
  ]) {
    const wait = waitOf(argv);
    assert.deepEqual([wait.ms, wait.within(249.1)], [ms, within], argv.join(' '));
  }
  assert.deepEqual(waitOf(['BLPOP', 'a', 5]).within(-3), ['BLPOP', 'a', 0.001], 'never without an end');
});

test('a command that answers at once, or will be refused, has no time', () => {
  for (const argv of [
    ['LATCH.ACQUIRE', 'k', 'o', 'TTL', 9],
    ['LATCH.ACQUIRE', 'k', 'o', 'WAIT', 0],
    ['BLPOP'],
    ['BLPOP', 'a', 'x'],
    ['BLPOP', 'a', -1],
  ])
    assert.equal(waitOf(argv), undefined, argv.join(' '));
});

test('replies that say that the time was over', () => {
  const over = (name, reply) => waitOf([name, 'k', 'o', 'WAIT', 1]).isOver(reply);
  assert.deepEqual([over('LATCH.ACQUIRE', null), over('LATCH.ACQUIRE', 7)], [true, false]);
  assert.deepEqual([over('LATCH.ONCE', ['busy', 'o', 1]), over('LATCH.ONCE', ['run', 1])], [true, false]);
  assert.deepEqual([over('LATCH.ARRIVE', [0, 1, 2]), over('LATCH.ARRIVE', [1, 2, 2])], [true, false]);
  assert.deepEqual([over('BLPOP', null), over('BLPOP', ['k', 'v'])], [true, false]);
});
