// Links: what they hold, from where they are made, by hand, and damaged ones; copies in other forms; the page's own card.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { readFile } from 'node:fs/promises';
import { heard, say, start } from './page.js';

let browser;
let visitor;
let page;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open('#new');
  page = visitor.page;
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const SESSION = '## A door & "more"\nA> SET door open PX 5000\nOK\nA> GET door\n"open"\n';
const text = (tab = page) => tab.locator('kl-editor textarea');
const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
const problem = (tab = page) => tab.locator('kl-app [role=alert]').textContent();

async function go(hash) {
  await page.evaluate((wanted) => (location.hash = wanted), hash);
}

/** Opens a hash with an empty profile. */
async function elsewhere(hash, use) {
  const other = await browser.open(hash);
  await use(other.page);
  assert.deepEqual(other.complaints, []);
  await other.context.close();
}

async function copied(name) {
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
  await page.getByRole('button', { name, exact: true }).click();
  await page.getByText(name.replace('Copy', 'Copied'), { exact: true }).waitFor();
  return clipboard();
}

test('a link holds text, title, step and theme', async () => {
  await text().fill(SESSION);
  await page.locator('kl-session-view .summary.good').waitFor();
  await page.getByRole('button', { name: 'Previous step' }).click();
  await page.getByRole('button', { name: 'Theme: as the system' }).click();
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Link copied').waitFor();
  const link = new URL(await clipboard());
  assert.match(link.hash, /&title=A%20door%20%26%20%22more%22&step=1&theme=light$/);
  await elsewhere(link.hash, async (tab) => {
    await tab.locator('kl-session-view .summary.good').waitFor();
    assert.equal(await text(tab).inputValue(), SESSION);
    assert.match(await tab.locator('kl-scrubber output').textContent(), /^Step 1 of 2/);
    assert.equal(await tab.locator('html').getAttribute('data-theme'), 'light');
    await tab.reload();
    await tab.locator('kl-session-view .summary.good').waitFor();
  });
});

test('a link to a lesson holds the step', async () => {
  await go('lesson=04-deleting-each-other');
  await page.locator('kl-session-view .next-lesson').waitFor();
  await page.getByLabel('Step', { exact: true }).fill('3');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Link copied').waitFor();
  const { hash } = new URL(await clipboard());
  assert.equal(hash, '#lesson=04-deleting-each-other&step=3');
  await elsewhere(hash, async (tab) => {
    await tab.locator('kl-session-view .next-lesson').waitFor();
    assert.match(await tab.locator('kl-scrubber output').textContent(), /^Step 3 of/);
  });
});

test('a link from the command line continues there, with the keys it started from', async () => {
  await go('');
  await say(page, 'SADD colours red green blue');
  await say(page, 'clear');
  await say(page, 'SET door open PX 60000');
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Link copied').waitFor();
  const { hash } = new URL(await clipboard());
  assert.match(hash, /&view=line&start=[\w-]+$/);
  await elsewhere(hash, async (tab) => {
    await tab.locator('kl-line-view').waitFor();
    await say(tab, 'SCARD colours');
    await say(tab, 'PTTL door');
    assert.deepEqual((await heard(tab)).slice(-2), [
      'keylatch> SCARD colours\n(integer) 3',
      'keylatch> PTTL door\n(integer) 60000',
    ]);
    await tab.getByRole('button', { name: 'Open as session' }).click();
    await tab.locator('kl-session-view .summary.good').waitFor();
  });
});

test('a link is shown in a field, whatever the clipboard says, and names itself where it is opened', async () => {
  await text().fill(SESSION);
  await page.locator('kl-session-view .summary.good').waitFor();
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => new Promise(() => {});
  });
  await page.getByRole('button', { name: 'Share' }).click();
  const field = page.locator('kl-session-bar').getByRole('textbox', { name: 'Link', exact: true });
  await field.waitFor();
  const { hash } = new URL(await field.inputValue());
  await elsewhere(hash, async (tab) => {
    await tab.getByRole('button', { name: 'Session or lesson: A door & "more"' }).waitFor();
  });
  await page.evaluate(() => {
    delete globalThis.CompressionStream;
    navigator.clipboard.writeText = () => Promise.reject(new Error('denied'));
  });
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('The browser denied access to the clipboard').waitFor();
  const plain = new URL(await field.inputValue());
  assert.match(plain.hash, /^#s=/);
  await elsewhere(plain.hash, async (tab) => {
    await tab.locator('kl-session-view .summary.good').waitFor();
    assert.equal(await text(tab).inputValue(), SESSION);
  });
});

