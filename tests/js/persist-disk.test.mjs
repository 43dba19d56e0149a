// Stores of folders over a model disk: whenever power is cut, what a barrier covers is there, and nothing else than steps.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiskRun, States } from './support/disk-run.mjs';
import { FakeTime, withFakeTime } from './support/fake-time.mjs';
import { installModel } from './support/model-fs.mjs';
import { entry } from './support/package.mjs';

const STEPS = Number(process.env.KEYLATCH_DISK_STEPS ?? 2000);
const FIRST_SEED = Number(process.env.KEYLATCH_DISK_SEED ?? 1);
const STEPS_OF_SEED = 50;
/**
 * Seeds that found a defect: a load beside a replacement, a close beside one, a sync that cannot begin, a retry that ends
 * beside a replacement (two), a state that is owed again while it is written, a barrier of a policy that changed, two syncs
 * of which one fails, a close beside a sync that is waited for, bytes of before the opening that a barrier left to the system.
 */
const SEEDS_OF_DEFECTS = [58, 100, 108, 326, 330, 722, 1147, 1305, 614, 680];

installModel();

/** Time in hand. The package keeps the timers of its first import, so all tests have this one. */
const time = new FakeTime();

/** Runs work with the package on time in hand. */
function withPackage(work) {
  return withFakeTime(async () => {
    const [{ Keylatch }, { open }] = [await entry('index'), await entry('persist')];
    return work({ open, states: new States(Keylatch), time });
  }, time);
}

/** Runs one seed; undefined, or its violation with the steps that led to it. */
async function violationOf(seed, count, parts) {
  const run = new DiskRun({ seed, ...parts });
  try {
    await run.run(count);
    return undefined;
  } catch (error) {
    run.abandon();
    return `seed ${seed}: ${error.message}\n  ${run.log.join(', ')}\n${error.code === undefined ? '' : error.stack}`;
  }
}

const VARIATIONS = {
  lying: 'a sync that forces nothing',
  stale: 'a sync that covers only what was there at the begin of the last one',
  nameless: 'a sync of a folder that forces no names',
  eager: 'barriers that are believed to cover later steps',
};

/** Runs seeds, and reports the first violations. */
function checkSeeds(seeds) {
  return withPackage(async (parts) => {
    const failed = [];
    for (const seed of seeds) {
      const violation = await violationOf(seed, STEPS_OF_SEED, parts);
      if (violation !== undefined) failed.push(violation);
    }
    assert.equal(failed.length, 0, `${failed.length} seeds fail:\n${failed.slice(0, 5).join('\n')}`);
  });
}

test('steps, faults and cuts by seeds', () =>
  checkSeeds(Array.from({ length: Math.ceil(STEPS / STEPS_OF_SEED) }, (_, index) => FIRST_SEED + index)));

test('seeds that found a defect', () => checkSeeds(SEEDS_OF_DEFECTS));

test('the model can fail: each defect of a disk is found', () =>
  withPackage(async (parts) => {
    for (const [variation, title] of Object.entries(VARIATIONS)) {
      const fails = async (seed, given) =>
        (await violationOf(seed, STEPS_OF_SEED, { ...parts, ...given })) !== undefined;
      let isFound = false;
      // A seed shows something if it passes without the defect.
      for (let seed = 1; seed <= 20 && !isFound; seed += 1)
        isFound = (await fails(seed, { variation })) && !(await fails(seed, {}));
      assert.ok(isFound, `${title} is not found`);
    }
  }));
