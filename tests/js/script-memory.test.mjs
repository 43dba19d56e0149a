// Scripts in instances with limited memory: they are refused, and the engine goes on.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { limited } from './support/limited-memory.mjs';
import { folder, scripting } from './support/package.mjs';

const { Keylatch, ReplyError } = await scripting('index');

/** Scripts that use memory in ways of their own. */
const HUNGRY = [
  "local t = {} for i = 1, 1e6 do t[i] = 'k' .. i end return #t",
  "return #string.rep('x', 3e7)",
  "local s = '' for i = 1, 1e5 do s = s .. 'xxxxxxxxxxxxxxxxxxxx' end return #s",
  'local t = {} for i = 1, 3e5 do t = {t} end return 1',
  "local t = {} for i = 1, 50 do t[i] = redis.call('GET', 'big') .. i end return #t",
  'local f = {} for i = 1, 1e5 do f[i] = function() return i end end return 1',
  'local t = {} for i = 1, 1e5 do t[i] = coroutine.create(function() end) end return 1',
  "local s = string.rep('x', 2e5) for i = 1, 1e3 do redis.call('SET', 'b' .. i, s) end return 1",
  'local t = {} for i = 1, 1e6 do coroutine.wrap(function() coroutine.yield(i) end)() end return 1',
  'local function f(n) if n == 0 then return 0 end return f(n - 1) + 1 end return f(1e6)',
  'local t = {} for i = 1, 200 do t[i] = coroutine.wrap(function() local function f(n) if n == 0 then coroutine.yield() else f(n - 1) return 1 end end f(1e4) end) t[i]() end return 1',
  "redis.call('SETRANGE', 'long', 5e8, 'x') return 1",
  "for i = 1, 1e3 do redis.call('APPEND', 'long', string.rep('x', 1e5)) end local t = {} for i = 1, 1e5 do t[i] = {} end return 1",
];

test('an instance whose memory is limited refuses scripts instead of ending', () => {
  const file = readFileSync(`${folder}-scripting/keylatch.wasm`);
  for (const pages of [300, 450, 900, 1800])
    for (const script of HUNGRY) {
      const db = Keylatch.from(new WebAssembly.Module(limited(file, pages).bytes), { seed: 1 });
      db.set('big', 'x'.repeat(1e6));
      try {
        db.eval(script);
      } catch (error) {
        assert.ok(error instanceof ReplyError, `${pages} ${script}: ${error}`);
      }
      assert.equal(db.getrange('big', 0, 0), 'x', `${pages} ${script}`);
      db.close();
    }
});

test('a full instance refuses scripts, the first one included, and keeps its keys', () => {
  const file = readFileSync(`${folder}-scripting/keylatch.wasm`);
  for (const isWarm of [true, false]) {
    const db = Keylatch.from(new WebAssembly.Module(limited(file, 500).bytes), { seed: 1 });
    if (isWarm) assert.equal(db.eval('return 1'), 1);
    const fill = () => {
      for (let index = 0; ; index += 1) db.set(`k${index}`, 'v'.repeat(200));
    };
    assert.throws(fill, ReplyError);
    for (const script of ["return redis.call('GET', 'k1')", 'local t = {} for i = 1, 1e5 do t[i] = i end return #t'])
      assert.throws(() => db.eval(script), ReplyError, script);
    assert.equal(db.get('k1')?.length, 200);
    db.close();
  }
});
