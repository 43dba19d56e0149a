/** The declarations of the adapters fit those of the libraries they are for. */
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder } from './support/server.mjs';

test('a store for Keyv, a requester for @upstash/redis', () => {
  const here = new URL('.', import.meta.url).pathname;
  const compiler = join(here, '../../pkg-templates/npm/node_modules/typescript/bin/tsc');
  const project = join(here, 'node_modules/.adapters.tsconfig.json');
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'esnext.disposable', 'dom'],
    module: 'nodenext',
    types: [],
    strict: true,
    noEmit: true,
    // Declarations of the libraries use types of Node, which are not installed here.
    skipLibCheck: true,
    paths: { keylatch: [`${folder}/esm/index.d.ts`], 'keylatch/*': [`${folder}/esm/*.d.ts`] },
  };
  writeFileSync(project, JSON.stringify({ compilerOptions, files: [join(here, 'fixtures/types/adapters.mts')] }));
  try {
    execFileSync(process.execPath, [compiler, '--project', project], { encoding: 'utf8' });
  } catch (error) {
    throw new Error(error.stdout, { cause: error });
  }
});
