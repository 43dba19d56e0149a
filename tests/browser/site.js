// Pages of a profile on disk with the built package, where Web Locks and IndexedDB work as on a site.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { serveSite } from './site-server.js';

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
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
