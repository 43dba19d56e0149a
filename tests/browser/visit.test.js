// From visit to visit: the keys and the command line come back; two tabs; storage that fails or is damaged.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { heard, say, start } from './page.js';

let browser;
let visitor;
let page;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open();
  page = visitor.page;
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const started = (tab) => tab.locator('html[data-ready]').waitFor({ state: 'attached' });
const bar = (tab = page) => tab.locator('kl-visit-bar');

/** Reloads after the state was saved. */
async function comeBack() {
  await page.waitForTimeout(600);
  await page.reload();
  await started(page);
}

test('after a reload the keys, clients, clock and log are there, and the log still opens as a session', async () => {
  await say(page, 'SET door me PX 60000');
  await say(page, 'SADD colours red green blue');
  await page.getByRole('button', { name: 'Client' }).click();
  await say(page, 'SELECT 3');
  await say(page, 'SET elsewhere 1');
  await say(page, 'CONFIG SET maxmemory 50mb');
  await page.getByRole('button', { name: 'Paused' }).click();
  await say(page, '@ +10s');
  await comeBack();
  await bar().getByText('Your last visit continues: 3 keys are here.').waitFor();
  assert.equal((await heard(page)).at(-1), 'C2[3]> CONFIG SET maxmemory 50mb\nOK');
  await say(page, 'GET elsewhere');
  await say(page, 'CONFIG GET maxmemory');
  assert.deepEqual((await heard(page)).slice(-2), [
    'C2[3]> GET elsewhere\n"1"',
    'C2[3]> CONFIG GET maxmemory\n1) "maxmemory"\n2) "52428800"',
  ]);
  await page.getByText('keylatch', { exact: true }).last().click();
  await say(page, 'PTTL door');
  const [, ttl] = /\(integer\) (\d+)/.exec((await heard(page)).at(-1));
  assert.ok(Number(ttl) > 20_000 && Number(ttl) <= 50_000, `${ttl} ms: the clock stood still`);
  await say(page, 'SPOP colours');
  assert.equal(await bar().getByRole('button').count(), 0, 'the first command is an answer');
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.locator('kl-session-view .summary.good').waitFor();
  assert.match(await page.locator('kl-editor textarea').inputValue(), /SET door me PX 60000\nOK/);
});

test('keys that were there at clear are the start of the session after a reload, too', async () => {
  await say(page, 'SADD colours red green blue yellow');
  await say(page, 'clear');
  await say(page, 'SCARD colours');
  await comeBack();
  await say(page, 'SMEMBERS colours');
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.locator('kl-session-view .summary.good').waitFor();
  const session = await page.locator('kl-editor textarea').inputValue();
  assert.match(session, /SCARD colours\n\(integer\) 4\n/);
  assert.doesNotMatch(session, /SADD|^\.\.\.$/m);
});

test('a transaction and watched keys end with the visit, and the log says so', async () => {
  await say(page, 'QUIT');
  await say(page, 'SELECT 2');
  await say(page, 'MULTI');
  await say(page, 'SET queued 1');
  await say(page, 'W> WATCH precious');
  await comeBack();
  const notes = page.locator('kl-log .note');
  await notes.getByText('keylatch: MULTI ended with the last visit, and nothing of it has run').waitFor();
  await notes.getByText('W: WATCH ended with the last visit').waitFor();
  await say(page, 'keylatch> SET precious 1');
  await say(page, 'keylatch> EXISTS queued');
  assert.deepEqual((await heard(page)).slice(-2), [
    'keylatch[2]> SET precious 1\nOK',
    'keylatch[2]> EXISTS queued\n(integer) 0',
  ]);
  for (const text of ['W> MULTI', 'W> PING', 'W> EXEC']) await say(page, text);
  assert.equal((await heard(page)).at(-1), 'W(TX)> EXEC\n1) PONG');
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.locator('kl-session-view .summary.good').waitFor();
  const session = await page.locator('kl-editor textarea').inputValue();
  assert.match(session, /keylatch-2> DISCARD\nOK/);
  assert.match(session, /W> UNWATCH\nOK/);
});

