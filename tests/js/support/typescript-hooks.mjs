// Module hooks: a `.js` import inside the package's sources is its `.ts` file, stripped of types by esbuild.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '../../../pkg-templates/npm/node_modules/esbuild/lib/main.js';

export function resolve(specifier, context, next) {
  if (specifier === '#glue') return { url: new URL('stub-glue.mjs', import.meta.url).href, shortCircuit: true };
  if (context.parentURL?.endsWith('.ts') && specifier.startsWith('.')) {
    const url = new URL(specifier.replace(/\.js$/, '.ts'), context.parentURL);
    if (existsSync(fileURLToPath(url))) return { url: url.href, shortCircuit: true };
  }
  return next(specifier, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const source = await readFile(fileURLToPath(url), 'utf8');
  const { code } = await transform(source, { loader: 'ts', target: 'es2022', format: 'esm' });
  return { format: 'module', source: code, shortCircuit: true };
}
