/**
 * The program that is signalled: makes step after step, and prints the number of steps that are acknowledged: after each
 * call if that is enough (`always`, or a signal that is flushed), else after a flush.
 */
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import { fillingOf } from './model.mjs';
import { step } from './steps.mjs';

const { packageFolder, dir, policy, moment, megabytes, flushOnSignal } = JSON.parse(process.argv[2]);
const { open } = await import(join(packageFolder, 'esm/persist.js'));

/** More than the time after which effects are appended by themselves. */
const APPENDED_MS = 20;
const BATCH = 16;

const say = (text) => writeSync(1, `${text}\n`);
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const turn = () => new Promise((resolve) => setImmediate(resolve));

const db = await open({ dir, fsync: policy, ...(flushOnSignal ? { flushOnSignal } : {}) });
const countsCalls = policy === 'always' || flushOnSignal;
let steps = Number(db.get('steps') ?? 0);
say(`open ${steps}`);
for (const [key, value] of fillingOf(megabytes)) if (db.exists(key) === 0) db.set(key, value);
await db.flush();

function write(count) {
  for (let left = count; left > 0; left -= 1) {
    step(db, steps);
    steps += 1;
    if (countsCalls) say(steps);
  }
}

/** Writes for ever, beside other work that is begun again and again. */
async function load(begin = () => {}) {
  for (let isReady = false; ; isReady = true) {
    if (isReady) begin();
    write(1 + (steps % BATCH));
    if (!countsCalls) {
      await db.flush();
      say(steps);
    }
    if (!isReady) say('ready');
    await turn();
  }
}

function saveIfIdle() {
  if (/rdb_bgsave_in_progress:0/.test(db.call('INFO', 'persistence'))) db.call('BGSAVE');
}

/** Runs work again as soon as it has ended. */
function repeated(work) {
  let isRunning = false;
  return () => {
    if (isRunning) return;
    isRunning = true;
    work().finally(() => {
      isRunning = false;
    });
  };
}

const MOMENTS = {
  idle: async () => {
    write(50);
    // By then the steps are appended without a flush.
    await pause(APPENDED_MS);
    say(steps);
    say('ready');
    setInterval(() => {}, 1000);
  },
  load: () => load(),
  save: () => load(saveIfIdle),
  rewrite: () => load(repeated(() => db.rewrite())),
  flush: async () => {
    write(1);
    await db.flush();
    say(steps);
    say('ready');
    for (;;) {
      for (let left = BATCH; left > 0; left -= 1) {
        write(1);
        const flushed = steps;
        // Later barriers are never passed before earlier ones.
        void db.flush().then(() => say(flushed));
      }
      await turn();
    }
  },
};

await MOMENTS[moment]();
