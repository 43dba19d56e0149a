/** Advice for environments that refuse the engine, in the words of several runtimes. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { source } from './support/source.mjs';

const { compileAdvice } = await source('host/compile.ts');

/** Messages of runtimes, and a part of the advice. */
const REFUSALS = {
  "WebAssembly.Module(): Compiling or instantiating WebAssembly module violates the following Content Security policy directive because 'unsafe-eval' is not allowed":
    "add 'wasm-unsafe-eval' to script-src",
  'call to WebAssembly.Module() blocked by CSP': "add 'wasm-unsafe-eval' to script-src",
  'WebAssembly.Module(): Wasm code generation disallowed by embedder': 'export condition `workerd`',
  'WebAssembly.Module(): expected magic word 00 61 73 6d, found 3c 21 64 6f @+0': 'not a page of HTML',
  'wasm validation error: at offset 4: failed to match magic number': 'not a page of HTML',
  "WebAssembly.Module doesn't start with '\\0asm'": 'not a page of HTML',
  'BufferSource argument is empty': 'not a page of HTML',
  'out of memory': 'the engine could not be compiled: out of memory',
};

for (const [message, advice] of Object.entries(REFUSALS)) {
  test(message, () => assert.ok(compileAdvice(new Error(message)).includes(advice), compileAdvice(new Error(message))));
}

test('what is no error', () => {
  for (const thrown of [null, undefined, 'text']) assert.match(compileAdvice(thrown), /could not be compiled/);
});
