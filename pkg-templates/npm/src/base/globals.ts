/** Injected by build.mjs: stand-ins for the globals of these names in all of the package, generated bindings included. */
export { RangeError, TextDecoder, TextEncoder, TypeError } from './stand-ins.js';
