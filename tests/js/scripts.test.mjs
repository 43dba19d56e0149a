// Scripts in JavaScript: the package keylatch-scripting, and what keylatch answers without Lua.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { folder as core, entry as coreEntry } from './support/package.mjs';

const folder = resolve(core, '../keylatch-scripting');
const entry = (name) => import(join(folder, 'esm', `${name}.js`));
const { Keylatch, ManualClock, ReplyError } = await entry('index');
const { describeMismatches, runSession } = await entry('testing');
const { Keylatch: Core } = await coreEntry('index');
const { isUnfinished } = await entry('hints');

const RELEASE = "if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end return 0";

const scratch = mkdtempSync(join(tmpdir(), 'keylatch-scripts-'));
after(() => rmSync(scratch, { recursive: true }));

test('eval: keys, arguments, and replies of every kind', () => {
  const db = new Keylatch();
  assert.deepEqual(db.eval('return { KEYS[1], ARGV[1], #KEYS }', ['k'], [5]), ['k', '5', 1]);
  assert.equal(db.eval('return 3.99'), 3);
  assert.equal(db.eval('return false'), null);
  assert.equal(db.eval('return redis.status_reply("FINE")'), 'FINE');
  assert.deepEqual(db.bytes.eval('return "\\255"'), new Uint8Array([255]));
  assert.equal(db.eval("return redis.call('SET', KEYS[1], ARGV[1])", ['k'], ['v']), 'OK');
  assert.throws(() => db.eval('return redis.error_reply("MINE gone")'), { code: 'MINE', command: 'EVAL' });
  assert.throws(() => db.eval('return nosuch'), /user_script:1: .*nonexistent global variable 'nosuch'/);
  assert.throws(() => db.eval('\n\nreturn ('), /user_script:3:/);
  assert.throws(() => db.evalRo("return redis.call('SET', 'k', 1)"), ReplyError);
  assert.throws(() => db.eval('return 1', 'k'), /keys must be an array/);
  assert.throws(() => db.eval('return 1', [], [], 1), /eval takes at most 3 arguments/);
});

test('scripts by name, and functions', () => {
  const db = new Keylatch();
  const sha1 = db.scriptLoad('return KEYS[1]');
  assert.match(sha1, /^[0-9a-f]{40}$/);
  assert.deepEqual(db.scriptExists(sha1, 'f'.repeat(40)), [1, 0]);
  assert.equal(db.evalsha(sha1, ['k']), 'k');
  assert.equal(db.evalshaRo(sha1, ['k']), 'k');
  assert.equal(db.scriptFlush(), 'OK');
  assert.throws(() => db.evalsha(sha1, ['k']), { code: 'NOSCRIPT' });
  const library = "#!lua name=mylib\nredis.register_function('twice', function(keys, args) return args[1] * 2 end)";
  assert.equal(db.functionLoad(library), 'mylib');
  assert.throws(() => db.functionLoad(library), /already exists/);
  assert.equal(db.functionLoad(library, { replace: true }), 'mylib');
  assert.equal(db.fcall('twice', [], [21]), 42);
  assert.equal(db.functionDelete('mylib'), 'OK');
  assert.throws(() => db.fcall('twice', [], [1]), ReplyError);
});

test('script: a function that runs the script by its name, also after SCRIPT FLUSH, in views and as bytes', () => {
  const db = new Keylatch();
  const release = db.script(RELEASE, { keys: 1 });
  db.set('door', 'me');
  assert.equal(release('door', 'you'), 0);
  assert.equal(db.scriptExists(release.sha1)[0], 1);
  assert.equal(release.source, RELEASE);
  db.scriptFlush();
  assert.equal(release('door', 'me'), 1);
  const view = db.prefix('p:').script("return redis.call('SET', KEYS[1], ARGV[1])", { keys: 1 });
  assert.equal(view('k', 'v'), 'OK');
  assert.equal(db.get('p:k'), 'v');
  assert.deepEqual(db.bytes.script('return "\\254"')(), new Uint8Array([254]));
  assert.throws(() => release(), /the script has 1 keys, got 0 arguments/);
  assert.equal(db.script("return redis.call('GET', KEYS[1])", { keys: 1, readOnly: true })('p:k'), 'v');
  assert.throws(() => db.script("return redis.call('SET', 'a', 1)", { readOnly: true })(), ReplyError);
  assert.throws(() => db.script(RELEASE, { key: 1 }), /unknown option "key"; did you mean "keys"/);
});

test('a script in a transaction, its effects as one unit, and its events', () => {
  const clock = new ManualClock(0);
  const db = new Keylatch({ clock });
  const seen = [];
  db.on('*', ({ event, key }) => seen.push(`${event} ${key}`));
  db.record(true);
  assert.deepEqual(db.multi().set('a', 1).eval("redis.call('INCR', 'a') return redis.call('INCR', 'b')").exec(), [
    'OK',
    1,
  ]);
  assert.deepEqual(seen, ['set a', 'incrby a', 'incrby b']);
  const copy = new Core();
  copy.replay(db.takeEffects());
  assert.deepEqual(copy.mget('a', 'b'), ['2', '1']);
});

test('prepared scripts survive compact; functions a snapshot, a log and a fork', () => {
  const db = new Keylatch();
  const seven = db.script('return 7');
  assert.equal(seven(), 7);
  db.record(true);
  db.functionLoad("#!lua name=l\nredis.register_function('f', function() return 9 end)");
  db.compact();
  assert.equal(seven(), 7);
  assert.equal(db.fcall('f'), 9);
  assert.equal(db.fork().fcall('f'), 9);
  const loaded = new Keylatch();
  loaded.load(db.snapshot());
  assert.equal(loaded.fcall('f'), 9);
  const replayed = new Keylatch();
  replayed.replay(db.takeEffects());
  assert.equal(replayed.fcall('f'), 9);
  // The package without Lua keeps them and writes them back.
  const between = new Core();
  between.load(db.snapshot());
  const back = new Keylatch();
  back.load(between.snapshot());
  assert.equal(back.fcall('f'), 9);
});

