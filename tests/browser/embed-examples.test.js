// The page of examples about embedding: each of its examples is taken from the page and runs on another origin.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { hostPage, serveHost } from './host.js';
import { say, start, WWW } from './page.js';

const TARGET = fileURLToPath(new URL('../../target/', import.meta.url));
const fromPage = createRequire(new URL('../../www/package.json', import.meta.url));

let browser;
let host;
let blocks;
const pages = {};
before(async () => {
  browser = await start();
  host = await serveHost(pages);
  const html = await readFile(`${WWW}/docs/embedding.html`, 'utf8');
  blocks = [...html.matchAll(/<h2[^>]*>([^<]*)<\/h2>|<pre><code>([\s\S]*?)<\/code><\/pre>/g)].map(
    ([, heading, code]) => heading ?? unescaped(code).replaceAll('https://example.org/keylatch/', browser.address),
  );
});
after(async () => {
  await browser.stop();
  host.stop();
});

const ENTITIES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' };
const unescaped = (html) => html.replace(/&(?:lt|gt|quot|amp);/g, (entity) => ENTITIES[entity]);

/** Examples of a section. */
function examplesOf(heading) {
  const at = blocks.indexOf(heading);
  assert.ok(at >= 0, heading);
  const end = blocks.findIndex((block, index) => index > at && /^(?:In|What) [^\n]*$/.test(block));
  return blocks.slice(at + 1, end);
}

async function visit(page, work) {
  const path = `/${Object.keys(pages).length}`;
  pages[path] = page;
  const context = await browser.context();
  const opened = await context.newPage();
  const complaints = [];
  opened.on('pageerror', (error) => complaints.push(String(error)));
  opened.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await opened.goto(host.origin + path);
  await work(opened);
  assert.deepEqual(complaints, []);
  await context.close();
}

async function runs(repl, verdict = 'good') {
  await repl.getByRole('button', { name: 'Run all' }).click();
  await repl.locator(`.summary.${verdict}`).waitFor();
}

test('plain HTML', async () => {
  const [withText, withLink] = examplesOf('In HTML');
  await visit(hostPage(withText + withLink), async (page) => {
    await runs(page.locator('keylatch-repl').nth(0));
    const linked = page.locator('keylatch-repl').nth(1);
    await linked.getByRole('button', { name: 'Run all' }).click();
    await linked.locator('.row.got').getByText('OK').waitFor();
    assert.equal(await linked.getByRole('textbox').count(), 0);
  });
});

test('Markdown, as renderers make HTML of it', async () => {
  const [fence, script] = examplesOf('In Markdown');
  const [, language, code] = /^```(\w+)\n([\s\S]*?)```$/.exec(fence);
  const text = code.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
  const rendered = `<p>Text.</p><pre><code class="language-${language}">${text}</code></pre>`;
  await visit(hostPage(rendered + script), (page) => runs(page.locator('keylatch-repl')));
});

test('Vite builds the example, and its page runs', async () => {
  await mkdir(join(TARGET, 'tmp'), { recursive: true });
  const root = await mkdtemp(join(TARGET, 'tmp/embed-vite-'));
  try {
    await mkdir(join(root, 'node_modules'));
    await symlink(join(TARGET, 'npm/keylatch'), join(root, 'node_modules/keylatch'));
    const [code] = examplesOf('In Vite and other bundlers');
    await writeFile(join(root, 'main.js'), code);
    await writeFile(join(root, 'index.html'), hostPage('', '<script type="module" src="./main.js"></script>'));
    const { build, preview } = await import(pathToFileURL(fromPage.resolve('vite')).href);
    await build({ root, configFile: false, logLevel: 'error' });
    const server = await preview({
      root,
      configFile: false,
      logLevel: 'error',
      preview: { host: '127.0.0.1', port: 0 },
    });
    const context = await browser.context();
    const page = await context.newPage();
    await page.goto(server.resolvedUrls.local[0]);
    const repl = page.locator('keylatch-repl');
    await repl.getByRole('button', { name: 'Run all' }).click();
    await repl.getByText('(integer) 1').waitFor();
    const link = await repl.getByRole('link', { name: 'Open in playground' }).getAttribute('href');
    assert.ok(link.startsWith(`${browser.address}#size=`), link);
    await context.close();
    await server.close();
  } finally {
    await rm(root, { recursive: true });
  }
});

test('a frame, and its height by messages', async () => {
  const [frame, script] = examplesOf('In a frame');
  const listening = `<script>addEventListener('load', () => { const frame = document.querySelector('iframe'); ${script} });</script>`;
  await visit(hostPage(frame + listening), async (page) => {
    await page.waitForFunction(() => document.querySelector('iframe').height !== '320');
    const height = Number(await page.locator('iframe').getAttribute('height'));
    assert.ok(height > 100 && height < 300, `${height}`);
    const repl = page.frameLocator('iframe').locator('keylatch-repl');
    await repl.getByRole('button', { name: 'Run all' }).click();
    await repl.getByText('(integer) 1').waitFor();
  });
});

test('what the playground copies for another page runs there, also with keys at the start', async () => {
  for (const hash of ['#new', '']) {
    const { page, context } = await browser.open(hash);
    if (hash === '#new') await page.locator('kl-editor textarea').fill('> SET k "<b>"\nOK\n');
    else {
      await say(page, 'SET k v');
      await say(page, 'clear');
      await say(page, 'GET k');
      await page.getByRole('button', { name: 'Open as session' }).click();
    }
    await page.locator('kl-session-view .summary.good').waitFor();
    await page.getByRole('button', { name: 'Copy', exact: true }).click();
    await page.getByText('Copy for another page').click();
    await page.getByText('Copied for another page').waitFor();
    const html = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(html.includes('start='), hash === '', html);
    await context.close();
    await visit(hostPage(html), (other) => runs(other.locator('keylatch-repl')));
  }
});