test('subscriptions and commands that wait go on after a reload, with their deadlines', async () => {
  await page.getByRole('button', { name: 'Paused' }).click();
  await say(page, 'S> SUBSCRIBE news');
  await say(page, 'B> BLPOP queue 0');
  await say(page, 'D> BLPOP queue 60');
  await say(page, 'keylatch> @ +20s');
  await comeBack();
  await say(page, 'keylatch> PUBLISH news hello');
  await say(page, 'keylatch> RPUSH queue one');
  await say(page, '@ +39s');
  assert.deepEqual((await heard(page)).slice(-4), [
    'keylatch> PUBLISH news hello\n(integer) 1',
    'S< \n1) "message"\n2) "news"\n3) "hello"',
    'keylatch> RPUSH queue one\n(integer) 1',
    'B< \n1) "queue"\n2) "one"',
  ]);
  await say(page, '@ +1s');
  assert.equal((await heard(page)).at(-1), 'D< \n(nil)');
  await page.getByRole('button', { name: 'Open as session' }).click();
  await page.locator('kl-session-view .summary.good').waitFor();
  assert.doesNotMatch(await page.locator('kl-editor textarea').inputValue(), /^\.\.\.$/m);
});

test('Start fresh empties the command line, and can be undone', async () => {
  await say(page, 'SET kept 1');
  await say(page, 'SELECT 1');
  await comeBack();
  await bar().getByRole('button', { name: 'Start fresh' }).click();
  await say(page, 'DBSIZE');
  assert.deepEqual(await heard(page), ['keylatch> DBSIZE\n(integer) 0']);
  await bar().getByRole('button', { name: 'Undo' }).click();
  await say(page, 'SELECT 0');
  await say(page, 'GET kept');
  assert.equal((await heard(page)).at(-1), 'keylatch> GET kept\n"1"');
  await comeBack();
  await bar().getByRole('button', { name: 'Start fresh' }).click();
  await comeBack();
  await say(page, 'DBSIZE');
  assert.equal((await heard(page)).at(-1), 'keylatch> DBSIZE\n(integer) 0');
});

/** Opens another tab of the same profile. */
async function anotherTab(hash = '') {
  await page.waitForTimeout(600);
  const tab = await visitor.context.newPage();
  await tab.goto(browser.address + hash);
  await started(tab);
  return tab;
}

test('a second tab can be read, its prompt is off, and it takes over', async () => {
  await say(page, 'SET lock mine');
  const tab = await anotherTab();
  await bar(tab).getByText('Another tab has this command line').waitFor();
  assert.deepEqual(await tab.locator('kl-key-panel .key .name').allTextContents(), ['lock']);
  assert.equal(await tab.locator('kl-prompt textarea').isEnabled(), false);
  assert.equal(await tab.getByRole('button', { name: 'Run', exact: true }).count(), 0);
  await tab.locator('kl-prompt').getByRole('button', { name: 'Take over' }).click();
  await bar(tab).getByText('Your last visit continues').waitFor();
  await say(tab, 'GET lock');
  assert.equal((await heard(tab)).at(-1), 'keylatch> GET lock\n"mine"');
  await bar().getByText('Another tab has this command line').waitFor();
  assert.equal(await page.locator('kl-prompt textarea').isEnabled(), false);
});

test('links, sessions and Continue run in a second tab on an engine of its own', async () => {
  await say(page, 'SET lock mine');
  const tab = await anotherTab('#s=> SET theirs 1&view=line');
  await bar(tab).getByText("This command line is this tab's own").waitFor();
  await say(tab, 'KEYS *');
  assert.equal((await heard(tab)).at(-1), 'keylatch> KEYS *\n1) "theirs"');
  await tab.evaluate(() => (location.hash = 'lesson=04-deleting-each-other'));
  await tab.getByRole('button', { name: 'Continue in the command line' }).click();
  await bar(tab).getByRole('button', { name: 'Undo' }).click();
  await say(tab, 'GET theirs');
  assert.equal((await heard(tab)).at(-1), 'keylatch> GET theirs\n"1"');
  await say(page, 'KEYS *');
  assert.equal((await heard(page)).at(-1), 'keylatch> KEYS *\n1) "lock"');
});

