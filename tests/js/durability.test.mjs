// The page docs/durability.md: each cell names a test, and each test that it names is there.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const root = new URL('../../', import.meta.url);
const read = (path) => readFileSync(new URL(path, root), 'utf8');
const [statements, list] = read('docs/durability.md').split('## Tests');

const named = new Map(
  [...list.matchAll(/^- \[(\w)\] `([^`]+)`: "(.+?)"(?: \(.*\))?$/gm)].map(([, letter, path, title]) => [
    letter,
    { path, title },
  ]),
);

test('each cell with a promise names a test, and each named test is listed', () => {
  const used = [...statements.matchAll(/\[(\w)\]/g)].map(([, letter]) => letter);
  assert.deepEqual([...new Set(used)].sort(), [...named.keys()].sort());
  const cells = statements
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .flatMap((line) => line.split('|').slice(2, -1));
  // Promises of the platform have no test here.
  const bare = cells.filter((cell) => cell.trim() !== '' && !/\[\w\]/.test(cell));
  assert.ok(cells.length > 40, `${cells.length} cells`);
  assert.deepEqual(
    bare.map((cell) => cell.trim()).filter((cell) => !/browser had not written|platform answers|^as above$/.test(cell)),
    [],
  );
});

test('the tests that the page names are there', () => {
  for (const { path, title } of named.values()) {
    const text = read(path);
    // Scripts of the kill suite have no titles.
    if (path.startsWith('tests/kill/')) continue;
    assert.ok(text.includes(title.replaceAll("'", "\\'")) || text.includes(title), `${path} has no test "${title}"`);
  }
});