test('keylatch without Lua names the package that has it', () => {
  const db = new Core();
  for (const run of [() => db.eval('return 1'), () => db.script('return 1')(), () => db.fcall('f')]) {
    assert.throws(run, /keylatch-scripting/);
  }
});

test('an endless script and a bomb end with an error, and the engine goes on', () => {
  const db = new Keylatch();
  db.set('k', 'v');
  for (const lua of [
    'while true do end',
    "local s = 'x' while true do s = s .. s end",
    "return string.rep('x', 2^31)",
    'local function f() return f() + 1 end return f()',
    'local t = {} for i = 1, 1e9 do t[i] = i end',
    `return ${'('.repeat(100_000)}1${')'.repeat(100_000)}`,
    "return string.find(string.rep('a', 50000), string.rep('a*', 50) .. 'b')",
    'return coroutine.wrap(function() while true do end end)()',
  ]) {
    assert.throws(() => db.eval(lua), ReplyError, lua.slice(0, 40));
    assert.equal(db.get('k'), 'v');
  }
  assert.equal(db.eval("return redis.call('GET', 'k')"), 'v');
});

const root = resolve(import.meta.dirname, '../..');
const sessions = ['tests/sessions', 'www/lessons'].flatMap((under) =>
  readdirSync(join(root, under), { recursive: true })
    .filter((name) => name.endsWith('.session') && !name.startsWith('without-lua/'))
    .map((name) => `${under}/${name}`),
);

test('every session file matches in the package with Lua', () => {
  assert.ok(sessions.some((name) => name.includes('scripting/')));
  for (const name of sessions) {
    const report = runSession(readFileSync(join(root, name), 'utf8'));
    assert.equal(describeMismatches(report), '', name);
  }
});

test('CommonJS and the entries of the package', () => {
  const require = createRequire(import.meta.url);
  const { Keylatch: Required } = require(join(folder, 'cjs/index.js'));
  assert.equal(new Required().eval('return 1 + 1'), 2);
  const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const other = JSON.parse(readFileSync(join(core, 'package.json'), 'utf8'));
  assert.deepEqual(manifest.exports, other.exports);
  assert.equal(manifest.name, 'keylatch-scripting');
});

function run(program, args, input, cwd = scratch) {
  const options = { input, encoding: 'utf8', cwd, timeout: 60_000 };
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(program, 'cli/keylatch.js'), ...args], options);
  return { status, stdout, stderr };
}

test('scripts over several lines in a pipe, with errors that name their line', () => {
  const input = `EVAL "local x = ARGV[1]
return { x, #KEYS }" 0 hello
EVAL '
return nosuch' 0
EVAL "return (
" 0
`;
  const { stdout } = run(folder, [], input);
  assert.match(
    stdout,
    /^1\) "hello"\n2\) \(integer\) 0\n\(error\) ERR user_script:2: .*'nosuch'.*\n\(error\) ERR Error compiling script .*user_script:2:.*\n$/,
  );
});

test('what is unfinished: scripts in open quotes, and no other command', () => {
  for (const text of ['EVAL "x', "eval_ro 'x\n y", 'SCRIPT LOAD "', 'FUNCTION LOAD REPLACE "a', 'EVAL "\\"'])
    assert.equal(isUnfinished(text), true, text);
  for (const text of ['EVAL "x" 0', 'SET k "v', 'GET "k', 'EVALSHA "x', 'EVAL', ''])
    assert.equal(isUnfinished(text), false, text);
});

test('keylatch --scripting runs the other package, or says how to get it', () => {
  const missing = run(core, ['--scripting'], 'PING\n');
  assert.equal(missing.status, 2);
  assert.match(missing.stderr, /--scripting needs the package keylatch-scripting, .*npm install keylatch-scripting/);
  const home = join(scratch, 'home');
  mkdirSync(join(home, 'node_modules'), { recursive: true });
  symlinkSync(folder, join(home, 'node_modules/keylatch-scripting'), 'dir');
  assert.equal(run(core, ['--scripting'], 'EVAL "return 5" 0\n', home).stdout, '(integer) 5\n');
  writeFileSync(join(home, 'one.session'), '> EVAL "return 5" 0\n(integer) 6\n');
  assert.equal(run(core, ['run', '--scripting', 'one.session'], '', home).status, 1);
  assert.equal(run(folder, ['--scripting'], 'EVAL "return 6" 0\n').stdout, '(integer) 6\n');
});

test('a big number that is none is an error reply, alone and among others', () => {
  const db = new Keylatch();
  db.call('HELLO', 3);
  const reply = (text) => `redis.setresp(3) return ${text}`;
  for (const wrong of ['abc', '', '0x10', '1.5', '1e3', ' 1', `${'9'.repeat(30)}x`])
    assert.throws(
      () => db.eval(reply(`{big_number='${wrong}'}`), [], []),
      (error) => error instanceof ReplyError && /^ERR the reply is declared a big number/.test(error.message),
      wrong,
    );
  assert.equal(
    db.eval(reply(`{big_number='-123456789012345678901234567890'}`), [], []),
    -123456789012345678901234567890n,
  );
  const [first, second, third] = db.eval(reply(`{1, {big_number='x'}, 3}`), [], []);
  assert.deepEqual([first, second.name, third], [1, 'ReplyError', 3]);
  assert.equal(db.ping(), 'PONG');
});
