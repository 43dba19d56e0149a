/** Reasons for which an environment compiles no WebAssembly, as advice to the program's author. */

/** Defined by the bundler: `keylatch` or `keylatch-scripting`. */
declare const PACKAGE_NAME: string;

const STATIC_IMPORT =
  `bundle with the export condition \`workerd\`, or import the module statically ('${PACKAGE_NAME}/keylatch.wasm') and ` +
  `pass it to Keylatch.from of '${PACKAGE_NAME}/core'`;

/** Message for an error of `new WebAssembly.Module(bytes)`. */
export function compileAdvice(error: unknown): string {
  const reason = String((error as { readonly message?: unknown } | null)?.message ?? error);
  if (/content security policy|unsafe-eval|CSP/i.test(reason)) {
    return (
      'the content security policy of this page forbids WebAssembly: ' +
      "add 'wasm-unsafe-eval' to script-src, as in script-src 'self' 'wasm-unsafe-eval'"
    );
  }
  if (/disallowed by embedder|code generation/i.test(reason)) {
    return `this runtime does not compile WebAssembly while it runs: ${STATIC_IMPORT}`;
  }
  if (/magic (word|number|header)|BufferSource argument is empty|doesn't start with/i.test(reason)) {
    return (
      'the bytes of the engine are not WebAssembly: check that the address serves the file keylatch.wasm, ' +
      'not a page of HTML'
    );
  }
  return `the engine could not be compiled: ${reason}`;
}