test('Continue keeps the keys and the log that it replaces, also over a reload', async () => {
  await say(page, 'SET precious 1');
  await page.evaluate(() => (location.hash = 'lesson=04-deleting-each-other'));
  await page.getByRole('button', { name: 'Continue in the command line' }).click();
  await say(page, 'keylatch> GET precious');
  assert.equal((await heard(page)).at(-1), 'keylatch> GET precious\n(nil)');
  await comeBack();
  await bar().getByText('The session continues here.').waitFor();
  await bar().getByRole('button', { name: 'Undo' }).click();
  assert.deepEqual(await heard(page), ['keylatch> SET precious 1\nOK']);
  await say(page, 'GET precious');
  assert.equal((await heard(page)).at(-1), 'keylatch> GET precious\n"1"');
  await bar().getByRole('button', { name: 'Undo' }).click();
  assert.equal((await heard(page)).at(-1), 'keylatch> GET precious\n(nil)');
  await bar().getByRole('button', { name: 'Undo' }).click();
  await bar().getByRole('button', { name: 'Close' }).click();
  await comeBack();
  assert.equal(await bar().getByRole('button', { name: 'Undo' }).count(), 0);
});

test('a tab that does not answer is not robbed', async () => {
  await say(page, 'SET lock mine');
  const tab = await visitor.context.newPage();
  await tab.addInitScript(() => (BroadcastChannel.prototype.postMessage = () => undefined));
  await tab.goto(browser.address);
  await started(tab);
  await bar(tab).getByRole('button', { name: 'Take over' }).click();
  await bar(tab).getByText('The other tab does not answer').waitFor();
  await say(page, 'GET lock');
  assert.equal((await heard(page)).at(-1), 'keylatch> GET lock\n"mine"');
});

test('without storage the command line works, and says that nothing is kept', async () => {
  // This tab would have the keys.
  await page.goto('about:blank');
  const closed = await visitor.context.newPage();
  await closed.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('forbidden', 'SecurityError');
    };
  });
  await closed.goto(browser.address);
  await started(closed);
  await bar(closed).getByText('This browser keeps nothing for this page').waitFor();
  await say(closed, 'PING');
  assert.deepEqual(await heard(closed), ['keylatch> PING\nPONG']);
});

test('kept keys that are damaged are left as they are, and the page works on', async () => {
  await say(page, 'SET precious 1');
  await page.waitForTimeout(600);
  const damaged = await page.evaluate(async () => {
    const names = (await indexedDB.databases()).map(({ name }) => name).filter((name) => name !== 'keylatch-page');
    const open = indexedDB.open(names[0]);
    await new Promise((done) => (open.onsuccess = done));
    const database = open.result;
    const flipped = (value) => {
      if (value instanceof ArrayBuffer) return flipped(new Uint8Array(value)).buffer;
      if (ArrayBuffer.isView(value)) return value.map((byte, index) => (index === 12 ? byte ^ 0xff : byte));
      if (value && typeof value === 'object')
        return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, flipped(part)]));
      return value;
    };
    let count = 0;
    for (const store of database.objectStoreNames) {
      const transaction = database.transaction(store, 'readwrite');
      transaction.objectStore(store).openCursor().onsuccess = ({ target: { result: cursor } }) => {
        if (!cursor) return;
        const next = flipped(cursor.value);
        if (JSON.stringify(next) !== JSON.stringify(cursor.value)) count += 1;
        cursor.update(next);
        cursor.continue();
      };
      await new Promise((done) => (transaction.oncomplete = done));
    }
    database.close();
    return count;
  });
  assert.ok(damaged > 0);
  await page.reload();
  await started(page);
  await bar().getByText('cannot be opened').waitFor();
  await say(page, 'DBSIZE');
  assert.equal((await heard(page)).at(-1), 'keylatch> DBSIZE\n(integer) 0');
});

test('a link to the command line does not replace the keys of the last visit', async () => {
  await say(page, 'SET mine 1');
  await page.waitForTimeout(600);
  await page.goto('about:blank');
  await page.goto(`${browser.address}#s=> SET theirs 1&view=line`);
  await page.locator('kl-session-view .summary').waitFor();
  await page.evaluate(() => (location.hash = ''));
  await say(page, 'KEYS *');
  assert.equal((await heard(page)).at(-1), 'keylatch> KEYS *\n1) "mine"');
});
