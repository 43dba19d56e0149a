/** Examples of the package's README. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { folder } from './server.mjs';

/** Blocks of JavaScript below a heading. */
export function examplesBelow(heading) {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const section = readme.split(/^## /m).find((text) => text.startsWith(`${heading}\n`));
  if (section === undefined) throw new Error(`README.md has no section "${heading}"`);
  return [...section.matchAll(/^```js\n(.*?)^```$/gms)].map(([, code]) => code);
}

/** Lines that an example prints, as the comments behind `console.log` promise them. */
export function promisedLines(code) {
  return [...code.matchAll(/^console\.log\(.*\); \/\/ (.*)$/gm)].map(([, line]) => line);
}
