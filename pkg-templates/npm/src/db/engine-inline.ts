/** The engine inside the package's script, for runtimes that may compile: `#engine`, but on workerd. */
import { compileAdvice } from '../host/compile.js';
import { LoadError } from '../base/errors.js';
import { engineFile, engineText } from './engine-text.js';
import { inflate } from '../base/inflate.js';

/** Modules of Node, Deno and Bun that read and unpack ten times as fast. */
interface BuiltinModules {
  readonly 'node:buffer': { readonly Buffer: { from(text: string, encoding: 'base64'): Uint8Array } };
  readonly 'node:fs': { readFileSync(path: URL | string): Uint8Array<ArrayBuffer> };
  readonly 'node:zlib': { inflateRawSync(packed: Uint8Array): Uint8Array<ArrayBuffer> };
}

interface WithBuiltinModules {
  readonly process?: {
    readonly versions?: { readonly deno?: string };
    getBuiltinModule?<Name extends keyof BuiltinModules>(name: Name): BuiltinModules[Name] | undefined;
  };
}

/** Size of the engine; build.mjs puts the number here. */
declare const ENGINE_BYTES: number;

/** Not named `module`: Vitest runs inlined scripts in a function with a parameter of that name. */
let compiled: WebAssembly.Module | undefined;

/** The engine, unpacked and compiled once, at the first command of the first engine. */
export function builtIn(): WebAssembly.Module {
  return (compiled ??= compile());
}

function compile(): WebAssembly.Module {
  const bytes = fromFile() ?? fromText();
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw new LoadError(compileAdvice(cause), { cause });
  }
}

/** The file of the package, which saves unpacking. Deno would ask its user for the permission to read. */
function fromFile(): Uint8Array<ArrayBuffer> | undefined {
  try {
    if ((globalThis as WithBuiltinModules).process?.versions?.deno !== undefined) return undefined;
    const bytes = builtinModule('node:fs')?.readFileSync(engineFile());
    return bytes?.length === ENGINE_BYTES ? bytes : undefined;
  } catch {
    return undefined;
  }
}

function fromText(): Uint8Array<ArrayBuffer> {
  const packed = bytesOf(engineText());
  const zlib = builtinModule('node:zlib');
  return zlib ? zlib.inflateRawSync(packed) : inflate(packed, ENGINE_BYTES);
}

/** A module of the runtime, where there is one. Edge runtimes emulated by Next throw at each look at `process`. */
function builtinModule<Name extends keyof BuiltinModules>(name: Name): BuiltinModules[Name] | undefined {
  try {
    return (globalThis as WithBuiltinModules).process?.getBuiltinModule?.(name);
  } catch {
    return undefined;
  }
}

function bytesOf(base64: string): Uint8Array {
  const native = Uint8Array as unknown as { fromBase64?: (text: string) => Uint8Array };
  if (native.fromBase64) return native.fromBase64(base64);
  const buffer = builtinModule('node:buffer')?.Buffer;
  if (buffer) return buffer.from(base64, 'base64');
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  // Six times as fast as Uint8Array.from with a function.
  for (let index = 0; index < text.length; index += 1) bytes[index] = text.charCodeAt(index);
  return bytes;
}
