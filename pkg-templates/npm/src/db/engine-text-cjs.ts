/** Where the engine is, for CommonJS: in place of `engine-text.ts`. */

/** The engine as text, which only a bundle needs: Node has the file, and versions that cannot require an ES module. */
export const engineText = (): string => (require('#packed-engine') as typeof import('#packed-engine')).base64;

/** Path of the file, which is beside the modules unless a bundler has moved them. */
export const engineFile = (): string => `${__dirname}/../keylatch.wasm`;
