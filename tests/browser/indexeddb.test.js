// keylatch/persist over the IndexedDB of Chromium.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { startSite } from './site.js';

let site;
let pages = [];
before(async () => {
  site = await startSite();
});
after(() => site.stop());
afterEach(async () => {
  for (const page of pages) await page.close();
  pages = [];
});

async function open() {
  const page = await site.open();
  pages.push(page);
  return page;
}

test('data survives a reload, flushed by hand or by the page that goes', async () => {
  const page = await open();
  for (const durability of ['relaxed', 'strict']) {
    await page.evaluate(async (wanted) => {
      const db = await keylatch.open({ name: 'reload', durability: wanted });
      db.set('by hand', wanted);
      await db.flush();
      db.set('at the end', wanted);
    }, durability);
    await page.reload();
    await page.waitForFunction(() => globalThis.keylatch !== undefined);
    const found = await page.evaluate(async () => {
      const db = await keylatch.open({ name: 'reload' });
      const values = db.mget('by hand', 'at the end');
      await db.close();
      return values;
    });
    assert.deepEqual(found, [durability, durability]);
  }
});

test('a second page with the same name is refused, with the way out', async () => {
  const [first, second] = [await open(), await open()];
  await first.evaluate(async () => {
    globalThis.db = await keylatch.open({ name: 'one' });
  });
  const refusal = await second.evaluate(() =>
    keylatch.open({ name: 'one' }).catch(({ code, message }) => [code, message]),
  );
  assert.equal(refusal[0], 'IN_USE');
  assert.match(refusal[1], /keylatch\/tabs/);
  await first.close();
  assert.equal(await second.evaluate(async () => (await keylatch.open({ name: 'one' })).ping()), 'PONG');
});

test('a compaction in chunks, and 100,000 keys again', async () => {
  const page = await open();
  const digests = await page.evaluate(async () => {
    const db = await keylatch.open({ name: 'large' });
    for (let key = 0; key < 100_000; key += 1) db.set(`key:${key}`, `value ${key}`);
    await db.rewrite();
    db.set('behind', 'it');
    const digest = db.digestAll();
    await db.close();
    const again = await keylatch.open({ name: 'large' });
    const { snapshotBytes } = again.persistence;
    const found = again.digestAll();
    await again.close();
    return { digest, found, snapshotBytes };
  });
  assert.equal(digests.found, digests.digest);
  assert.ok(digests.snapshotBytes > 1024 * 1024, `${digests.snapshotBytes} bytes`);
});

test('the quota of the browser is used up: an error of its own, and writing goes on when there is room', async () => {
  // Chromium remembers the room of an origin for a while: it is set before anything is stored.
  const own = await startSite();
  const page = await own.open();
  const session = await own.context.newCDPSession(page);
  await session.send('Storage.overrideQuotaForOrigin', { origin: own.origin, quotaSize: 200_000 });
  const refusal = await page.evaluate(async () => {
    globalThis.db = await keylatch.open({ name: 'quota' });
    globalThis.states = [];
    db.onPersistence(({ state, error }) => states.push([state, error?.code ?? null]));
    // The write that crosses the limit passes.
    for (let key = 0; key < 10; key += 1) {
      db.set(`large ${key}`, crypto.getRandomValues(new Uint8Array(60_000)));
      const failure = await db.flush().catch(({ code, message }) => [code, message]);
      if (failure) return failure;
    }
    return [];
  });
  assert.equal(refusal[0], 'QUOTA', String(refusal));
  assert.match(refusal[1], /navigator\.storage\.persist/);
  await session.send('Storage.overrideQuotaForOrigin', { origin: own.origin });
  await page.waitForFunction(() => states.at(-1)[0] === 'running');
  await page.evaluate(() => db.flush());
  const states = await page.evaluate(() => globalThis.states);
  assert.deepEqual(states, [
    ['failed', 'QUOTA'],
    ['running', null],
  ]);
  await own.stop();
});

test('the user clears site data: the store is lost, and the page keeps what is in memory', async () => {
  const page = await open();
  await page.evaluate(async () => {
    globalThis.db = await keylatch.open({ name: 'cleared' });
    db.set('k', 'v');
    await db.flush();
    globalThis.lost = new Promise((resolve) => db.onPersistence(({ state, error }) => resolve([state, error.code])));
  });
  const session = await site.context.newCDPSession(page);
  await session.send('Storage.clearDataForOrigin', { origin: site.origin, storageTypes: 'indexeddb' });
  assert.deepEqual(await page.evaluate(() => lost), ['lost', 'LOST']);
  assert.equal(await page.evaluate(() => db.get('k')), 'v');
});

/** Leaves a page in one of the ways of a visitor, and returns one of the same site. */
async function left(page, way) {
  if (way === 'navigate') await page.goto(`${site.origin}/fixtures/package.html?next`);
  if (way === 'reload') await page.reload();
  if (way === 'close') {
    await page.close({ runBeforeUnload: true });
    await page.waitForEvent('close').catch(() => {});
    return open();
  }
  await page.waitForFunction(() => globalThis.keylatch !== undefined);
  return page;
}

for (const way of ['navigate', 'reload', 'close'])
  test(`the last writes are kept when the page is left by ${way}, also those of its pagehide listener`, async () => {
    const page = await open();
    await page.evaluate(async (name) => {
      const db = await keylatch.open({ name });
      addEventListener('pagehide', () => db.set('while leaving', 1), true);
      const { port1, port2 } = new MessageChannel();
      let n = 0;
      port1.onmessage = () => {
        n += 1;
        db.set('n', n);
        localStorage.setItem(name, n);
        port2.postMessage(0);
      };
      port2.postMessage(0);
    }, way);
    await new Promise((resolve) => setTimeout(resolve, 200));
    const next = await left(page, way);
    const [written, ...kept] = await next.evaluate(async (name) => {
      const db = await keylatch.open({ name });
      const values = [localStorage.getItem(name), ...db.mget('n', 'while leaving')];
      await db.close();
      return values;
    }, way);
    assert.ok(Number(written) > 0);
    const [count, leaving] = kept;
    assert.equal(leaving, '1');
    // The last task of a page that is closed may end between its two writes.
    const extra = Number(count) - Number(written);
    assert.ok(extra >= 0 && extra <= 1, `${written} written, ${count} kept`);
  });

test('a page that is left keeps its last writes in localStorage; the next page moves them into IndexedDB', async () => {
  const page = await open();
  await page.evaluate(async () => {
    const db = await keylatch.open({ name: 'tail' });
    db.set('flushed', 1);
    await db.flush();
    // Some browsers drop transactions of a page that is left.
    addEventListener('pagehide', () => {
      IDBTransaction.prototype.commit = function () {
        this.abort();
      };
    });
    db.set('last', 'x'.repeat(50_000));
    document.addEventListener('visibilitychange', () => db.set('later', 1));
    globalThis.db = db;
  });
  const next = await left(page, 'reload');
  const read = () =>
    next.evaluate(async () => {
      const tail = localStorage.getItem('keylatch:tail:tail');
      const db = await keylatch.open({ name: 'tail' });
      const found = [tail !== null, db.mget('flushed', 'later'), db.strlen('last')];
      await db.close();
      return found;
    });
  assert.deepEqual(await read(), [true, ['1', '1'], 50_000]);
  assert.deepEqual(await read(), [false, ['1', '1'], 50_000]);
});