test('links written by hand open, percent-encoded or not', async () => {
  await elsewhere('#s=%3E%20SET%20k%20v%0AOK%0A%3E%20GET%20k%0A%22v%22&title=By%20hand&step=1', async (tab) => {
    await tab.locator('kl-session-view .summary.good').waitFor();
    assert.match(await tab.locator('kl-scrubber output').textContent(), /^Step 1 of 2/);
  });
  await elsewhere('#s=> SET k a&b', async (tab) => {
    await text(tab).waitFor();
    assert.equal(await text(tab).inputValue(), '> SET k a&b');
  });
});

test('damaged links say what happened, and the page works on', async () => {
  await text().fill(SESSION.repeat(20));
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Link copied').waitFor();
  const { hash } = new URL(await clipboard());
  for (const [damaged, sentence] of [
    [hash.slice(1, 60), /^This link is cut short: \d+ of \d+ characters arrived/],
    [hash.slice(1).replace(/v1=...../, 'v1=%%%%%'), /does not belong there/],
    [hash.slice(1).replace(/v1=......../, 'v1=AAAAAAAA'), /damaged or cut short/],
    ['v9=AAAA', /newer version of the page/],
    ['s=x&start=AAAA', /^The key data in this link is damaged/],
    ['lesson=nosuch', /^Unknown lesson: nosuch/],
    ['session=nosuch', /not in this browser/],
    ['nonsense', /^This page has nothing at #nonsense/],
    ['run=', /^This page has nothing at #run/],
    ['commands=NOPE', /^Unknown command: NOPE/],
  ]) {
    await go(damaged);
    await page.waitForFunction((source) => {
      const shown = document.querySelector('kl-app').shadowRoot.querySelector('[role=alert]')?.textContent ?? '';
      return new RegExp(source).test(shown);
    }, sentence.source);
    assert.match(await problem(), sentence);
  }
  await go('');
  await say(page, 'PING');
  assert.deepEqual(await heard(page), ['keylatch> PING\nPONG']);
});

test('keys of a link that cannot be loaded are a problem of the session', async () => {
  const start = await page.evaluate(async () => {
    const stream = new Blob(['REDIS0099 no snapshot']).stream().pipeThrough(new CompressionStream('deflate-raw'));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    return btoa(String.fromCharCode(...bytes))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
      .replaceAll('=', '');
  });
  await go(`s=> PING&start=${start}`);
  await page.getByText('the keys that the session starts with cannot be loaded').first().waitFor();
});

test('a session that is too long for a link is offered as a file', async () => {
  const random = Array.from({ length: 3000 }, (_, index) => `> SET k${index} ${Math.sin(index)}\nOK`).join('\n');
  await text().evaluate((area, value) => {
    area.value = value;
    area.dispatchEvent(new Event('input'));
  }, random);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('too long for a link').waitFor();
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Save as a file' }).click(),
  ]);
  assert.equal(download.suggestedFilename(), 'set-k0-0.session');
  assert.equal(await readFile(await download.path(), 'utf8'), random);
});

test('copies as Markdown, HTML and a script', async () => {
  await text().fill(SESSION);
  await page.locator('kl-session-view .summary.good').waitFor();
  assert.equal(await copied('Copy the text'), SESSION);
  assert.match(
    await copied('Copy as Markdown'),
    /^### A door & "more"\n\n```text\n## A door [\s\S]*\n```\n\n\[Open in the playground\]\(http:[^)]*#size=/,
  );
  assert.match(await copied('Copy as HTML'), /^<figure>\n<pre><code>## A door &amp; &quot;more&quot;\nA&gt; SET/);
  assert.match(
    await copied('Copy as a redis-cli script'),
    /redis-cli "\$@" <<'END_OF_COMMANDS'\nSET door open PX 5000\nGET door\nEND_OF_COMMANDS\n/,
  );
});

test('the page describes itself to programs that show links', async () => {
  const meta = await page
    .locator('meta[property^="og:"]')
    .evaluateAll((tags) => tags.map((tag) => [tag.getAttribute('property'), tag.content]));
  const card = Object.fromEntries(meta);
  assert.ok(card['og:title'] && card['og:description']);
  const picture = await page.request.get(new URL(card['og:image'], browser.address).href);
  assert.equal(picture.status(), 200);
  assert.match(picture.headers()['content-type'], /^image\/png/);
});
