/** Content security policy of the page, defined once: for the meta tag, the preview server and the `_headers` file. */

const directives = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "manifest-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
];

/** Directives that a meta tag may contain. */
export const metaPolicy = directives.join('; ');

/** Headers of every file. The header's policy also restricts the pages that may frame this one. */
export const headers = {
  'Content-Security-Policy': [...directives, "frame-ancestors 'none'"].join('; '),
  'X-Content-Type-Options': 'nosniff',
};
