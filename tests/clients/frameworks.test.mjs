/**
 * `keylatch/ioredis` in place of the module ioredis, in Jest (CommonJS and ES modules) and Vitest, for ioredis 5 and 6:
 * the tests of frameworks/cases.js pass, and test files are isolated from each other.
 */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { consumer } from './support/consumer.mjs';
import { examplesBelow } from './support/readme.mjs';
import { run } from './support/server.mjs';

const cases = ['cases.js', 'outages.js']
  .map((name) => readFileSync(join(import.meta.dirname, 'frameworks', name), 'utf8'))
  .join('\n');
const COUNT = cases.match(/^ {2}test\(/gm).length;
const installed = (path) => join(import.meta.dirname, 'node_modules', path);

/** A module of the program under test, which knows nothing of keylatch. */
const PROGRAM = {
  cjs: "const Redis = require('ioredis');\nexports.redis = new Redis({ lazyConnect: true });\n",
  esm: "import { Redis } from 'ioredis';\nexport const redis = new Redis({ lazyConnect: true });\n",
};

/** A package of the program that imports ioredis too. Vitest replaces modules in packages that it is told to transform. */
const LIBRARY = {
  cjs: {
    'package.json': '{ "name": "library", "main": "index.js" }',
    'index.js': "const Redis = require('ioredis');\nexports.shared = new Redis();\n",
  },
  esm: {
    'package.json': '{ "name": "library", "type": "module", "exports": "./index.js" }',
    'index.js': "import Redis from 'ioredis';\nexport const shared = new Redis();\n",
  },
};

const WITH_LIBRARY = `
test('a library reaches the same server', async () => {
  await redis.set('k', 'of the program');
  expect(await shared.get('k')).toBe('of the program');
});
`;

/** Runs with others at the same time: keys of another file would be seen. */
const ISOLATED = `
test('no other file writes here', async () => {
  for (let index = 1; index <= 50; index += 1) {
    expect(await redis.incr('counter')).toBe(index);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
});
`;

const FRAMEWORKS = {
  'Jest with CommonJS': {
    packages: {},
    head: `jest.mock('ioredis', () => require('keylatch/ioredis'));
const Redis = require('ioredis');
const { reset, clockOf, serverAt } = require('keylatch/ioredis');
const timers = jest;
const ALL_TIMERS = {};
`,
    program:
      "jest.mock('ioredis', () => require('keylatch/ioredis'));\nconst { redis } = require('./program.js');\nconst { shared } = require('library');\n",
    kind: 'cjs',
    files: { 'jest.config.js': 'module.exports = {};\n' },
    suffix: 'test.js',
    command: [installed('jest/bin/jest.js'), '--json'],
  },
  'Jest with ES modules': {
    packages: { '@jest/globals': '@jest/globals' },
    head: `import { jest } from '@jest/globals';
jest.unstable_mockModule('ioredis', () => import('keylatch/ioredis'));
const { default: Redis } = await import('ioredis');
const { reset, clockOf, serverAt } = await import('keylatch/ioredis');
const timers = jest;
const ALL_TIMERS = {};
`,
    program: `import { jest } from '@jest/globals';
jest.unstable_mockModule('ioredis', () => import('keylatch/ioredis'));
const { redis } = await import('./program.js');
const { shared } = await import('library');
`,
    kind: 'esm',
    files: {
      'package.json': '{ "private": true, "type": "module" }\n',
      'jest.config.js': 'export default { transform: {} };\n',
    },
    suffix: 'test.js',
    command: ['--experimental-vm-modules', '--no-warnings', installed('jest/bin/jest.js'), '--json'],
  },
  Vitest: {
    packages: { vitest: 'vitest' },
    head: `import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { clockOf, reset, serverAt } from 'keylatch/ioredis';
import Redis from 'ioredis';
vi.mock('ioredis', () => import('keylatch/ioredis'));
const timers = vi;
const ALL_TIMERS = { toFake: ['Date', 'setTimeout', 'setInterval', 'setImmediate', 'queueMicrotask'] };
`,
    program: `import { expect, test, vi } from 'vitest';
import { shared } from 'library';
import { redis } from './program.js';
vi.mock('ioredis', () => import('keylatch/ioredis'));
`,
    kind: 'esm',
    files: {
      'package.json': '{ "private": true, "type": "module" }\n',
      'vitest.config.js': "export default { test: { server: { deps: { inline: ['library'] } } } };\n",
    },
    suffix: 'test.js',
    command: [installed('vitest/vitest.mjs'), 'run', '--reporter=json'],
  },
};

/** Number of tests that passed; fails with the messages of those that did not. */
function passed({ output, errors }) {
  const start = output.indexOf('{"');
  assert.notEqual(start, -1, `${output}\n${errors}`);
  const report = JSON.parse(output.slice(start));
  const failures = report.testResults.flatMap(({ message, assertionResults }) => [
    ...(assertionResults.length === 0 ? [message] : []),
    ...assertionResults
      .filter(({ status }) => status !== 'passed')
      .flatMap(({ fullName, failureMessages }) => [fullName, ...failureMessages]),
  ]);
  assert.deepEqual(failures, [], failures.join('\n'));
  return report.numPassedTests;
}

/** Heads of the README's example for each framework, by its first line. */
const [...heads] = examplesBelow('In place of ioredis-mock');
const body = heads.pop();
const README_COUNT = body.match(/^test\(/gm).length;

test('the README has an example for each framework', () => {
  assert.deepEqual(
    heads.map((head) => head.split('\n', 1)[0]),
    ['// Jest', '// Jest with ES modules', '// Vitest'],
  );
});

describe('in place of ioredis-mock', { concurrency: 1 }, () => {
  for (const [index, [name, framework]] of Object.entries(FRAMEWORKS).entries()) {
    for (const version of ['ioredis', 'ioredis-6']) {
      test(`${name}, ${version}`, async () => {
        const { packages, head, program, kind, files, suffix, command } = framework;
        const home = consumer(
          `frameworks/${name.replaceAll(' ', '-')}-${version}`,
          { ioredis: version, ...packages },
          {
            ...files,
            [`cases.${suffix}`]: head + cases,
            [`readme.${suffix}`]: `${heads[index]}\n${body}`,
            [`library.${suffix}`]: program + WITH_LIBRARY,
            'program.js': PROGRAM[kind],
            ...Object.fromEntries(
              Object.entries(LIBRARY[kind]).map(([path, text]) => [`node_modules/library/${path}`, text]),
            ),
            ...Object.fromEntries([1, 2, 3].map((number) => [`file-${number}.${suffix}`, program + ISOLATED])),
          },
        );
        const [script, ...args] = command;
        const ended = await run(process.execPath, [script, ...args], { cwd: home, timeoutMs: 120_000 });
        assert.equal(passed(ended), COUNT + README_COUNT + 4);
        assert.equal(ended.code, 0, ended.errors);
      });
    }
  }
});
