// The built package, by its ES entry points. KEYLATCH_PACKAGE names another build.
import { pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

export const folder = resolve(
  process.env.KEYLATCH_PACKAGE ?? new URL('../../../target/npm/keylatch', import.meta.url).pathname,
);

export const entry = (name) => import(pathToFileURL(`${folder}/esm/${name}.js`).href);

/** An entry of the package with Lua, which is built beside it. */
export const scripting = (name) => import(pathToFileURL(`${folder}-scripting/esm/${name}.js`).href);
