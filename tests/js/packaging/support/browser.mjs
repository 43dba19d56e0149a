/** Pages in the system's Chromium, served from a folder. */
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

import { chromium } from 'playwright-core';

const ORIGIN = 'http://consumer.test';
const TYPES = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
  '.wasm': 'application/wasm',
};
const WAIT_MS = 60_000;

export function startBrowser() {
  const executablePath = process.env.CHROMIUM ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, args: ['--headless', '--no-sandbox', '--disable-gpu'] });
}

/** Returns what a page left in `answers`; fails with the page's own errors. */
export async function answersAt(browser, address, prepare = () => {}) {
  const page = await browser.newPage();
  const complaints = [];
  page.on('pageerror', (error) => complaints.push(error.stack));
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  try {
    await prepare(page);
    await page.goto(address);
    await page.waitForFunction(() => globalThis.answers !== undefined, undefined, { timeout: WAIT_MS });
    return await page.evaluate(() => globalThis.answers);
  } catch (error) {
    throw new Error(`${address}: ${error.message}\n${complaints.join('\n')}`, { cause: error });
  } finally {
    await page.close();
  }
}

/** Variant for the files of a folder, with headers of their own. */
export function answersOf(browser, folder, headers = {}) {
  return answersAt(browser, `${ORIGIN}/`, (page) =>
    page.route(`${ORIGIN}/**`, async (route) => {
      const path = new URL(route.request().url()).pathname;
      const name = path === '/' ? 'index.html' : path;
      const body = await readFile(join(folder, name)).catch(() => undefined);
      if (body === undefined) return route.fulfill({ status: 404, body: '' });
      return route.fulfill({ body, headers: { ...headers, 'content-type': TYPES[extname(name)] ?? 'text/plain' } });
    }),
  );
}
