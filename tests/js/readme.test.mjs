// The examples of the package's README run as they stand, and return what their comments say.
//
// Every block of JavaScript is a module of its own. Without a database of its own it gets `db`, a fresh engine. A comment
// behind a statement that is a value is compared with it. `<!-- not run: reason -->` above a block leaves it out, and so does
// a section with tests beside the libraries that it needs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { folder } from './support/package.mjs';
import { blocksOf, checked } from './support/readme-examples.mjs';

const workspace = new URL('../../target/tmp/readme/', import.meta.url).pathname;
const PRELUDE = "import { Keylatch as Engine } from 'keylatch';\nconst db = new Engine();\n";
const CHECK = "import { deepEqual as $equal } from 'node:assert/strict';\n";

/** Sections with examples that tests/clients, tests/js/packaging and tests/browser run. */
const ELSEWHERE =
  /^## (Values as JSON|Views of a prefix|Shared by tabs|In place of ioredis-mock|In place of redis-memory-server|Keyv|Upstash|At another place|Ways to load it)/m;

rmSync(workspace, { recursive: true, force: true });
mkdirSync(join(workspace, 'node_modules'), { recursive: true });
symlinkSync(folder, join(workspace, 'node_modules/keylatch'));

const blocks = blocksOf(readFileSync(join(folder, 'README.md'), 'utf8'));

test('README has examples', () => assert.ok(blocks.length > 5));

for (const { line, section, isSkipped, code } of blocks) {
  test(`the example at line ${line}`, { skip: isSkipped || ELSEWHERE.test(section) }, async () => {
    const hasDatabase = /\bconst db = /.test(code);
    const file = join(workspace, `line-${line}.mjs`);
    writeFileSync(file, CHECK + (hasDatabase ? '' : PRELUDE) + code.split('\n').map(checked).join('\n'));
    await promisify(execFile)(process.execPath, [file], { timeout: 20_000, cwd: workspace });
  });
}
