// Time of keylatch/locks: clocks and timers of the environment, owners, pauses and delays of repeated attempts.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFakeTime } from './support/fake-time.mjs';
import { source } from './support/source.mjs';

const { elapsedMs, instant, newOwner, pause, SYSTEM_TIME } = await source('locks/time.ts');
const { backOffMs, repeated } = await source('locks/backoff.ts');
const { onPageEnd } = await source('locks/page.ts');

test('timers follow fake ones, are split where setTimeout ends, and can be cancelled', () =>
  withFakeTime((time) => {
    const fired = [];
    SYSTEM_TIME.after(100, () => fired.push('short'));
    const cancel = SYSTEM_TIME.after(100, () => fired.push('cancelled'));
    const month = 31 * 24 * 3600 * 1000;
    SYSTEM_TIME.after(month, () => fired.push('month'));
    SYSTEM_TIME.after(Number.POSITIVE_INFINITY, () => fired.push('never'));
    cancel();
    time.advance(100);
    assert.deepEqual(fired, ['short']);
    time.advance(month - 101);
    assert.deepEqual(fired, ['short']);
    time.advance(1);
    assert.deepEqual(fired, ['short', 'month']);
    assert.equal(SYSTEM_TIME.wallMs(), time.now);
  }));

test('elapsed time is that of the clock that went further, and never negative', () => {
  const time = { wallMs: () => time.wall, steadyMs: () => time.steady, wall: 1000, steady: 50 };
  const start = instant(time);
  for (const [wall, steady, expected] of [
    [1000, 50, 0],
    [1500, 60, 500],
    [400, 80, 30],
    [400, 50, 0],
  ]) {
    Object.assign(time, { wall, steady });
    assert.equal(elapsedMs(time, start), expected);
  }
});

test('without performance the time of day is all there is', () => {
  const { performance } = globalThis;
  Object.defineProperty(globalThis, 'performance', { value: undefined, configurable: true, writable: true });
  try {
    assert.equal(SYSTEM_TIME.steadyMs(), 0);
  } finally {
    Object.defineProperty(globalThis, 'performance', { value: performance, configurable: true, writable: true });
  }
});

test('owners differ, have 128 bits, and are no numbers', () => {
  const owners = Array.from({ length: 1000 }, newOwner);
  assert.equal(new Set(owners).size, 1000);
  for (const owner of owners) assert.match(owner, /^k[0-9a-f]{32}$/);
});

test('a pause ends by its time or by its signal', () =>
  withFakeTime(async (time) => {
    const ended = [];
    void pause(SYSTEM_TIME, 100, undefined).then(() => ended.push('time'));
    const controller = new AbortController();
    void pause(SYSTEM_TIME, 1000, controller.signal).then(() => ended.push('signal'));
    void pause(SYSTEM_TIME, 1000, AbortSignal.abort()).then(() => ended.push('aborted'));
    await Promise.resolve();
    assert.deepEqual(ended, ['aborted']);
    controller.abort();
    time.advance(100);
    await Promise.resolve();
    assert.deepEqual(ended, ['aborted', 'signal', 'time']);
    assert.equal(time.timers.size, 0);
  }));

test('delays double from 16 to 512 ms, half of each by chance', () => {
  for (const [chance, expected] of [
    [0, [8, 16, 32, 64, 128, 256, 256, 256]],
    [1, [16, 32, 64, 128, 256, 512, 512, 512]],
  ]) {
    const time = { random: () => chance };
    assert.deepEqual(
      expected.map((_, attempt) => backOffMs(time, attempt)),
      expected,
    );
    assert.equal(backOffMs(time, 10_000), expected.at(-1));
  }
});

test('the last attempt is made at the end of the wait', () =>
  withFakeTime(async (time) => {
    const attempts = [];
    const result = repeated(SYSTEM_TIME, { waitMs: 100, signal: undefined }, async () => {
      attempts.push(time.now);
      return null;
    });
    const { now } = time;
    for (let ms = 0; ms < 200; ms += 1) {
      time.advance(1);
      for (let job = 0; job < 10; job += 1) await Promise.resolve();
    }
    assert.equal(await result, null);
    assert.equal(attempts[0], now);
    assert.ok(attempts.at(-1) >= now + 100 && attempts.at(-1) <= now + 102, `${attempts.at(-1) - now}`);
  }));

test('without a page nothing is listened to', () => {
  onPageEnd({ window: undefined, document: undefined }, () => assert.fail())();
});
