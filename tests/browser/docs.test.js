// Pages beside the playground: commands, lessons, the session format, guides, their links and examples; the footer.
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
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

/** Text of each page beside the playground, by its path. */
function allPages() {
  const files = readdirSync(WWW, { recursive: true }).filter((file) =>
    /^(?:docs|commands|lessons|recipes)\/.*\.html$/.test(file),
  );
  return Object.fromEntries(files.map((file) => [file, readFileSync(`${WWW}/${file}`, 'utf8')]));
}

test('every command has its page or its section of one, and every link leads somewhere', () => {
  const pages = allPages();
  const table = JSON.parse(readFileSync(new URL('../../target/generated/commands.json', import.meta.url), 'utf8'));
  for (const { name } of table) {
    const [container, subcommand] = name.toLowerCase().split('|');
    const heading = subcommand ? `<h2 id="${container}-${subcommand}"` : `>${name}</h1>`;
    assert.ok(pages[`commands/${container}/index.html`]?.includes(heading), name);
  }
  const titles = Object.values(pages).map((html) => /<title>(.*)<\/title>/.exec(html)[1]);
  assert.equal(new Set(titles).size, titles.length - MOVED_PAGES, 'pages have titles of their own');
  for (const [file, html] of Object.entries(pages))
    for (const [, target] of html
      .replaceAll(/<template>.*?<\/template>/gs, '')
      .matchAll(/ (?:href|src|data-embed)="([^"]+)"/g))
      assert.ok(isThere(target, file, pages), `${file}: ${target}`);
});

/** Pages at addresses of earlier versions, which have the titles of the present ones. */
const MOVED_PAGES = 2;

/** Whether the target of a link is a file of the site, with its anchor. */
function isThere(target, from, pages) {
  if (target.startsWith('https:')) return true;
  const url = new URL(target, `http://site/${from}`);
  const file = url.pathname.slice(1).replace(/(^|\/)$/, '$1index.html');
  if (!existsSync(`${WWW}/${file}`)) return false;
  return url.hash === '' || !(file in pages) || pages[file].includes(`id="${url.hash.slice(1)}"`);
}

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
  await visit('commands/append/', {}, async (page) => {
    const example = page.locator('.example').first();
    await example.getByRole('button', { name: 'Run', exact: true }).click();
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

const GUIDES = [
  'docs/guides',
  'docs/promises',
  'docs/latch-commands',
  'docs/fencing',
  'docs/embedding',
  'docs/limits',
  'docs/locks-migration',
  'docs/locks',
];

/** Loads the element, which a page does when an example is first run. */
async function loadElement(page) {
  await page.getByRole('button', { name: 'Run', exact: true }).first().click();
  await page.locator('.summary.good').first().waitFor();
}

/** Verdicts of the steps of each session, all run by the element. */
function verdictsOf(page, sessions) {
  return page.evaluate(async (texts) => {
    const reports = [];
    for (const text of texts) {
      const repl = document.createElement('keylatch-repl');
      repl.setAttribute('session', text);
      document.body.append(repl);
      reports.push((await repl.run())?.steps.map(({ verdict }) => verdict) ?? []);
      repl.remove();
    }
    return reports;
  }, sessions);
}

/** Sessions of a page: its examples, and the whole one of a lesson. */
function sessionsOf(html) {
  const found = html.matchAll(/<keylatch-repl><pre><code>(.*?)<\/code>|<template>(.*?)<\/template>/gs);
  return [...found].map(([, example, whole]) => textOf(example ?? whole));
}

const ENTITIES = { lt: '<', gt: '>', quot: '"', amp: '&' };
const textOf = (html) => html.replace(/&(lt|gt|quot|amp);/g, (_, name) => ENTITIES[name]);

test('every example of every page runs in place and passes', async () => {
  const examples = Object.entries(allPages()).flatMap(([file, html]) =>
    sessionsOf(html).map((text) => ({ file, text })),
  );
  assert.ok(examples.length > 350, `${examples.length} examples`);
  await visit('commands/setnx/', {}, async (page) => {
    await loadElement(page);
    const reports = await verdictsOf(
      page,
      examples.map(({ text }) => text),
    );
    for (const [index, verdicts] of reports.entries()) {
      const { file, text } = examples[index];
      assert.ok(verdicts.length > 0, `${file} does not run: ${text}`);
      assert.ok(!verdicts.includes('mismatched'), `${file} differs: ${text}`);
    }
  });
});

test('guides: every example checks something; the nine LATCH commands have a section each', async () => {
  await visit('commands/setnx/', {}, async (page) => {
    await loadElement(page);
    for (const name of GUIDES) {
      const sessions = sessionsOf(readFileSync(`${WWW}/${name}.html`, 'utf8'));
      for (const verdicts of await verdictsOf(page, sessions)) assert.ok(verdicts.includes('matched'), name);
      const isRunnable = !['docs/guides', 'docs/limits', 'docs/locks-migration', 'docs/locks'].includes(name);
      assert.equal(sessions.length > 0, isRunnable, `${name}: ${sessions.length} examples`);
    }
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

for (const options of [{ colorScheme: 'light' }, { colorScheme: 'dark', viewport: { width: 320, height: 640 } }])
  test(`axe finds nothing on pages of documentation, in ${options.colorScheme}`, async () => {
    const pages = ['docs/hyperloglog', 'docs/sessions', ...GUIDES].map((name) => `${name}.html`);
    for (const path of [...pages, 'commands/', 'commands/client/', 'lessons/', 'lessons/slow-owner/', 'recipes/'])
      await visit(path, { ...options, bypassCSP: true }, async (page) => {
        if ((await page.locator('.example').count()) > 0) await loadElement(page);
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
    assert.match(words, /Missing are modules/);
    for (const name of ['Commands', 'Session format', 'Guides', 'MIT licence', 'Apache-2.0 licence', 'Notices']) {
      const link = await footer.getByRole('link', { name, exact: true }).getAttribute('href');
      assert.equal((await page.request.get(browser.address + link)).status(), 200, link);
    }
  });
});
