/** The engine as a module that is imported, for runtimes that compile nothing at run time: `#engine` is this or engine-inline. */
import module from '../../keylatch.wasm';

export function builtIn(): WebAssembly.Module {
  return module;
}
