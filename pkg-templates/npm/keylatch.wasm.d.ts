/** The engine as a file: a compiled module where the bundler or runtime makes one of an imported .wasm. */
declare const module: WebAssembly.Module;
export default module;
