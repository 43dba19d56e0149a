// The page `/embed` in frames of another origin: its policy, its messages, its address. All other pages forbid frames.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { hostPage, serveHost } from './host.js';
import { start, WWW } from './page.js';

const fromPage = createRequire(new URL('../../www/package.json', import.meta.url));

let browser;
let host;
const pages = {};
before(async () => {
  browser = await start();
  host = await serveHost(pages);
});
after(async () => {
  await browser.stop();
  host.stop();
});

const SESSION = encodeURIComponent('> INCR n\n(integer) 1\n> INCR n\n(integer) 2');

/** Frames a page of the site; `sizes` collects what the frame posts. */
async function frame(path, work, { attributes = '', ...options } = {}) {
  const own = `/${Object.keys(pages).length}`;
  pages[own] = hostPage(
    `<iframe src="${browser.address}${path}" title="Frame" width="640" height="300" ${attributes}></iframe>`,
    `<script>sizes = []; addEventListener('message', ({ data }) => sizes.push(data));</script>`,
  );
  const context = await browser.context(options);
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(host.origin + own);
  const framed = page.frameLocator('iframe[title=Frame]');
  const post = (...messages) =>
    page.evaluate(
      (all) => all.forEach((one) => document.querySelector('iframe').contentWindow.postMessage(one, '*')),
      messages,
    );
  await work({ page, framed, repl: framed.locator('keylatch-repl'), post, complaints });
  await context.close();
}

const heightOf = (locator) => locator.evaluate((element) => element.getBoundingClientRect().height);
const painted = (page) => page.evaluate(() => new Promise((done) => setTimeout(done, 200)));

