/** Scripts by the ways of client libraries: ioredis `defineCommand`, node-redis `defineScript`, and errors of scripts. */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { createClient, defineScript } from 'redis';
import { both, client } from './support/both.mjs';

const RELEASE = `
if redis.call('GET', KEYS[1]) == ARGV[1] then
  return redis.call('DEL', KEYS[1])
end
return 0`;

both('ioredis: defineCommand, also in a pipeline and after SCRIPT FLUSH', async (t, port) => {
  const redis = client(t, port);
  redis.defineCommand('release', { numberOfKeys: 1, lua: RELEASE });
  redis.defineCommand('echo', { lua: 'return { #KEYS, ARGV[1], { 1, false, "x" }, 3.9 }' });
  await redis.set('door', 'me');
  assert.equal(await redis.release('door', 'you'), 0);
  await redis.script('FLUSH');
  assert.equal(await redis.release('door', 'me'), 1);
  assert.deepEqual(await redis.echo(1, 'k', 'v'), [1, 'v', [1, null, 'x'], 3]);
  await redis.set('door', 'me');
  const results = await redis.pipeline().release('door', 'x').release('door', 'me').exec();
  assert.deepEqual(results, [
    [null, 0],
    [null, 1],
  ]);
  assert.deepEqual(await redis.multi().set('door', 'me').release('door', 'me').exec(), [
    [null, 'OK'],
    [null, 1],
  ]);
});

both('node-redis: defineScript over RESP2 and RESP3', async (t, port) => {
  const release = defineScript({
    SCRIPT: RELEASE,
    NUMBER_OF_KEYS: 1,
    parseCommand(parser, key, owner) {
      parser.pushKey(key);
      parser.push(owner);
    },
    transformReply: (reply) => reply,
  });
  for (const RESP of [2, 3]) {
    const redis = await createClient({ url: `redis://127.0.0.1:${port}`, RESP, scripts: { release } }).connect();
    t.after(() => redis.destroy());
    await redis.scriptFlush();
    await redis.set('door', 'me');
    assert.equal(await redis.release('door', 'you'), 0);
    assert.equal(await redis.release('door', 'me'), 1);
    assert.deepEqual(await redis.eval('return { 1, false, { ok = "fine" }, "x" }'), [1, null, 'fine', 'x']);
  }
});

both('ioredis: errors of scripts', async (t, port) => {
  const redis = client(t, port);
  await redis.set('text', 'x');
  await assert.rejects(redis.eval('return redis.call("INCR", KEYS[1])', 1, 'text'), /not an integer/);
  await assert.rejects(redis.eval('return undefinedName', 0), /nonexistent global variable 'undefinedName'/);
  await assert.rejects(redis.eval('return (', 0), /Error compiling script/);
  await assert.rejects(redis.eval("return redis.error_reply('MINE gone')", 0), /^ReplyError: MINE gone/);
  await assert.rejects(redis.evalsha('f'.repeat(40), 0), /NOSCRIPT/);
  assert.equal(await redis.eval("local r = redis.pcall('INCR', KEYS[1]) return type(r.err)", 1, 'text'), 'string');
});

/** A program's folder with the package that has Lua. */
function installed(name) {
  const home = resolve(import.meta.dirname, '../../target/clients', name);
  rmSync(home, { recursive: true, force: true });
  mkdirSync(join(home, 'node_modules'), { recursive: true });
  cpSync(process.env.KEYLATCH_PACKAGE, join(home, 'node_modules/keylatch-scripting'), { recursive: true });
  return home;
}

test('keylatch serve --scripting serves with the package that has Lua', async (t) => {
  const program = join(process.env.KEYLATCH_PACKAGE, '../keylatch/cli/keylatch.js');
  const options = { cwd: installed('serve-scripting'), stdio: ['ignore', 'pipe', 'inherit'] };
  const child = spawn(process.execPath, [program, 'serve', '--scripting', '--port', '0'], options);
  t.after(() => child.kill());
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const redis = client(t, Number(/:(\d+)/.exec(line)[1]));
  assert.equal(await redis.eval('return ARGV[1] * 2', 0, 21), 42);
});

test('keylatch-scripting/ioredis: defineCommand of the real client, without a server', async () => {
  const home = installed('scripting');
  symlinkSync(resolve(import.meta.dirname, 'node_modules/ioredis'), join(home, 'node_modules/ioredis'), 'dir');
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  writeFileSync(
    join(home, 'program.js'),
    `import Redis from 'keylatch-scripting/ioredis';
const redis = new Redis({ scripts: { twice: { numberOfKeys: 0, lua: 'return ARGV[1] * 2' } } });
redis.defineCommand('release', { numberOfKeys: 1, lua: ${JSON.stringify(RELEASE)} });
await redis.set('door', 'me');
console.log(JSON.stringify([await redis.release('door', 'you'), await redis.release('door', 'me'), await redis.twice(21)]));
redis.disconnect();
`,
  );
  assert.equal(execFileSync(process.execPath, ['program.js'], { cwd: home, encoding: 'utf8' }), '[0,1,42]\n');
});
