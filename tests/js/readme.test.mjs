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

const workspace = new URL('../../target/tmp/readme/', import.meta.url).pathname;
const PRELUDE = "import { Keylatch as Engine } from 'keylatch';\nconst db = new Engine();\n";
const CHECK = "import { deepEqual as $equal } from 'node:assert/strict';\n";

/** Sections with examples that tests/clients and tests/js/packaging run. */
const ELSEWHERE =
  /^## (Values as JSON|Views of a prefix|In place of ioredis-mock|In place of redis-memory-server|Keyv|Upstash|Ways to load it)/m;

/** Blocks of JavaScript with the number of their first line. */
function blocksOf(readme) {
  const found = readme.matchAll(/(<!-- not run: [^>]+ -->\n+)?```js\n([\s\S]*?)```/g);
  return [...found].map((match) => ({
    line: readme.slice(0, match.index).split('\n').length,
    isSkipped: match[1] !== undefined || ELSEWHERE.test(sectionAt(readme, match.index)),
    code: match[2],
  }));
}

/** Heading of the section around an index. */
function sectionAt(readme, index) {
  const start = readme.lastIndexOf('\n## ', index) + 1;
  return readme.slice(start, readme.indexOf('\n', start));
}

/** The value that a comment states, as code; undefined for prose. */
function statedValue(comment) {
  const text = /^('(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?n?|null|true|false|\[.*\]|\{.*\})(?=$|[:;,] )/.exec(comment)?.[1];
  if (text === undefined) return undefined;
  try {
    new Function(`return (${text})`)();
    return text;
  } catch {
    return undefined;
  }
}

/** A line with a check of the value behind it, if there is one. */
function checked(line) {
  const parts = /^(\s*)(?:const (\w+) = )?(.*?); \/\/ (.+)$/.exec(line);
  const value = parts && statedValue(parts[4]);
  if (!parts || value === undefined || /^(import|for|if|while|let|var|return|export)\b/.test(parts[3])) return line;
  const [, indent, name, expression] = parts;
  if (name) return `${indent}const ${name} = ${expression}; $equal(${name}, ${value});`;
  return `${indent}$equal(${expression}, ${value});`;
}

rmSync(workspace, { recursive: true, force: true });
mkdirSync(join(workspace, 'node_modules'), { recursive: true });
symlinkSync(folder, join(workspace, 'node_modules/keylatch'));

const blocks = blocksOf(readFileSync(join(folder, 'README.md'), 'utf8'));

test('README has examples', () => assert.ok(blocks.length > 5));

for (const { line, isSkipped, code } of blocks) {
  test(`the example at line ${line}`, { skip: isSkipped }, async () => {
    const hasDatabase = /\bconst db = /.test(code);
    const file = join(workspace, `line-${line}.mjs`);
    writeFileSync(file, CHECK + (hasDatabase ? '' : PRELUDE) + code.split('\n').map(checked).join('\n'));
    await promisify(execFile)(process.execPath, [file], { timeout: 20_000, cwd: workspace });
  });
}
