// The package's clients and the script of locks in worlds of faults, by seeds; and scripts with one rule left out, which are noticed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setUpScripts } from './support/script-server.mjs';
import { LIVENESS_MS, simulate, SOURCE } from './support/script-world.mjs';

const SEEDS = Number(process.env.KEYLATCH_LOCK_SEEDS ?? 8);
/** Worlds in which a script with a rule left out has to be noticed. */
const MUTATION_SEEDS = 40;

test(`${SEEDS} worlds: one exclusive holder, tokens in order, nothing is overtaken, all that live are served`, async () => {
  for (let seed = 1; seed <= SEEDS; seed += 1) assert.equal(await simulate(seed), undefined, `seed ${seed}`);
});

/** Whether a grant that is not claimed ends with the place in line. */
async function unclaimedGrant(script) {
  const { clock, db } = setUpScripts();
  const run = (...argv) => db.call('EVAL', script, '5', 'a{1}', 'b{1}', 'c{1}', 'd{1}', 'e{1}', ...argv.map(String));
  const acquire = (owner, live) => run('acquire', owner, 'x', 60_000, live, '-', 0, 0, 1, 1)[0] === 1;
  acquire('ann', 0);
  acquire('bob', LIVENESS_MS);
  run('release', 'ann', 0);
  clock.advance(LIVENESS_MS + 1);
  return acquire('cid', 0) ? undefined : 'the grant of a dead waiter lasts longer than its place';
}

/** Whether a lease that ended can be renewed in the delay after it. */
async function revivedLease(script) {
  const { clock, db } = setUpScripts();
  const run = (...argv) => db.call('EVAL', script, '5', 'a{1}', 'b{1}', 'c{1}', 'd{1}', 'e{1}', ...argv.map(String));
  run('acquire', 'ann', 'x', 1000, 0, '-', 500, 0, 1, 1);
  clock.advance(1001);
  return run('renew', 'ann', 1000, 0)[0] === 0 ? undefined : 'a lease that ended was renewed';
}

const MUTATIONS = {
  'the owner is not compared': ['return who == owner and sole or nil', 'return sole', simulate],
  'a newcomer overtakes': ["(waiting == 0 or redis.call('ZRANGE', KEYS[at + 4], 0, 0)[1] == client)", 'true', simulate],
  'a dead head is kept': ['left = 1 return end\n      drop(who)', 'left = 1 return end\n      return', simulate],
  'an unclaimed grant lasts for its whole length': [
    'math.min(place.ttl_ms, place.ends_ms - now)',
    'place.ttl_ms',
    (_, script) => unclaimedGrant(script),
  ],
  'a renewal revives': [
    'held and is_live(held) and held.claim ~= GRANTED',
    'held',
    (_, script) => revivedLease(script),
  ],
  'the last token does not count': ['math.max(last + 1, micros)', 'micros', simulate],
  'there are no looks': ['return math.ceil(wait_ms)', 'return 1e9', simulate],
  'a lease keeps the length that a clock set back gave it': [
    'if held.ends_ms - now <= held.ttl_ms then return end',
    'if true then return end',
    simulate,
  ],
};

for (const [title, [from, to, notice]] of Object.entries(MUTATIONS)) {
  test(`noticed: ${title}`, async (t) => {
    assert.equal(SOURCE.split(from).length, 2, 'the rule stands in the script once');
    const script = SOURCE.replace(from, to);
    let noticed;
    for (let seed = 1; seed <= MUTATION_SEEDS && noticed === undefined; seed += 1) noticed = await notice(seed, script);
    assert.notEqual(noticed, undefined);
    t.diagnostic(noticed);
  });
}

test('the scenarios pass with the script as it is', async () => {
  assert.equal(await unclaimedGrant(SOURCE), undefined);
  assert.equal(await revivedLease(SOURCE), undefined);
});
