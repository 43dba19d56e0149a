/** Where the engine is, for ES modules. `engine-text-cjs.ts` is this file for CommonJS. */
import { base64 } from '#packed-engine';

/** The engine as text. */
export const engineText = (): string => base64;

/** Address of the file, which is beside the modules unless a bundler has moved them. */
export const engineFile = (): URL => new URL(import.meta.url.replace(/[^/]*$/, '../keylatch.wasm'));
