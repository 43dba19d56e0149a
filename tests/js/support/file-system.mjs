/** Functions of node:fs that fail or count, in the package too. */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { mock } from 'node:test';

/** Replaces functions of node:fs until the test ends. */
export function stub(t, name, implementation) {
  const real = fs[name];
  mock.method(fs, name, (...given) => implementation(real, ...given));
  syncBuiltinESMExports();
  const restore = () => {
    mock.restoreAll();
    syncBuiltinESMExports();
  };
  t.after(restore);
  return restore;
}

/** An error of the system. */
export const failure = (code) => Object.assign(new Error(code), { code });
