/** Logs of the first version of the template, which had the object's code in the project: they are read as they are. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, storageFolder } from './support/host.mjs';

/** Tables as the first version made them, with a seed and three turns. */
const FIRST_VERSION = [
  'CREATE TABLE keylatch_meta (version INTEGER NOT NULL, seed TEXT NOT NULL)',
  'CREATE TABLE keylatch_log (seq INTEGER PRIMARY KEY, kind TEXT NOT NULL, more INTEGER NOT NULL, logged_ms INTEGER NOT NULL, bytes BLOB NOT NULL)',
  "INSERT INTO keylatch_meta (version, seed) VALUES (1, '12345678901234567890')",
  ...[
    ['1700000000000', '*3\\r\\n$3\\r\\nSET\\r\\n$1\\r\\na\\r\\n$1\\r\\n1\\r\\n'],
    ['1700000000001', '*2\\r\\n$4\\r\\nINCR\\r\\n$1\\r\\na\\r\\n'],
    [
      '1700000000002',
      '*5\\r\\n$3\\r\\nSET\\r\\n$4\\r\\nlock\\r\\n$3\\r\\nold\\r\\n$4\\r\\nPXAT\\r\\n$13\\r\\n4102444800000\\r\\n',
    ],
  ].map(
    ([nowMs, command]) =>
      `INSERT INTO keylatch_log (kind, more, logged_ms, bytes) VALUES ('effects', 0, ${nowMs}, CAST(replace(replace('#KL:${nowMs} v1\\r\\n*2\\r\\n$6\\r\\nSELECT\\r\\n$1\\r\\n0\\r\\n${command}', '\\r', char(13)), '\\n', char(10)) AS BLOB))`,
  ),
];

async function firstVersion(t) {
  const folder = await storageFolder(t);
  const worker = await start(t, { folder, bundle: 'bare' });
  for (const statement of FIRST_VERSION) await worker.post(statement);
  await worker.stop();
  return folder;
}

test('a log of the first version is read and continued', async (t) => {
  const folder = await firstVersion(t);
  const before = await start(t, { folder, bundle: 'faulty' });
  assert.equal(await before.call('GET', 'a'), '2');
  assert.equal(await before.call('SET', 'lock', 'new', 'NX'), null);
  assert.equal(await before.call('INCR', 'a'), 3);
  const { json } = await before.post('SELECT seq, kind, more FROM keylatch_log ORDER BY seq', { path: '/sql' });
  assert.deepEqual(
    json.result.map(({ seq }) => seq),
    [1, 2, 3, 4],
  );
  await before.stop();
  const { call } = await start(t, { folder });
  assert.equal(await call('GET', 'a'), '3');
});

test('the position goes on when a snapshot replaces the log', async (t) => {
  const { post } = await start(t);
  const positions = [];
  for (let round = 0; round < 12; round += 1) {
    const { headers } = await post(['SET', 'blob', String(round).padEnd(50_000, '.')]);
    positions.push(Number(headers.get('upstash-sync-token')));
  }
  assert.deepEqual(
    positions,
    Array.from(positions, (_, index) => index + 1),
  );
});

for (const [name, damage] of [
  ['a newer version', 'UPDATE keylatch_meta SET version = 2'],
  ['a missing end', 'UPDATE keylatch_log SET more = 1 WHERE seq = 3'],
  ['damaged bytes', "UPDATE keylatch_log SET bytes = CAST('damaged' AS BLOB) WHERE seq = 2"],
]) {
  test(`a log with ${name} is refused, and left as it is`, async (t) => {
    const folder = await firstVersion(t);
    const rows = 'SELECT seq, kind, more, logged_ms, hex(bytes) FROM keylatch_log';
    const damaged = await start(t, { folder, bundle: 'bare' });
    await damaged.post(damage);
    const before = (await damaged.post(rows)).json;
    await damaged.stop();
    const refusing = await start(t, { folder });
    for (const command of [['GET', 'a'], ['SET', 'a', 'overwritten'], ['FLUSHALL']]) {
      const { status, json } = await refusing.post(command);
      assert.deepEqual([status, /^UNAVAILABLE/.test(json.error)], [503, true]);
    }
    await refusing.stop();
    const { post } = await start(t, { folder, bundle: 'bare' });
    assert.deepEqual((await post(rows)).json, before);
  });
}
