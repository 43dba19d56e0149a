// Pages of commands, lessons and recipes: what they weigh and load, earlier addresses, the theme, and how they read without scripts.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { brotliCompressSync } from 'node:zlib';
import { start, WWW } from './page.js';

/** Most bytes of a page with its style and script, compressed. */
const PAGE_BYTES = 15 * 1024;
const READERS = ['commands/setnx/', 'lessons/slow-owner/', 'commands/', 'lessons/', 'recipes/'];

let browser;
before(async () => (browser = await start()));
after(() => browser.stop());

/** Opens a page in a profile of its own, which ends with `use`. */
async function visit(path, use, options = {}) {
  const context = await browser.context({ serviceWorkers: 'block', ...options });
  const page = await context.newPage();
  const errors = [];
  page.on('pageerror', (error) => errors.push(String(error)));
  await page.goto(browser.address + path);
  await use(page);
  assert.deepEqual(errors, [], path);
  await context.close();
}

const runFirst = (page) => page.getByRole('button', { name: 'Run', exact: true }).first().click();
const requested = (page) =>
  page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name.split('/').at(-1)));

test('each page with its style and script weighs at most 15 KB, compressed', () => {
  const weigh = (file) => brotliCompressSync(readFileSync(`${WWW}/${file}`)).length;
  const shared = readdirSync(`${WWW}/assets`).filter((file) => /^(?:docs-.*\.css|pages-.*\.js)$/.test(file));
  assert.equal(shared.length, 2);
  const besides = shared.reduce((sum, file) => sum + weigh(`assets/${file}`), 0);
  const pages = ['commands', 'lessons', 'recipes'].flatMap((folder) =>
    readdirSync(`${WWW}/${folder}`, { recursive: true })
      .filter((file) => file.endsWith('.html'))
      .map((file) => `${folder}/${file}`),
  );
  assert.ok(pages.length > 280, `${pages.length} pages`);
  const heaviest = Math.max(...pages.map(weigh)) + besides;
  console.log(`the heaviest of ${pages.length} pages: ${heaviest} bytes`);
  assert.ok(heaviest <= PAGE_BYTES, `${heaviest} bytes`);
});

test('the element is loaded by the first run, and the engine behind it', () =>
  visit('commands/setnx/', async (page) => {
    assert.deepEqual(
      (await requested(page)).filter((name) => /repl|wasm/.test(name)),
      [],
    );
    await runFirst(page);
    await page.locator('.summary.good').waitFor();
    const loaded = await requested(page);
    assert.deepEqual(
      loaded.filter((name) => /repl|wasm/.test(name)),
      ['keylatch-repl.js', 'keylatch.wasm'],
    );
    assert.equal(await page.evaluate(() => document.activeElement?.localName), 'keylatch-repl');
  }));

test('a lesson runs in place as a whole', () =>
  visit('lessons/check-then-set/', async (page) => {
    assert.equal(await page.locator('keylatch-repl').count(), 0);
    await runFirst(page);
    await page.locator('.summary.good').waitFor();
    assert.match(await page.locator('keylatch-repl').getByRole('status').textContent(), /all as expected/);
  }));

test('an element that is not loaded is said, and can be tried again', () =>
  visit('commands/get/', async (page) => {
    await page.route('**/keylatch-repl.js', (route) => route.abort());
    await runFirst(page);
    await page.getByRole('button', { name: 'Not loaded. Try again' }).first().waitFor();
    await page.unroute('**/keylatch-repl.js');
    await page.getByRole('button', { name: 'Not loaded. Try again' }).first().click();
    await page.locator('.summary.good').waitFor();
  }));

for (const [from, to] of [
  ['docs/string.html#setnx', 'commands/setnx/'],
  ['docs/connection.html#client-list', 'commands/client/#client-list'],
  ['docs/latch.html#latchacquire', 'commands/latch.acquire/'],
  ['docs/index.html', 'commands/'],
  ['docs/recipes.html', 'recipes/'],
])
  test(`the earlier address ${from} leads to ${to}`, () =>
    visit(from, async (page) => {
      await page.waitForURL(browser.address + to);
      assert.ok(await page.locator('h1').isVisible());
    }));

