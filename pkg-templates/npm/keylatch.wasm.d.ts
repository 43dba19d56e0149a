/** The engine as a file: a compiled module, if the bundler or runtime compiles an imported .wasm. */
declare const module: WebAssembly.Module;
export default module;
