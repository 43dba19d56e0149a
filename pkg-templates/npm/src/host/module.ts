/** Creates instances of the engine's bindings from a module or its bytes. */
import { instantiate as bind } from '#glue';
import { compileAdvice } from './compile.js';
import { LoadError } from '../base/errors.js';
import type { Glue } from './glue.js';

/** WebAssembly.Module, where the program's own types declare it; server programs often omit the DOM's types. */
type CompiledModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } }
  ? Module
  : object;

type ModuleOrBytes = CompiledModule | ArrayBuffer | ArrayBufferView;

/** A compiled module, its bytes, or a function that returns either when the first command comes. */
export type EngineModule = ModuleOrBytes | (() => ModuleOrBytes);

/** Compiled modules by their bytes: the same bytes are compiled once. */
const compiled = new WeakMap<object, WebAssembly.Module>();

/** Checks by name: test frameworks run programs in realms of their own, where `instanceof` fails. */
function isBytes(given: object): boolean {
  return ArrayBuffer.isView(given) || Object.prototype.toString.call(given) === '[object ArrayBuffer]';
}

function moduleOf(source: EngineModule): WebAssembly.Module {
  const given = typeof source === 'function' ? source() : source;
  if (!isBytes(given)) return given as WebAssembly.Module;
  let module = compiled.get(given);
  if (module === undefined) {
    module = compile(given as BufferSource);
    compiled.set(given, module);
  }
  return module;
}

function compile(bytes: BufferSource): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw new LoadError(compileAdvice(cause), { cause });
  }
}

/** Creates a fresh instance, so that a trap in one never affects another. */
export function instantiate(source: EngineModule): Glue {
  return bind(moduleOf(source));
}
