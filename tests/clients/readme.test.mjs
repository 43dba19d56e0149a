/**
 * Examples of the package's README that need other libraries, and those of its cache: each heading is a program. A line
 * `expression; // value` asserts the value, as far as the comment is one.
 */
import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { folder } from './support/server.mjs';

const text = readFileSync(new URL('../../pkg-templates/npm/README.md', import.meta.url), 'utf8');

/** Examples below a heading. */
function examples(heading) {
  const section = text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`));
  assert.ok(section !== undefined, `README has no section ${heading}`);
  return [...section.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
}

/** The part of a comment that is a value: `false: the key exists` says more. */
function literalOf(comment) {
  for (const value of [comment, comment.split(': ')[0]]) {
    try {
      new Function(`return (${value})`)();
      return value;
    } catch {
      // A sentence.
    }
  }
  return undefined;
}

let asserted = 0;

/** A script in which expressions with a value behind them are assertions. */
function script(code) {
  const lines = code.split('\n').map((line) => {
    const [, expression, comment] = /^((?!const |let |import |for |}).+); \/\/ (.+)$/.exec(line) ?? [];
    const value = comment === undefined ? undefined : literalOf(comment);
    if (value === undefined) return line;
    asserted += 1;
    return `assert.deepEqual(${expression}, ${value});`;
  });
  const imported = lines.join('\n').replace(/from 'keylatch(?:\/(\w+))?'/g, (_, name = 'index') => {
    return `from '${folder}/esm/${name}.js'`;
  });
  return `import assert from 'node:assert/strict';\n${imported}`;
}

const DATABASE = "import { Keylatch } from 'keylatch';\nconst db = new Keylatch();\n";

/** Headings, and what the reader of their examples has already. */
const PROGRAMS = [
  [DATABASE, 'Values as JSON, loaded once', 'Views of a prefix'],
  ['', 'Keyv'],
];
const SEPARATE = ['Upstash'];

const programs = [
  ...PROGRAMS.map(([start, ...headings]) => [headings.join(', '), start + headings.flatMap(examples).join('')]),
  ...SEPARATE.flatMap((heading) => examples(heading).map((code, index) => [`${heading}, example ${index + 1}`, code])),
];

for (const [index, [name, code]] of programs.entries()) {
  test(`README: ${name}`, async (t) => {
    const before = asserted;
    // Below node_modules, where the libraries are found.
    const file = new URL(`node_modules/.readme-${process.pid}-${index}.mjs`, import.meta.url);
    writeFileSync(file, script(code));
    t.after(() => rmSync(file));
    await import(file.href);
    assert.ok(asserted > before, 'no line of the example was asserted');
  });
}
