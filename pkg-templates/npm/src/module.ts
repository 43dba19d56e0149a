/** From a module or its bytes to one instance of the engine's bindings. */
import { instantiate as bind } from '#glue';
import type { Glue } from './glue.js';
import type { EngineModule } from './options.js';

/** Bytes are compiled once, whoever brings them. */
const compiled = new WeakMap<object, WebAssembly.Module>();

/** Test frameworks run programs in realms of their own, where `instanceof` knows nobody. */
function isBytes(given: object): boolean {
  return ArrayBuffer.isView(given) || Object.prototype.toString.call(given) === '[object ArrayBuffer]';
}

function moduleOf(source: EngineModule): WebAssembly.Module {
  const given = typeof source === 'function' ? source() : source;
  if (!isBytes(given)) return given as WebAssembly.Module;
  let module = compiled.get(given);
  if (module === undefined) {
    module = new WebAssembly.Module(given as BufferSource);
    compiled.set(given, module);
  }
  return module;
}

/** A fresh instance: a trap in one never touches another. */
export function instantiate(source: EngineModule): Glue {
  return bind(moduleOf(source));
}
