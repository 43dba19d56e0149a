// Tests of the package that do not depend on Node, run in a page.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { start } from './page.js';

const ORIGIN = 'http://package.test';
const PACKAGE = process.env.KEYLATCH_PACKAGE ?? fileURLToPath(new URL('../../target/npm/keylatch', import.meta.url));
const FOLDERS = {
  package: PACKAGE,
  scripting: `${PACKAGE}-scripting`,
  support: fileURLToPath(new URL('../support', import.meta.url)),
  tests: fileURLToPath(new URL('../js', import.meta.url)),
  stand: fileURLToPath(new URL('stand-in', import.meta.url)),
};
/**
 * Modules of Node in those tests, and the one test module that reads the package from the disk, with their stand-ins.
 */
const STAND_INS = {
  'node:assert/strict': '/stand/assert.js',
  'node:test': '/stand/test.js',
  'node:util': '/stand/util.js',
  [`${ORIGIN}/tests/support/package.mjs`]: '/stand/package.js',
};
const IMPORT_MAP = JSON.stringify({ imports: STAND_INS });
const HTML = `<!doctype html><script type="importmap">${IMPORT_MAP}</script>`;

let browser;
let page;

before(async () => {
  browser = await start();
  const { context } = await browser.open();
  page = await context.newPage();
  await page.route(`${ORIGIN}/**`, serve);
});
after(() => browser.stop());

function serve(route) {
  const [, folder, ...path] = new URL(route.request().url()).pathname.split('/');
  if (folder === '') return route.fulfill({ contentType: 'text/html', body: HTML });
  const contentType = path.at(-1).endsWith('.json') ? 'application/json' : 'text/javascript';
  return route.fulfill({ path: [FOLDERS[folder], ...path].join('/'), contentType });
}

/** Runs a file of tests. Returns the names of those that ran, and the failures of others. */
async function run(file) {
  await page.goto(`${ORIGIN}/`);
  return page.evaluate(async (address) => {
    const { runAll } = await import('/stand/test.js');
    await import(address);
    return runAll();
  }, `/tests/${file}`);
}

for (const file of ['argument.test.mjs', 'script-limits.test.mjs']) {
  test(`${file} in a page`, async () => {
    const { passed, failed } = await run(file);
    assert.deepEqual(failed, []);
    assert.ok(passed.length > 0);
  });
}
