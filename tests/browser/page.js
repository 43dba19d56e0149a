// Serves the built page under a sub-path with its required headers, and opens it in the system's Chromium.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isDeepStrictEqual } from 'node:util';
import { chromium } from 'playwright-core';

/** Folder of the built page. */
export const WWW = process.env.KEYLATCH_WWW ?? fileURLToPath(new URL('../../target/www', import.meta.url));
const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const BASE = '/some/where/';
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.wasm': 'application/wasm',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
};
const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A service worker would fetch the whole site in the background of each test. */
const DEFAULTS = { viewport: { width: 1280, height: 800 }, serviceWorkers: 'block' };
const BLOCKED = 'Service Worker registration blocked by Playwright';

/** Rules of the page's `_headers` file: a path, or a folder with `*` behind it, and the headers below. */
async function headerRules(www) {
  const rules = [];
  for (const line of (await readFile(join(www, '_headers'), 'utf8')).split('\n').filter(Boolean)) {
    const [name, value] = line.trim().split(/:\s*(.*)/s);
    if (/^\s/.test(line)) rules.at(-1).headers.push([name, value]);
    else rules.push({ path: line, headers: [] });
  }
  return rules;
}

/** Headers of a path as static hosts send them: values of several rules are joined. */
export function headersOf(rules, path) {
  const headers = {};
  for (const rule of rules) {
    const fits = rule.path.endsWith('*') ? path.startsWith(rule.path.slice(0, -1)) : path === rule.path;
    if (!fits) continue;
    for (const [name, value] of rule.headers) headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  return headers;
}

async function serve(www) {
  const rules = await headerRules(www);
  const server = createServer(async (request, response) => {
    const path = new URL(request.url ?? '/', 'http://page').pathname;
    const file = normalize(path.slice(BASE.length).replace(/(^|\/)$/, '$1index.html'));
    try {
      if (!path.startsWith(BASE) || file.startsWith('..')) throw new Error('outside the page');
      const body = await readFile(join(www, file));
      const headers = headersOf(rules, path.slice(BASE.length - 1));
      response.writeHead(200, { ...headers, 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return server;
}

/** Serves the page alone, for other browsers. */
export async function servePage({ www = WWW } = {}) {
  const server = await serve(www);
  const stop = () => {
    server.close();
    server.closeAllConnections();
  };
  return { address: addressOf(server), stop };
}

function addressOf(server) {
  return `http://127.0.0.1:${server.address().port}${BASE}`;
}

/** Starts a browser and the page's server. `open()` returns a page with an empty profile, `context()` the profile alone. */
export async function start({ www = WWW } = {}) {
  const [server, browser] = await Promise.all([
    serve(www),
    chromium.launch({ executablePath: CHROMIUM, args: ARGUMENTS }),
  ]);
  const address = addressOf(server);
  const stop = async () => {
    await browser.close();
    server.close();
  };
  const open = (hash, options) => openPage(browser, address, hash, options);
  return { address, stop, open, context: (options) => browser.newContext(options) };
}

/** Opens the page with an empty profile; `complaints` collects errors of the browser's console. */
async function openPage(browser, address, hash = '', options = {}) {
  const context = await browser.newContext({ ...DEFAULTS, ...options });
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const page = await context.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && message.text() !== BLOCKED) complaints.push(message.text());
  });
  await page.addInitScript(() => {
    globalThis.policyViolations = [];
    addEventListener('securitypolicyviolation', (event) =>
      globalThis.policyViolations.push(`${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await page.goto(address + hash);
  await page.locator('html[data-ready]').waitFor({ state: 'attached' });
  return { page, context, complaints };
}

/** Types a command and runs it. */
export async function say(page, text) {
  const line = page.locator('kl-prompt textarea');
  await line.fill(text);
  await line.press('Enter');
}

/** The log as text, one string per command: the command line, then the printed reply; questions beside it are left out. */
export async function heard(page) {
  return page
    .locator('kl-log .command')
    .evaluateAll((entries) =>
      entries.map((entry) =>
        [...entry.querySelectorAll(':scope > :not(kl-why)')].map((child) => child.textContent).join('\n'),
      ),
    );
}

/** Waits until `read` gives the expected value: parts of the page are loaded when they are first shown. */
export async function eventually(read, expected, limitMs = 5000) {
  const endMs = performance.now() + limitMs;
  let value = await read();
  while (!isDeepStrictEqual(value, expected) && performance.now() < endMs) {
    await new Promise((done) => setTimeout(done, 20));
    value = await read();
  }
  assert.deepEqual(value, expected);
}
