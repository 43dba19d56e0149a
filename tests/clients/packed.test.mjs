/** The packed package in an empty folder, installed as users do: each part of the edge, and each entry of locks and limits. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { Redis } from '@upstash/redis';
import { temporaryFolder } from '../js/support/folders.mjs';
import { folder, run, serveBuild } from './support/server.mjs';
import { serveSockets } from './support/socket-server.mjs';

/** Folder of the program, and of the package in it. */
let home;
let installed;

async function npm(args, cwd) {
  const { code, output, errors } = await run('npm', [...args, '--loglevel=error'], { cwd, timeoutMs: 120_000 });
  assert.equal(code, 0, errors);
  return output;
}

before(async () => {
  home = temporaryFolder();
  const [{ filename }] = Object.values(JSON.parse(await npm(['pack', folder, '--json'], home)));
  writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }\n');
  await npm(['install', '--offline', '--no-audit', '--no-fund', `./${filename}`], home);
  installed = join(home, 'node_modules/keylatch');
});

/** Runs the command line as npm links it. */
function keylatch(args, options) {
  return run(join(home, 'node_modules/.bin/keylatch'), args, { cwd: home, ...options });
}

/** Runs a program in the folder; its output as JSON. */
async function program(text) {
  writeFileSync(join(home, 'program.js'), text);
  const { code, output, errors } = await run(process.execPath, ['program.js'], { cwd: home });
  assert.equal(code, 0, errors);
  return JSON.parse(output);
}

test('keylatch serve --http answers @upstash/redis, and keylatch/remote', async (t) => {
  const server = await serveBuild(t, installed, '--http', '0');
  await server.printed(/UPSTASH_REDIS_REST_TOKEN="/);
  const [, url, token] = /REST_URL="(.*)"\s[\s\S]*REST_TOKEN="(.*)"/.exec(server.output());
  const redis = new Redis({ url, token });
  assert.equal(await redis.set('k', 'v'), 'OK');
  const read = `import { connect } from 'keylatch/remote';
    const db = connect(${JSON.stringify(url)}, { token: ${JSON.stringify(token)}, transport: 'rest' });
    console.log(JSON.stringify([await db.get('k'), await db.incr('n')]));
    await db.close();`;
  assert.deepEqual(await program(read), ['v', 1]);
});

test('keylatch connect runs lines over a WebSocket', async (t) => {
  const { port } = await serveBuild(t, installed);
  const sockets = await serveSockets(t, port, { token: 'secret' });
  const { output } = await keylatch(['connect', `http://127.0.0.1:${sockets.port}`], {
    input: 'SET k v\nGET k\n',
    env: { ...process.env, KEYLATCH_TOKEN: 'secret' },
  });
  assert.equal(output, 'OK\n"v"\n');
});

test('keylatch new worker writes a project', async () => {
  const { code, errors } = await keylatch(['new', 'worker', 'edge']);
  assert.equal(code, 0, errors);
  for (const file of ['wrangler.jsonc', '.gitignore', '.dev.vars.example', 'src/worker.ts'])
    assert.ok(existsSync(join(home, 'edge', file)), file);
  assert.match(readFileSync(join(home, 'edge/src/worker.ts'), 'utf8'), /from 'keylatch\/durable-object'/);
});

test('keylatch token prints a signed token', async () => {
  const env = { ...process.env, KEYLATCH_SECRET: 'x'.repeat(32) };
  const { code, output } = await keylatch(['token', '--key-id', 'one', '--expires', '60', '--write'], { env });
  assert.equal(code, 0);
  assert.match(output, /^kl1\.one\.[\w-]+\.[\w-]{43}\n$/);
});

test('the handler of keylatch/upstash on node:http', async () => {
  const answers = await program(`import { createServer } from 'node:http';
    import { Keylatch } from 'keylatch';
    import { upstashListener } from 'keylatch/upstash';
    const server = createServer(upstashListener(new Keylatch(), { token: 'secret' })).listen(0, '127.0.0.1', async () => {
      const url = 'http://127.0.0.1:' + server.address().port;
      const ask = async (path, token) => (await fetch(url + path, { headers: { authorization: 'Bearer ' + token } })).json();
      console.log(JSON.stringify([await ask('/set/k/v', 'secret'), await ask('/get/k', 'secret'), await ask('/get/k', 'x')]));
      server.closeAllConnections();
      server.close();
    });`);
  assert.deepEqual(answers.slice(0, 2), [{ result: 'OK' }, { result: 'v' }]);
  assert.equal(typeof answers[2].error, 'string');
});

test('keylatch/locks and keylatch/limits', async () => {
  const answers = await program(`import { createServer } from 'node:http';
    import { Keylatch } from 'keylatch';
    import { locks } from 'keylatch/locks';
    import { expressLimit, FlexibleLimiter, RateLimitStore } from 'keylatch/limits';
    const db = new Keylatch();
    const held = await locks(db).request('door', (lock) => lock.held);
    const taken = await new FlexibleLimiter({ storeClient: db, points: 2, duration: 1 }).consume('ann');
    const hits = await new RateLimitStore(db).increment('ann');
    const limit = expressLimit(db, { limit: 1, period: 60_000, key: () => 'all' });
    const server = createServer((request, response) => limit(request, response, () => response.end()));
    server.listen(0, '127.0.0.1', async () => {
      const ask = async () => (await fetch('http://127.0.0.1:' + server.address().port)).status;
      console.log(JSON.stringify([held, taken.remainingPoints, hits.totalHits, await ask(), await ask()]));
      server.closeAllConnections();
      server.close();
    });`);
  assert.deepEqual(answers, [true, 1, 1, 200, 429]);
});
