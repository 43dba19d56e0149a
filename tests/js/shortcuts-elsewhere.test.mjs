// The short way as browsers and Workers have it: what tells the package that it runs in Node is hidden before it is loaded.
globalThis.process = Object.create(process, { versions: { value: {} } });
await import('./shortcuts.test.mjs');
await import('./both-ways.test.mjs');
