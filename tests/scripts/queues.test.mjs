/** Queue libraries, unchanged: bee-queue and bull. */
import assert from 'node:assert/strict';
import BeeQueue from 'bee-queue';
import Bull from 'bull';
import { both, client } from './support/both.mjs';
import { until } from '../clients/support/server.mjs';

both('bee-queue: 200 jobs, some delayed, some retried, each done once', async (t, port) => {
  const queue = new BeeQueue('jobs', { redis: { port, host: '127.0.0.1' }, activateDelayedJobs: true });
  t.after(() => queue.close(1000));
  await queue.ready();
  const done = new Map();
  const failed = new Set();
  queue.process(8, async ({ data: { number } }) => {
    if (number % 20 === 0 && !failed.has(number)) {
      failed.add(number);
      throw new Error('the first attempt fails');
    }
    done.set(number, (done.get(number) ?? 0) + 1);
    return number;
  });
  for (let number = 0; number < 200; number += 1) {
    const job = queue.createJob({ number }).retries(2);
    if (number % 10 === 5) job.delayUntil(Date.now() + 300);
    await job.save();
  }
  await until(() => done.size === 200, 'the end of all jobs', 30_000);
  assert.deepEqual([...new Set(done.values())], [1]);
  assert.equal(failed.size, 10);
  await until(async () => (await queue.checkHealth()).succeeded === 200, 'the count of jobs');
});

both('bull 4: 200 jobs with priorities, delays and retries, each done once', async (t, port) => {
  const queue = new Bull('jobs', { redis: { port, host: '127.0.0.1' } });
  t.after(() => queue.close(true));
  const done = new Map();
  const failed = new Set();
  void queue.process(8, async ({ data: { number } }) => {
    if (number % 20 === 0 && !failed.has(number)) {
      failed.add(number);
      throw new Error('the first attempt fails');
    }
    done.set(number, (done.get(number) ?? 0) + 1);
    return number;
  });
  for (let number = 0; number < 200; number += 1) {
    const options = { attempts: 3, priority: 1 + (number % 3), ...(number % 10 === 5 ? { delay: 300 } : {}) };
    await queue.add({ number }, options);
  }
  await until(() => done.size === 200, 'the end of all jobs', 30_000);
  assert.deepEqual([...new Set(done.values())], [1]);
  await until(async () => (await queue.getJobCounts()).completed === 200, 'the count of jobs');
  const { waiting, active, delayed, failed: given } = await queue.getJobCounts();
  assert.deepEqual({ waiting, active, delayed, given }, { waiting: 0, active: 0, delayed: 0, given: 0 });
});

both('bull 4: priorities, a paused queue, a repeated job, and removal', async (t, port) => {
  const queue = new Bull('order', { redis: { port, host: '127.0.0.1' } });
  t.after(() => queue.close(true));
  await queue.pause();
  const jobs = [];
  for (const [name, priority] of Object.entries({ low: 3, high: 1, middle: 2 })) {
    jobs.push(await queue.add({ name }, { priority }));
  }
  const removed = await queue.add({ name: 'removed' });
  await removed.remove();
  const order = [];
  void queue.process(async ({ data: { name } }) => void order.push(name));
  await queue.resume();
  await until(() => order.length === 3, 'the jobs');
  assert.deepEqual(order, ['high', 'middle', 'low']);
  await Promise.all(jobs.map((job) => job.finished()));
  await queue.add('tick', {}, { repeat: { every: 60_000 } });
  assert.equal((await queue.getRepeatableJobs()).length, 1);
  await queue.obliterate({ force: true });
  assert.equal(await client(t, port).exists('bull:order:id'), 0);
});
