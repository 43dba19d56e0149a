/**
 * Persistence and tabs in headless Chromium, with a profile on disk. Times are elapsed times: most of them pass in other
 * processes of the browser.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { serveSite } from '../../tests/browser/site-server.js';
import { answer, isWanted, quick, say } from './options.mjs';

const TABLE = 'Persistence and tabs in Chromium';
const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-sync',
];
const ROUNDS = quick ? 2 : 11;
const KEYS = quick ? 2000 : 100_000;

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** Nanoseconds for each SET, with a flush after every 100. */
const persistedSets = (page, count) =>
  page.evaluate(async (sets) => {
    const db = await keylatch.open({ name: `sets ${Math.random()}` });
    const value = 'x'.repeat(80);
    const startMs = performance.now();
    for (let key = 0; key < sets; key += 1) {
      db.set(`key:${key}`, value);
      if (key % 100 === 99) await db.flush();
    }
    const ms = performance.now() - startMs;
    if (db.dbsize() !== sets) throw new Error('keys are missing');
    await db.close();
    return (ms * 1e6) / sets;
  }, count);

/** Milliseconds to open a store with that many keys, as a snapshot or as a log. */
const reopened = (page, kind, count) =>
  page.evaluate(
    async ([wanted, keys]) => {
      const name = `open ${Math.random()}`;
      if (wanted === 'log') {
        // Longer than any log becomes: written as pieces.
        const db = new keylatch.Keylatch();
        db.record(true);
        const store = keylatch.indexedDbStore(name);
        await store.open();
        for (let key = 0; key < keys; key += 1) {
          db.set(`key:${key}`, `value ${key}`);
          if (key % 1000 === 999) await store.append(db.takeEffects(), Date.now());
        }
        await store.close();
      } else {
        const db = await keylatch.open({ name });
        for (let key = 0; key < keys; key += 1) db.set(`key:${key}`, `value ${key}`);
        await db.rewrite();
        await db.close();
      }
      const startMs = performance.now();
      const db = await keylatch.open({ name });
      const ms = performance.now() - startMs;
      if (db.dbsize() !== keys) throw new Error('keys are missing');
      await db.close();
      indexedDB.deleteDatabase(`keylatch:${name}`);
      return ms;
    },
    [kind, count],
  );

async function open(context, origin) {
  const page = await context.newPage();
  await page.goto(`${origin}/fixtures/package.html`);
  await page.waitForFunction(() => globalThis.keylatch !== undefined);
  return page;
}

const share = (page, name) =>
  page.evaluate(async (wanted) => {
    globalThis.db = await keylatch.share({ name: wanted });
  }, name);

/** Milliseconds of a GET of a tab that does not lead. */
async function followersGet(context, origin) {
  const pages = [await open(context, origin), await open(context, origin)];
  for (const page of pages) await share(page, 'get');
  const times = await pages[1].evaluate(
    async (count) => {
      await db.set('k', 'v');
      for (let warm = 0; warm < 200; warm += 1) await db.get('k');
      const all = [];
      for (let call = 0; call < count; call += 1) {
        const startMs = performance.now();
        if ((await db.get('k')) !== 'v') throw new Error('another value');
        all.push(performance.now() - startMs);
      }
      return all;
    },
    quick ? 100 : 5000,
  );
  for (const page of pages) await page.close();
  return median(times);
}

/** Milliseconds from the end of the leader's renderer until another tab leads. */
async function failovers(context, origin) {
  const times = [];
  let leader = await open(context, origin);
  await share(leader, 'failover');
  for (let round = 0; round < ROUNDS; round += 1) {
    const next = await open(context, origin);
    await share(next, 'failover');
    await next.evaluate(async () => {
      await db.set('k', 'v');
      await db.flush();
      globalThis.ledMs = new Promise((resolve) => db.onRole(() => resolve(Date.now())));
    });
    const session = await context.newCDPSession(leader);
    const startMs = Date.now();
    session.send('Page.crash').catch(() => {});
    times.push((await next.evaluate(() => ledMs)) - startMs);
    if ((await next.evaluate(() => db.get('k'))) !== 'v') throw new Error('a flushed write is missing');
    leader = next;
  }
  await leader.close();
  return median(times);
}

const rounds = async (measure) => {
  const all = [];
  for (let round = 0; round < Math.min(ROUNDS, 5); round += 1) all.push(await measure());
  return median(all);
};

const site = await serveSite();
const profile = mkdtempSync(join(tmpdir(), 'keylatch-bench-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  headless: true,
  args: ARGUMENTS,
});
try {
  const page = await open(context, site.origin);
  const rows = [
    ['persisted SET, flushed after 100', 'ns', () => rounds(() => persistedSets(page, KEYS))],
    ['100,000 keys reopened from a snapshot', 'ms', () => rounds(() => reopened(page, 'snapshot', KEYS))],
    ['100,000 keys reopened from a log', 'ms', () => rounds(() => reopened(page, 'log', KEYS))],
    ['GET of a follower', 'ms', () => followersGet(context, site.origin)],
    ['failover to another tab', 'ms', () => failovers(context, site.origin)],
  ].filter(([row]) => isWanted(row));
  if (rows.length > 0) say(TABLE);
  for (const [row, unit, measure] of rows) answer({ table: TABLE, row, unit, figures: { keylatch: await measure() } });
} finally {
  await context.close();
  site.stop();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
