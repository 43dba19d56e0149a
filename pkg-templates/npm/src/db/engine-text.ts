/** Where the engine is: `engine-text-esm.ts` or `engine-text-cjs.ts` takes the place of this module. */

/** The engine as DEFLATE in base64. */
export declare const engineText: () => string;

/** The file of the package. Throws where modules do not know their place. */
export declare const engineFile: () => URL | string;
