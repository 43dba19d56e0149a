/** The generated bindings; build.mjs puts the real file in place of `#glue`. */
declare module '#glue' {
  import type { Glue } from './glue.js';
  export function instantiate(module: WebAssembly.Module): Glue;
}

declare module '#inline' {
  export const wasmBase64: string;
}

declare module '*.wasm' {
  const module: WebAssembly.Module;
  export default module;
}
