// Completion in an editor: inside an options object the names of its options are offered.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { languageServer } from './support/language-server.mjs';

const server = await languageServer(fileURLToPath(new URL('types', import.meta.url)));
after(() => server.close());

const IMPORT = `import { Keylatch } from 'keylatch';\nconst db = new Keylatch();\n`;

/** Calls with the names that are offered at `|`, in any order. */
const CALLS = [
  [
    "db.set('k', 'v', { | });",
    ['ex', 'px', 'exat', 'pxat', 'keepttl', 'nx', 'xx', 'ifeq', 'ifne', 'ifdeq', 'ifdne', 'get'],
  ],
  ["db.getex('k', { | });", ['ex', 'px', 'exat', 'pxat', 'persist']],
  ["db.expire('k', 5, { | });", ['nx', 'xx', 'gt', 'lt']],
  ["db.hexpire('h', 5, ['f'], { | });", ['nx', 'xx', 'gt', 'lt']],
  ["db.hsetex('h', { f: 1 }, { | });", ['fnx', 'fxx', 'ex', 'px', 'exat', 'pxat', 'keepttl']],
  ["db.zadd('z', { m: 1 }, { | });", ['nx', 'xx', 'gt', 'lt', 'ch']],
  ["db.zrange('z', 0, -1, { | });", ['by', 'rev', 'limit', 'withscores']],
  ["db.zunion(['y', 'z'], { | });", ['weights', 'aggregate', 'withscores']],
  ["db.geosearch('g', { | });", ['position', 'member', 'radius', 'box', 'unit']],
  [
    "db.geosearch('g', { member: 'm', radius: 1 }, { | });",
    ['count', 'any', 'order', 'withdist', 'withhash', 'withcoord'],
  ],
  ["db.sort('l', { | });", ['by', 'get', 'limit', 'order', 'alpha']],
  ['db.scan(0, { | });', ['match', 'count', 'type']],
  ["db.copy('a', 'b', { | });", ['db', 'replace']],
  ["db.incr('n', { | });", ['bigint']],
  ["db.hgetall('h', { | });", ['as']],
  ["db.sinter(['a', 'b'], { | });", ['as']],
  ['db.multi().exec({ | });', ['errors']],
  ["void db.blpop('l', 1, { | });", ['signal']],
  ['db.client({ | });', ['name', 'db', 'protocol']],
  ['new Keylatch({ | });', ['module', 'now', 'clock', 'seed', 'floorMs', 'maxmemory', 'maxmemoryPolicy']],
  ["db.set('k', 'v', { px: 5, | });", ['nx', 'xx', 'get']],
];

for (const [call, names] of CALLS) {
  test(`${call} offers its options`, async () => {
    const offered = await server.complete(IMPORT + call);
    assert.deepEqual(
      names.filter((name) => !offered.includes(name)),
      [],
      `offered: ${offered.slice(0, 30).join(', ')}`,
    );
  });
}

test('values of an option are offered', async () => {
  const offered = await server.complete(`${IMPORT}db.hgetall('h', { as: '|' });`);
  assert.ok(offered.includes('object') && offered.includes('map'), offered.join());
});
