// Pages beside the playground: the commands' documentation and the session format, their examples; the footer.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { heard, say, start } from './page.js';

const WWW = process.env.KEYLATCH_WWW ?? new URL('../../target/www', import.meta.url).pathname;
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

let browser;
before(async () => (browser = await start()));
after(() => browser.stop());

async function visit(path, options = {}, use = async () => {}) {
  const visitor = await browser.open('', options);
  await visitor.page.goto(browser.address + path);
  await use(visitor.page);
  assert.deepEqual(visitor.complaints, [], path);
  assert.deepEqual(await visitor.page.evaluate(() => globalThis.policyViolations), [], path);
  await visitor.context.close();
}

test('every command has its section, and every link leads somewhere', () => {
  const pages = readdirSync(`${WWW}/docs`).filter((file) => file.endsWith('.html'));
  const html = Object.fromEntries(pages.map((file) => [file, readFileSync(`${WWW}/docs/${file}`, 'utf8')]));
  const table = JSON.parse(readFileSync(new URL('../../target/generated/commands.json', import.meta.url), 'utf8'));
  const all = Object.values(html).join('\n');
  for (const { name } of table) assert.ok(all.includes(`>${name.replace('|', ' ')}</h2>`), name);
  for (const [file, text] of Object.entries(html))
    for (const [, target] of text.matchAll(/href="([^"]+)"/g)) {
      if (/^(?:https:|\.\.\/)/.test(target)) continue;
      const [page, anchor] = target.split('#');
      const wanted = html[page || file];
      assert.ok(wanted, `${file}: ${target}`);
      if (anchor) assert.ok(wanted.includes(`id="${anchor}"`), `${file}: ${target}`);
    }
});

test('an example runs in place, also when it was edited, and opens in the playground', async () => {
  await visit('docs/string.html', {}, async (page) => {
    const example = page.locator('.example').first();
    await example.getByRole('button', { name: 'Run' }).click();
    await example.locator('output.good').waitFor();
    assert.match(await example.locator('output').textContent(), /^✓ \d+ checked, all as expected/);
    await example.locator('code').fill('> SET k v\nOK\n> GET k\n"other"\n');
    await example.getByRole('button', { name: 'Run' }).click();
    await example.locator('output.bad').waitFor();
    assert.match(await example.locator('output').textContent(), /^✗ 1 of 2 differ> SET k v\nOK\n> GET k\n"v"/);
    await example.getByRole('link').click();
    await page.locator('kl-session-view .summary.bad').waitFor();
    assert.match(await page.locator('kl-editor textarea').inputValue(), /^> SET k v\nOK/);
  });
});

for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: { width: 320, height: 640 } }])
  test(`axe finds nothing on pages of documentation, in ${options.colorScheme}`, async () => {
    for (const path of ['docs/index.html', 'docs/hyperloglog.html', 'docs/sessions.html'])
      await visit(path, { ...options, bypassCSP: true }, async (page) => {
        await page.evaluate(AXE);
        const found = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
        assert.deepEqual(
          found.violations.map(({ id, nodes }) => `${id}: ${nodes[0].target}`),
          [],
          path,
        );
        const width = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
        assert.ok(width <= 0, `${path} is ${width} px too wide`);
      });
  });

test('the footer says what this is, how to install it, and what is missing', async () => {
  await visit('', {}, async (page) => {
    const footer = page.locator('kl-footer');
    const { version } = JSON.parse(
      readFileSync(new URL('../../target/npm/keylatch/package.json', import.meta.url), 'utf8'),
    );
    assert.match(await footer.locator('summary').textContent(), new RegExp(`About keylatch ${version}`));
    await footer.locator('summary').click();
    const words = await footer.locator('.more').textContent();
    await say(page, 'INFO server');
    const redis = /redis_version:([\d.]+)/.exec((await heard(page)).at(-1))[1];
    assert.ok(words.includes(`answers like Redis ${redis}`));
    assert.match(words, /npm install keylatch/);
    assert.match(words, /Missing are scripts and functions/);
    for (const name of ['Commands', 'Session format', 'MIT licence', 'Apache-2.0 licence', 'Notices']) {
      const link = await footer.getByRole('link', { name, exact: true }).getAttribute('href');
      assert.equal((await page.request.get(browser.address + link)).status(), 200, link);
    }
  });
});
