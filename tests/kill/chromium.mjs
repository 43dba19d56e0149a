/**
 * Kills Chromium at random moments while a page writes, opens the page again, and compares: every flushed step is there, in
 * order, and nothing that was never written. `node tests/kill/chromium.mjs [--rounds N]`.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { serveSite } from '../browser/site-server.js';
import { step } from './steps.mjs';

const { values } = parseArgs({ options: { rounds: { type: 'string', default: '50' } } });
const rounds = Number(values.rounds);
const packageFolder = resolve(process.env.KEYLATCH_PACKAGE ?? join(import.meta.dirname, '../../target/npm/keylatch'));
const { Keylatch } = await import(join(packageFolder, 'esm/index.js'));

const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';
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
const MODES = ['relaxed', 'strict'];
/** Longest time that a page writes before its browser is killed. */
const WRITING_MS_MAX = 600;
/** Time for a browser to start and to open the store. */
const START_MS_MAX = 60_000;

const profile = mkdtempSync(join(tmpdir(), 'keylatch-kill-'));
let report = () => {};
const site = await serveSite((url) => {
  const { pathname, searchParams } = new URL(url, 'http://site');
  report(pathname, Object.fromEntries(searchParams));
});

/** Starts a browser with the page that writes; kills it after a time, with all of its processes. */
async function killedBrowser(durability, ms) {
  const address = `${site.origin}/kill/chromium.html?durability=${durability}`;
  const browser = spawn(CHROMIUM, [...ARGUMENTS, `--user-data-dir=${profile}`, address], {
    detached: true,
    stdio: 'ignore',
  });
  const ended = once(browser, 'close');
  let flushed = 0;
  let slow;
  try {
    const opened = await new Promise((resolve, reject) => {
      slow = setTimeout(() => reject(new Error('the page did not open its store')), START_MS_MAX);
      report = (path, given) => {
        if (path === '/opened') resolve(given);
        if (path === '/failed') reject(new Error(given.message));
        if (path === '/flushed') flushed = Math.max(flushed, Number(given.steps));
      };
    });
    await new Promise((done) => setTimeout(done, ms));
    return { found: Number(opened.steps), digest: opened.digest, flushed: () => flushed };
  } finally {
    clearTimeout(slow);
    process.kill(-browser.pid, 'SIGKILL');
    await ended;
  }
}

const model = new Keylatch();
let modelled = 0;

function compare(round, { found, digest }, flushed) {
  assert.ok(found >= flushed, `round ${round}: ${flushed} steps were flushed, ${found} are there`);
  for (; modelled < found; modelled += 1) step(model, modelled);
  assert.equal(digest, model.digestAll(), `round ${round}: not the state after ${found} steps`);
}

try {
  let flushed = 0;
  for (let round = 0; round < rounds; round += 1) {
    const mode = MODES[round % MODES.length];
    const writer = await killedBrowser(mode, Math.random() * WRITING_MS_MAX);
    compare(round, writer, flushed);
    // Reports that were sent before the kill arrive soon.
    await new Promise((done) => setTimeout(done, 20));
    flushed = Math.max(flushed, writer.flushed());
  }
  compare(rounds, await killedBrowser('relaxed', 0), flushed);
} finally {
  site.stop();
  rmSync(profile, { recursive: true, force: true, maxRetries: 5 });
}
console.log(`${rounds} kills of Chromium, ${modelled} steps: every flushed step was there, in order`);
process.exit();