test('the theme is that of the playground, from the first paint on', () =>
  visit('commands/setnx/', async (page) => {
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
    await page.getByRole('button', { name: 'Theme: as the system' }).click();
    await page.getByRole('button', { name: 'Theme: light' }).click();
    assert.equal(await theme(), 'dark');
    await runFirst(page);
    await page.locator('.summary.good').waitFor();
    assert.equal(await page.locator('keylatch-repl').first().getAttribute('theme'), 'dark');
    await page.getByRole('link', { name: 'Lessons', exact: true }).click();
    await page.getByRole('heading', { name: 'Lessons' }).waitFor();
    assert.equal(await theme(), 'dark');
    await page.getByRole('link', { name: 'keylatch', exact: true }).click();
    await page.locator('html[data-ready]').waitFor({ state: 'attached' });
    assert.equal(await theme(), 'dark');
  }));

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 320, height: 640 },
])
  test(`the search is loaded when it is used, and leads to a page (${viewport.width} px)`, () =>
    visit(
      'commands/setnx/',
      async (page) => {
        assert.ok(!(await requested(page)).includes('search.json'));
        await page.getByRole('button', { name: 'Search' }).click();
        const field = page.getByRole('searchbox', { name: 'Search commands, lessons and guides' });
        await field.fill('zzzqqq');
        await page.getByText('Nothing matches.').waitFor();
        await field.fill('reentrant');
        await page.getByRole('dialog').getByRole('link').first().waitFor();
        assert.ok((await requested(page)).includes('search.json'));
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
        await field.press('Enter');
        await page.waitForURL(`${browser.address}recipes/reentrant-lock/`);
      },
      { viewport },
    ));

test('without scripts the pages are documents: title, description, text, and ways to go on', async () => {
  for (const path of READERS)
    await visit(
      path,
      async (page) => {
        assert.equal(await page.locator('h1').count(), 1, path);
        assert.match(await page.title(), /^.{5,} · keylatch$/, path);
        const description = await page.locator('meta[name=description]').getAttribute('content');
        assert.ok(description.length > 40 && description.length < 300, `${path}: ${description}`);
        assert.equal(await page.locator('button').count(), 0, path);
        assert.ok((await page.locator('main a:visible').count()) > 5, path);
      },
      { javaScriptEnabled: false },
    );
});

test('the page of a command has syntax, facts, replies, errors, its lessons and the next command', () =>
  visit(
    'commands/setnx/',
    async (page) => {
      const text = await page.locator('main').innerText();
      for (const words of [
        'SETNX key value',
        'Deprecated since Redis 2.6.12: the replacement is SET with NX.',
        '(integer) 1\tSETNX lock me',
        "ERR wrong number of arguments for 'setnx' command",
        "db.setnx('door', 'opened by Ann') // 1",
        "await redis.setnx('door', 'opened by Ann') // 1",
        "await client.setNX('door', 'opened by Ann') // 1",
      ])
        assert.ok(text.includes(words), words);
      const lesson = page.getByRole('link', { name: 'SETNX: set it, unless it is already there' });
      assert.equal(await lesson.getAttribute('href'), '../../lessons/setnx-basics/');
      assert.equal(await page.locator('[rel=next]').getAttribute('href'), '../../commands/setrange/');
    },
    { javaScriptEnabled: false },
  ));

test('commands that Redis lacks say so, and what to use there', async () => {
  const words = async (path, expected) => {
    const html = readFileSync(`${WWW}/commands/${path}/index.html`, 'utf8');
    assert.match(html, expected, path);
  };
  await words('delifeq', /<strong>Only in Valkey 9\.0 or newer<\/strong> and in keylatch/);
  await words('delex', /<strong>Needs Redis 8\.4\.0<\/strong> or newer/);
  await words(
    'latch.arrive',
    /Only in keylatch\..* <code>keylatch\/locks<\/code> or the recipe <a href="[^"]*barrier\/">/,
  );
});
