// The package's own modules, as sources, for tests of internal modules. `#glue` is a stub engine.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
// Defined by the bundler in the package.
globalThis.PACKAGE_NAME = 'keylatch';

/** Imports a module of pkg-templates/npm/src by its file name. */
export function source(name) {
  return import(new URL(`../../../pkg-templates/npm/src/${name}`, import.meta.url).href);
}
