/** The engine inside the package's script, for runtimes that may compile. */
// This import runs first and leaves the packed engine where `packed` finds it.
import '#packed-engine';
import { inflate } from './inflate.js';

/** The engine as DEFLATE in base64, and its unpacked size in bytes. `import` and `require` share the text. */
interface PackedEngine {
  readonly size: number;
  readonly base64: string;
}

interface WithBuiltinModules {
  readonly process?: {
    getBuiltinModule?(name: 'node:zlib'): { inflateRawSync(packed: Uint8Array): Uint8Array<ArrayBuffer> } | undefined;
  };
}

/** Key in the registry of symbols, different for every build of the engine; build.mjs uses the same. */
declare const ENGINE_NAME: string;

/** Not named `module`: Vitest runs inlined scripts in a function with a parameter of that name. */
let compiled: WebAssembly.Module | undefined;

/** The engine, unpacked and compiled once, at the first command of the first engine. */
export function builtIn(): WebAssembly.Module {
  return (compiled ??= new WebAssembly.Module(unpacked()));
}

function unpacked(): Uint8Array<ArrayBuffer> {
  const { size, base64 } = (globalThis as unknown as Record<symbol, PackedEngine>)[Symbol.for(ENGINE_NAME)]!;
  const packed = bytesOf(base64);
  // Node, Deno and Bun can unpack synchronously, ten times as fast.
  const zlib = (globalThis as WithBuiltinModules).process?.getBuiltinModule?.('node:zlib');
  return zlib ? zlib.inflateRawSync(packed) : inflate(packed, size);
}

function bytesOf(base64: string): Uint8Array {
  const native = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array };
  if (native.fromBase64) return native.fromBase64(base64);
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // Six times as fast as Uint8Array.from with a function.
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}