test('every page but /embed forbids frames, and /embed allows them', async () => {
  const files = readdirSync(WWW, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.html'));
  assert.ok(files.length > 20);
  const context = await browser.context();
  for (const file of [...files, '', 'worker.js']) {
    const response = await context.request.get(browser.address + file);
    const policy = response.headers()['content-security-policy'];
    const wanted = file.startsWith('embed/') ? 'frame-ancestors *' : "frame-ancestors 'none'";
    assert.equal(policy.split('; ').at(-1), wanted, file);
    assert.equal(policy.split('frame-ancestors').length, 2, `${file}: one policy`);
  }
  await context.close();
});

test('a framed page other than /embed stays empty', () =>
  frame('index.html', async ({ page, framed }) => {
    const deadlineMs = Date.now() + 5000;
    while (!/^chrome-error:/.test(page.frames()[1]?.url()) && Date.now() < deadlineMs) await painted(page);
    assert.match(page.frames()[1].url(), /^chrome-error:/);
    assert.equal(await framed.locator('kl-app').count(), 0);
  }));

test('a frame shows the session of its address, as the query says', () =>
  frame(`embed/?readonly&theme=dark&wasm=https://example.invalid/x.wasm#s=${SESSION}`, async ({ repl, complaints }) => {
    await repl.getByRole('button', { name: 'Run all' }).click();
    await repl.locator('.summary.good').waitFor();
    assert.equal(await repl.getByRole('textbox').count(), 0);
    assert.equal(await repl.locator('.repl').evaluate((element) => getComputedStyle(element).colorScheme), 'dark');
    assert.ok((await heightOf(repl)) > 290, 'it fills the frame');
    assert.deepEqual(complaints, []);
  }));

test('a sandboxed frame runs, too', () =>
  frame(
    `embed/#s=${SESSION}`,
    async ({ repl }) => {
      await repl.getByRole('button', { name: 'Run all' }).click();
      await repl.locator('.summary.good').waitFor();
      await repl.getByRole('textbox').fill('INCR n');
      await repl.getByRole('textbox').press('Enter');
      await repl.locator('.row.got').waitFor();
    },
    { attributes: 'sandbox="allow-scripts"' },
  ));

test('garbage that the framing page posts is ignored', () =>
  frame(`embed/#s=${SESSION}`, async ({ page, repl, post, complaints }) => {
    await repl.getByRole('button', { name: 'Run all' }).click();
    await repl.locator('.summary.good').waitFor();
    const before = await heightOf(repl);
    await post(
      ...[null, undefined, 0, 'resize', '{"keylatch":"resize","height":900}', [], ['keylatch'], {}, { height: 900 }],
      ...[{ keylatch: 'resize' }, { keylatch: 'resize', height: '900' }, { keylatch: 'resize', height: null }],
      ...[
        { keylatch: 'resize', height: Number.NaN },
        { keylatch: 'resize', height: Number.POSITIVE_INFINITY },
      ],
      ...[
        { keylatch: 'run', text: '> FLUSHALL' },
        { keylatch: ['resize'], height: 900 },
        { keylatch: 'x'.repeat(1e6) },
      ],
      ...[new Map([['keylatch', 'resize']]), new Date(), { keylatch: 'resize', height: { valueOf: 900 } }],
    );
    await painted(page);
    assert.equal(await heightOf(repl), before);
    assert.deepEqual(await page.evaluate(() => sizes), [], 'nothing is posted to a page that did not ask');
    assert.deepEqual(complaints, []);
  }));

test('a height that is posted is a limit; the height of the lines is posted back', () =>
  frame(`embed/#s=${SESSION}`, async ({ page, repl, post, complaints }) => {
    await repl.getByRole('button', { name: 'Run all' }).waitFor();
    await post({ keylatch: 'resize', height: 600 });
    await painted(page);
    const natural = await heightOf(repl);
    assert.ok(natural > 120 && natural < 290, `${natural}`);
    assert.deepEqual(await page.evaluate(() => sizes.at(-1)), { keylatch: 'size', height: Math.ceil(natural) });
    const type = async (text) => {
      await repl.getByRole('textbox').fill(text);
      await repl.getByRole('textbox').press('Enter');
    };
    await type('ECHO "a b c"');
    await repl.locator('.row.got').waitFor();
    await painted(page);
    const grown = (await page.evaluate(() => sizes.at(-1))).height;
    assert.ok(grown > natural, 'it tells when it grows');
    const heights = Array.from({ length: 2000 }, (_, index) => ({
      keylatch: 'resize',
      height: (index * 7919) % 100_000,
    }));
    await post(...heights, { keylatch: 'resize', height: -5 });
    await painted(page);
    assert.equal(await heightOf(repl), 120, 'wild heights are limited, the last one counts');
    assert.ok((await page.evaluate(() => sizes.length)) < 20, 'not an answer for each');
    await post({ keylatch: 'resize', height: 1e9 });
    await painted(page);
    assert.equal(Math.ceil(await heightOf(repl)), grown);
    await page.evaluate(async () => {
      const frame = document.querySelector('iframe');
      for (let round = 0; round < 200; round += 1) {
        frame.style.width = `${(round * 7919) % 1500}px`;
        frame.style.height = `${(round * 104_729) % 5000}px`;
        if (round % 10 === 0) await new Promise((done) => requestAnimationFrame(done));
      }
      frame.style.width = '640px';
      frame.style.height = '400px';
    });
    await repl.getByRole('button', { name: 'Run all' }).click();
    await repl.getByText('2 checked, all as expected, 1 ran unchecked').waitFor();
    assert.deepEqual(complaints, []);
  }));

test('a message of another window than the framing page is ignored', () =>
  frame(`embed/#s=${SESSION}`, async ({ page, repl, complaints }) => {
    await repl.getByRole('button', { name: 'Run all' }).waitFor();
    const before = await heightOf(repl);
    await page.evaluate(async () => {
      const other = document.createElement('iframe');
      const code = "parent.frames[0].postMessage({ keylatch: 'resize', height: 200 }, '*')";
      other.srcdoc = `<script>${code}</script>`;
      document.body.append(other);
      await new Promise((done) => other.addEventListener('load', done));
    });
    await painted(page);
    assert.equal(await heightOf(repl), before);
    assert.deepEqual(complaints, []);
  }));

test('without a session there is a prompt', () =>
  frame('embed/', async ({ repl, complaints }) => {
    await repl.getByRole('textbox').fill('PING');
    await repl.getByRole('textbox').press('Enter');
    await repl.locator('.row.got').waitFor();
    assert.equal(await repl.locator('.problem:visible').count(), 0);
    assert.deepEqual(complaints, []);
  }));

test('the preview server sends these headers, too', async () => {
  const { preview } = await import(pathToFileURL(fromPage.resolve('vite')).href);
  const root = fileURLToPath(new URL('../../www', import.meta.url));
  const server = await preview({ root, logLevel: 'error', preview: { host: '127.0.0.1', port: 0 } });
  try {
    const policyOf = async (path) =>
      (await fetch(new URL(path, server.resolvedUrls.local[0]))).headers.get('content-security-policy');
    assert.match(await policyOf('embed/'), /frame-ancestors \*$/);
    assert.match(await policyOf(''), /frame-ancestors 'none'$/);
    assert.match(await policyOf('docs/fencing.html'), /frame-ancestors 'none'$/);
  } finally {
    await server.close();
  }
});

test('another hash shows another session', () =>
  frame('embed/#v1=broken', async ({ page, framed, repl }) => {
    await repl.getByRole('alert').getByText('This link').waitFor();
    await page.evaluate(
      (address) => (document.querySelector('iframe').src = address),
      `${browser.address}embed/#s=${SESSION}`,
    );
    await framed.getByText('INCR n').first().waitFor();
    assert.equal(await repl.locator('.problem:visible').count(), 0);
  }));
