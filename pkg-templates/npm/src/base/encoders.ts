/** Encoder and decoder of UTF-8: those of the environment, or stand-ins where it lacks them, as jsdom does. */
import { Utf8Decoder, Utf8Encoder } from './utf8.js';

/** TextEncoder. */
export const Encoder = /* @__PURE__ */ (() => globalThis.TextEncoder ?? Utf8Encoder)();

/** TextDecoder. */
export const Decoder = /* @__PURE__ */ (() => globalThis.TextDecoder ?? Utf8Decoder)();
