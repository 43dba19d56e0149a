/**
 * Text in and out of memory by WebAssembly's own functions for strings, where a runtime has them: Chromium since 130,
 * Firefox since 134, Node since 24. strings.wat says what is done; Workers compile nothing while they run.
 */
import bytes from './strings.wat';

export const enum StringsLimit {
  /** Longer texts have no room in the array they go through. */
  LengthMax = 512,
}

/** At most `StringsLimit.LengthMax` characters or bytes each. */
export interface Strings {
  /** Writes a text at an address, a byte a character: its length, or -1 when it is not ASCII. */
  write(text: string, at: number): number;
  /** The text of so many bytes, a character a byte. */
  read(at: number, length: number): string;
}

let module: WebAssembly.Module | undefined;
let isMissing = false;

/** Undefined where the runtime lacks what is needed. */
export function stringsOver(memory: { readonly buffer: ArrayBuffer }): Strings | undefined {
  if (isMissing) return undefined;
  try {
    module ??= new WebAssembly.Module(bytes(), { builtins: ['js-string'] });
    return new WebAssembly.Instance(module, { engine: { memory: memory as WebAssembly.Memory } }).exports as unknown as Strings;
  } catch {
    // Unknown types do not compile, and functions that are not built in are not given.
    isMissing = true;
    return undefined;
  }
}
