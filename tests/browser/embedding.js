// `<keylatch-repl>` on pages of another origin: a browser, the other site, and the elements on its pages.
import { readFileSync } from 'node:fs';
import { after, before } from 'node:test';
import { hostPage, serveHost } from './host.js';
import { start } from './page.js';

export const { version } = JSON.parse(
  readFileSync(new URL('../../target/npm/keylatch/package.json', import.meta.url), 'utf8'),
);
export const SCRIPT = `embed/${version}/keylatch-repl.js`;

export const LOCK = `## A lock that expires

# Ann gets it, Bob does not.
A> SET door ann NX PX 5000
OK
B> SET door bob NX PX 5000
(nil)

@ +5001ms
! expired door
B> SET door bob NX PX 5000
OK
`;

/** Browser of the running test file. */
export let browser;
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

const escaped = (text) => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
export const embedded = (text, attributes = '') =>
  `<keylatch-repl ${attributes}><pre>${escaped(text)}</pre></keylatch-repl>`;
export const scriptTag = (attributes = 'async') => `<script src="${browser.address}${SCRIPT}" ${attributes}></script>`;

/** Opens a page of the other site with the body; the script is in its head. */
export async function visit(body, work, { headers, head = scriptTag(), ...options } = {}) {
  const path = `/${Object.keys(pages).length}`;
  pages[path] = { html: hostPage(body, head), headers };
  const context = await browser.context(options);
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  await page.goto(host.origin + path);
  await work(page, { context, complaints });
  await context.close();
}

export const runAll = (repl) => repl.getByRole('button', { name: 'Run all' }).click();
export const summary = (repl) => repl.getByRole('status').textContent();
export const rows = (repl) =>
  repl
    .locator('.row')
    .evaluateAll((found) =>
      found.map((row) => `${row.querySelector('.sign').textContent} ${row.querySelector('.text').textContent}`.trim()),
    );
