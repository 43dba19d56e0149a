/** The generated bindings; build.mjs puts the real file in place of `#glue`. */
declare module '#glue' {
  import type { Glue } from './glue.js';
  export function instantiate(module: WebAssembly.Module): Glue;
}

/** Leaves the packed engine for engine-inline; build.mjs writes the real file. */
declare module '#packed-engine' {}

declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
