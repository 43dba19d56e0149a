/** The generated bindings; build/code.mjs puts the real file in place of `#glue`. */
declare module '#glue' {
  import type { Glue } from './glue.js';
  export function instantiate(module: WebAssembly.Module): Glue;
}

/** The engine as DEFLATE in base64; build.mjs writes the real file. */
declare module '#packed-engine' {
  export const base64: string;
}

declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
