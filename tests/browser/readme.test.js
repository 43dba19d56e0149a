// The examples of README about tabs run in a page, and return what their comments say.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { blocksOf, checked } from '../js/support/readme-examples.mjs';
import { startSite } from './site.js';

const readme = readFileSync(new URL('../../pkg-templates/npm/README.md', import.meta.url), 'utf8');
const blocks = blocksOf(readme).filter(({ section }) => section === '## Shared by tabs');

let site;
before(async () => {
  site = await startSite();
});
after(() => site.stop());

test('the section has examples', () => assert.equal(blocks.length, 2));

for (const { line, code } of blocks) {
  test(`the example at line ${line}`, async () => {
    const page = await site.open();
    const source = code
      .split('\n')
      .map(checked)
      .join('\n')
      .replaceAll(/'keylatch\/([a-z-]+)'/g, "'/package/esm/$1.js'");
    const failure = await page.evaluate(
      async (text) => {
        globalThis.equal = (found, stated) => {
          const [one, other] = [found, stated].map((value) => JSON.stringify(value));
          if (one !== other) throw new Error(`${one} instead of ${other}`);
        };
        const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
        return import(url).then(
          () => null,
          (error) => String(error.stack),
        );
      },
      `const $equal = globalThis.equal;\n${source.replaceAll("'/package", `'${site.origin}/package`)}`,
    );
    assert.equal(failure, null);
    await page.close();
  });
}
