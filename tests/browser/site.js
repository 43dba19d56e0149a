// Serves the built package to pages of a profile on disk, where Web Locks and IndexedDB work as on a site.
import { createServer } from 'node:http';
import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const PACKAGE = process.env.KEYLATCH_PACKAGE ?? fileURLToPath(new URL('../../target/npm/keylatch', import.meta.url));
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
export const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
const FOLDERS = {
  package: PACKAGE,
  fixtures: fileURLToPath(new URL('fixtures', import.meta.url)),
  kill: fileURLToPath(new URL('../kill', import.meta.url)),
};
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.mjs': 'text/javascript' };

/** Starts a server for the package and the fixtures. `asked` is called with the paths of other requests. */
export async function serveSite(asked = () => {}) {
  const server = createServer(async (request, response) => {
    const [, folder, ...path] = new URL(request.url ?? '/', 'http://site').pathname.split('/');
    const file = normalize(path.join('/'));
    if (!Object.hasOwn(FOLDERS, folder) || file.startsWith('..')) {
      asked(request.url);
      response.writeHead(204).end();
      return;
    }
    try {
      const body = await readFile(join(FOLDERS[folder], file));
      response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream' });
      response.end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return { origin: `http://127.0.0.1:${server.address().port}`, stop: () => server.close() };
}

/** A browser with a new profile. `open()` returns a page with the package in `globalThis.keylatch`. */
export async function startSite() {
  const profile = mkdtempSync(join(tmpdir(), 'keylatch-profile-'));
  const site = await serveSite();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: CHROMIUM,
    headless: true,
    args: ARGUMENTS,
  });
  const stop = async () => {
    await context.close();
    site.stop();
    rmSync(profile, { recursive: true, force: true });
  };
  return { context, origin: site.origin, stop, open: () => openPage(context, site.origin) };
}

export async function openPage(context, origin) {
  const page = await context.newPage();
  await page.goto(`${origin}/fixtures/package.html`);
  await page.waitForFunction(() => globalThis.keylatch !== undefined);
  return page;
}
