// The page docs/formats.md: its versions are those of the sources, and each format names tests that are there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const [statements, list] = read('docs/formats.md').split('## Tests');
const rows = statements.split('\n').filter((line) => line.startsWith('| [') && line.includes('](#'));

test('each format names its tests, and each test that is listed is there', () => {
  const named = [...list.matchAll(/^- \[(\w)\] `([^`]+)`: "(.+)"$/gm)];
  const used = rows.map((row) => [...row.matchAll(/\[(\w)\]/g)].map(([, letter]) => letter));
  assert.ok(rows.length > 8 && used.every((letters) => letters.length > 0), 'a format names no test');
  assert.deepEqual(
    used.flat().sort(),
    named.map(([, letter]) => letter),
  );
  for (const [, , path, title] of named) assert.ok(read(path).includes(title), `${path} has no test "${title}"`);
});

test('each format has a section', () => {
  for (const [, title, anchor] of statements.matchAll(/^\| \[([^\]]+)\]\(#([\w-]+)\)/gm)) {
    assert.equal(title.toLowerCase().replaceAll(' ', '-'), anchor);
    assert.ok(statements.includes(`\n## ${title}\n`), title);
  }
});

test('versions are those of the sources', () => {
  const constants = {
    'Log of effects': ['src/keyspace/observers/effect/mod.rs', /LOG_VERSION: u32 = (\d+)/],
    Snapshot: ['src/engine/persistence/rdb/mod.rs', /FORMAT_VERSION: i64 = (\d+)/],
    'Database of a browser': ['pkg-templates/npm/src/persist/idb-contents.ts', /const FORMAT = (\d+)/],
    Tail: ['pkg-templates/npm/src/persist/tail.ts', /const FORMAT = (\d+)/],
    'Tables of a Durable Object': ['pkg-templates/npm/src/adapters/durable-object/log.ts', /SCHEMA_VERSION = (\d+)/],
    'Messages between tabs': ['pkg-templates/npm/src/tabs/wire.ts', /VERSION = (\d+)/],
  };
  for (const [title, [path, pattern]] of Object.entries(constants)) {
    const [, , cell = ''] = rows.find((row) => row.startsWith(`| [${title}]`)).split('|');
    const [, version] = pattern.exec(read(path));
    const shown = [...cell.matchAll(/(\d+) \(`(?:LOG_VERSION|FORMAT_VERSION|FORMAT|SCHEMA_VERSION|VERSION)`\)/g)];
    assert.deepEqual(
      shown.map(([, number]) => number),
      [version],
      title,
    );
  }
  assert.match(read('src/values/rdb/format.rs'), /RDB_VERSION: u32 = 10;[\s\S]*FIELD_DEADLINES_SINCE: u32 = 12;/);
});
