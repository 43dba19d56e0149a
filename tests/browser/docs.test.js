// Pages beside the playground: the commands' documentation, the session format, the guides, their examples; the footer.
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

test('on a small screen the links of the header and addresses in tables stay whole', () =>
  visit('docs/sessions.html', { viewport: { width: 320, height: 640 } }, async (page) => {
    const rows = (locator) =>
      locator.evaluateAll((elements) => new Set(elements.map((element) => element.offsetTop)).size);
    assert.equal(await rows(page.locator('nav a')), 1);
    const lines = await page.locator('td code', { hasText: '[2]>' }).evaluate((code) => {
      const range = document.createRange();
      range.setStart(code.firstChild, 0);
      range.setEnd(code.firstChild, code.textContent.indexOf(' '));
      return range.getClientRects().length;
    });
    assert.equal(lines, 1);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
  }));

test('an example runs in place, also when it was edited, and opens in the playground', async () => {
  await visit('docs/string.html', {}, async (page) => {
    const example = page.locator('.example').first();
    await example.getByRole('button', { name: 'Run all' }).click();
    await example.locator('.summary.good').waitFor();
    assert.match(await example.getByRole('status').textContent(), /^✓ \d+ checked, all as expected/);
    await example.getByRole('button', { name: 'Edit' }).click();
    await example.getByLabel('Session text').fill('> SET k v\nOK\n> GET k\n"other"\n');
    await example.getByRole('button', { name: 'Run all' }).click();
    await example.locator('.summary.bad').waitFor();
    assert.equal(await example.getByRole('status').textContent(), '✗ 1 of 2 checked steps differ');
    const address = await example.getByRole('link', { name: 'Open in playground' }).getAttribute('href');
    await page.goto(address);
    await page.locator('kl-session-view .summary.bad').waitFor();
    assert.match(await page.locator('kl-editor textarea').inputValue(), /^> SET k v\nOK/);
  });
});

const GUIDES = ['guides', 'promises', 'latch-commands', 'fencing', 'embedding', 'limits', 'locks', 'recipes'];

/** Verdicts of the steps of each example of a page, all run in place. */
function verdictsOf(page) {
  return page.evaluate(async () => {
    await customElements.whenDefined('keylatch-repl');
    const all = [...document.querySelectorAll('keylatch-repl')];
    return Promise.all(all.map(async (repl) => (await repl.run())?.steps.map(({ verdict }) => verdict) ?? []));
  });
}

test('every example of every page runs in place and passes', async () => {
  const pages = readdirSync(`${WWW}/docs`).filter((file) => file.endsWith('.html'));
  let count = 0;
  for (const file of pages)
    await visit(`docs/${file}`, {}, async (page) => {
      const reports = await verdictsOf(page);
      for (const [index, verdicts] of reports.entries()) {
        assert.ok(verdicts.length > 0, `${file}: example ${index} does not run`);
        assert.ok(!verdicts.includes('mismatched'), `${file}: example ${index} differs`);
      }
      count += reports.length;
    });
  console.log(`${count} examples on ${pages.length} pages`);
  assert.ok(count > 200, `${count} examples`);
});

test('guides: every example checks something; the nine LATCH commands have a section each', async () => {
  for (const name of GUIDES)
    await visit(`docs/${name}.html`, {}, async (page) => {
      const reports = await verdictsOf(page);
      for (const verdicts of reports) assert.ok(verdicts.includes('matched'), name);
      const isRunnable = !['guides', 'limits', 'locks', 'recipes'].includes(name);
      assert.equal(reports.length > 0, isRunnable, `${name}: ${reports.length} examples`);
    });
  const html = readFileSync(`${WWW}/docs/latch-commands.html`, 'utf8');
  const table = JSON.parse(readFileSync(new URL('../../target/generated/commands.json', import.meta.url), 'utf8'));
  const latches = table.filter(({ name }) => name.startsWith('LATCH.'));
  assert.equal(latches.length, 9);
  for (const { name } of latches) assert.match(html, new RegExp(`<h2[^>]*>[^<]*${name.replace('.', '\\.')}`), name);
});

test('guides can be read without scripts: text, examples, and links that open them', async () => {
  const context = await browser.context({ javaScriptEnabled: false, viewport: { width: 1000, height: 900 } });
  const page = await context.newPage();
  await page.goto(`${browser.address}docs/fencing.html`);
  const first = page.locator('.example').first();
  assert.match(await first.locator('pre').innerText(), /A> SET balance 120\nOK\n> GET balance\n"120"/);
  assert.equal(await page.locator('.example a:visible').count(), await page.locator('.example').count());
  assert.match(await first.locator('a').getAttribute('href'), /^\.\.\/index\.html#s=/);
  await context.close();
});

test('lessons that guides name are opened by the playground', async () => {
  const { lessons, targets } = await linkedLessons();
  assert.ok(targets.length > 20);
  for (const target of targets) assert.ok(lessons.includes(target), target);
});

/** Names of lessons, and those that links of the guides lead to. */
async function linkedLessons() {
  const folder = new URL('../../www/lessons', import.meta.url);
  const lessons = readdirSync(folder).map((file) => file.replace(/\.session$/, ''));
  const pages = GUIDES.map((name) => readFileSync(`${WWW}/docs/${name}.html`, 'utf8')).join('\n');
  const targets = [...pages.matchAll(/href="\.\.\/index\.html#lesson=([^"]+)"/g)].map(([, target]) => target);
  return { lessons, targets };
}

for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: { width: 320, height: 640 } }])
  test(`axe finds nothing on pages of documentation, in ${options.colorScheme}`, async () => {
    const pages = ['index', 'hyperloglog', 'sessions', ...GUIDES].map((name) => `docs/${name}.html`);
    for (const path of pages)
      await visit(path, { ...options, bypassCSP: true }, async (page) => {
        const example = page.locator('keylatch-repl').first();
        if ((await example.count()) > 0) {
          await example.getByRole('button', { name: 'Step' }).click();
          await example.locator('.summary.good').waitFor();
        }
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
    assert.match(words, /Missing are streams/);
    for (const name of ['Commands', 'Session format', 'Guides', 'MIT licence', 'Apache-2.0 licence', 'Notices']) {
      const link = await footer.getByRole('link', { name, exact: true }).getAttribute('href');
      assert.equal((await page.request.get(browser.address + link)).status(), 200, link);
    }
  });
});
