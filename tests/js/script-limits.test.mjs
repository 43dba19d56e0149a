// Scripts that never end, take all memory, nest without an end or answer without one: an error, and the engine goes on.
import assert from 'node:assert/strict';
import test from 'node:test';
import { scripting } from './support/package.mjs';
import hostile from '../support/hostile_scripts.json' with { type: 'json' };

const { Keylatch, ReplyError } = await scripting('index');

/** A tenth of the default. */
const INSTRUCTIONS = 10_000_000;

const joined = (parts) => parts.map((part) => (typeof part === 'string' ? part : part[0].repeat(part[1]))).join('');

for (const [kind, scripts] of Object.entries(hostile))
  test(`${kind} scripts end with an error, and the engine goes on`, () => {
    const db = new Keylatch();
    db.configSet('lua-instruction-limit', String(INSTRUCTIONS));
    db.set('k', 'v');
    for (const script of scripts.map(joined)) {
      assert.throws(() => db.eval(script), ReplyError, script.slice(0, 80));
      assert.equal(db.eval("return redis.call('GET', 'k')"), 'v', script.slice(0, 80));
    }
    assert.equal(db.get('k'), 'v');
    db.close();
  });

test('arguments of a command are limited like values of the script', () => {
  const db = new Keylatch();
  const script = `local s, t = string.rep('x', 1e6), {}
    for i = 1, 5000 do t[i] = s end
    return redis.call('RPUSH', 'list', unpack(t))`;
  assert.throws(() => db.eval(script), ReplyError);
  assert.equal(db.exists('list'), 0);
  assert.equal(db.eval('return 1'), 1);
  db.close();
});
