// The inspector: reading keys leaves no trace, and many keys and large values cost only what is on the screen.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { eventually, heard, say, start } from './page.js';
import { assertFigure, LONGEST_TASK_MS, longestTask } from './tasks.js';

const MANY = 100_000;

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

const row = (label) => page.locator(`kl-key-panel [data-label="${label}"]`);
const names = () => page.locator('kl-key-panel li:not(.gone) .name').allTextContents();
const detail = () => page.locator('kl-key-detail');
const count = () => page.locator('kl-key-panel .count').textContent();
const order = (name) => page.locator('kl-key-panel').getByRole('button', { name, exact: true }).click();
const lastReply = async () =>
  (await heard(page))
    .findLast((entry) => entry.startsWith('keylatch'))
    .split('\n')
    .slice(1)
    .join('\n');
const cells = () =>
  page
    .locator('kl-value-table .body .line')
    .evaluateAll((lines) =>
      lines.map((line) => [...line.querySelectorAll('[role=gridcell]')].map((cell) => cell.textContent.trim())),
    );

/** Writes keys without typing: what is tested is how they are shown. */
async function fill(command) {
  await page.evaluate((words) => {
    const { workspace } = document.querySelector('kl-app').playground;
    workspace.runLine(words);
  }, command);
}

const pairs = (many, pair) => Array.from({ length: many }, (_, index) => pair(index)).join(' ');

test('looking at a key leaves no trace: no hit, no use, nothing in MONITOR, CLIENT LIST and INFO', async () => {
  await page.getByRole('button', { name: 'Paused' }).click();
  await say(page, 'SET door me');
  await say(page, 'HSET user name Ann');
  await say(page, '@ +60s');
  await page.getByRole('button', { name: 'Client' }).click();
  await say(page, 'MONITOR');
  await page.locator('kl-client-picker label', { hasText: 'keylatch' }).click();
  await say(page, 'INFO stats');
  const before = await lastReply();
  for (const label of ['door', 'user']) {
    await row(label).click();
    await detail().locator('h3', { hasText: label }).waitFor();
  }
  await order('Tree');
  await say(page, 'INFO stats');
  const commands = (info) => Number(/total_commands_processed:(\d+)/.exec(info)[1]);
  const after = await lastReply();
  assert.equal(commands(after), commands(before) + 1);
  for (const name of ['keyspace_hits', 'keyspace_misses']) {
    const figure = new RegExp(`${name}:\\d+`);
    assert.equal(figure.exec(after)[0], figure.exec(before)[0]);
  }
  await say(page, 'OBJECT IDLETIME door');
  assert.equal(await lastReply(), '(integer) 60');
  await say(page, 'CLIENT LIST');
  const clients = (await lastReply()).match(/ name=\w*/g);
  assert.deepEqual(clients, [' name=keylatch', ' name=C2']);
  const monitored = (await heard(page)).filter((entry) => entry.startsWith('C2<')).join('\n');
  assert.match(monitored, /OBJECT/);
  assert.doesNotMatch(monitored, /GETRANGE|HGETALL|HKEYS|SETNAME|SELECT|SCAN|TYPE|TTL/i);
});

test('one hundred thousand keys: all counted and filtered, the next expiry on top, a screenful on the page', async () => {
  await fill(`MSET ${pairs(MANY, (index) => `user:${index}:name ${index}`)}`);
  await fill('SET user:77777:lock me EX 30');
  await fill('SET user:5:lock me EX 3000');
  await page.getByText('100,002 in db0').waitFor();
  await order('Expiry');
  assert.deepEqual((await names()).slice(0, 3), ['user:77777:lock', 'user:5:lock', 'user:0:name']);
  assert.ok((await page.locator('kl-key-panel li').count()) < 60);
  await page.getByLabel('Filter the keys').fill('user:7777?:*');
  assert.equal(await count(), '11 of 100,002 in db0');
  await page.getByLabel('Filter the keys').fill('99999');
  assert.deepEqual(await names(), ['user:99999:name']);
  await page.getByLabel('Filter the keys').fill('');
  await order('Name');
  await row('user:0:name').focus();
  await page.keyboard.press('End');
  assert.equal((await names()).at(-1), 'user:9:name');
  await page.keyboard.press('ArrowUp');
  assert.equal(await page.locator('kl-key-panel li button:focus .name').textContent(), 'user:99:name');
  await say(page, 'FLUSHALL');
  await page.getByText('No keys yet.').waitFor();
  assert.equal(await count(), '0 in db0');
});

test('no task is long among one hundred thousand keys', async () => {
  for (let part = 0; part < 10; part += 1)
    await fill(`MSET ${pairs(MANY / 10, (index) => `user:${part}:${index} ${index}`)}`);
  await page.getByText('100,000 in db0').waitFor();
  const filter = page.getByLabel('Filter the keys');
  const scroll = page.locator('kl-key-rows .scroll');
  const actions = {
    'sorting by expiry': () => order('Expiry'),
    'a tree': () => order('Tree'),
    'a folder of 10,000 keys': async () => {
      await page.locator('[data-prefix="user:"]').click();
      await page.locator('[data-prefix="user:0:"]').click();
    },
    'sorting by name': () => order('Name'),
    scrolling: () =>
      scroll.evaluate(async (box) => {
        for (let at = 0; at < 20; at += 1) {
          box.scrollTop += 90_000;
          await new Promise((done) => requestAnimationFrame(done));
        }
      }),
    'a text filter': () => filter.fill('99'),
    'a pattern': () => filter.fill('user:*:1*'),
    'a write': () => fill('SET user:0:0 changed EX 100'),
    FLUSHALL: () => fill('FLUSHALL'),
  };
  for (const [name, action] of Object.entries(actions)) {
    assertFigure(`longest task of ${name}`, await longestTask(page, action, 300), LONGEST_TASK_MS);
  }
});

test('the countdown among many keys repaints only its own cells', async () => {
  await fill(`MSET ${pairs(MANY, (index) => `k:${index} ${index}`)}`);
  await page.getByText('100,000 in db0').waitFor();
  await fill('SET a 1 EX 9');
  await page.waitForTimeout(1500);
  const changed = await page.evaluate(async () => {
    const rows = document
      .querySelector('kl-app')
      .shadowRoot.querySelector('kl-line-view')
      .shadowRoot.querySelector('kl-key-panel')
      .shadowRoot.querySelector('kl-key-rows').shadowRoot;
    const targets = new Set();
    const observer = new MutationObserver((changes) => changes.forEach(({ target }) => targets.add(target.className)));
    observer.observe(rows, { subtree: true, childList: true, attributes: true, characterData: true });
    await new Promise((done) => setTimeout(done, 500));
    observer.disconnect();
    return [...targets];
  });
  assert.ok(changed.length > 0 && changed.every((name) => /left|fuse/.test(name)), changed.join());
  const session = await visitor.context.newCDPSession(page);
  await session.send('Performance.enable', { timeDomain: 'threadTicks' });
  const busy = async () => {
    const { metrics } = await session.send('Performance.getMetrics');
    const of = (name) => metrics.find((metric) => metric.name === name).value;
    return { task: of('TaskDuration'), at: of('Timestamp') };
  };
  const first = await busy();
  await page.waitForTimeout(4000);
  const last = await busy();
  const share = (100 * (last.task - first.task)) / (last.at - first.at);
  assertFigure(`countdown among ${MANY} keys`, share, 5, '% of a core');
});

test('a tree by colons: folders count their keys and open by click and arrow', async () => {
  for (const text of ['MSET user:1:name Ann user:1:mail a user:2:name Bob plain 1', 'SET user: x'])
    await say(page, text);
  await order('Tree');
  const texts = () =>
    page.locator('kl-key-panel li').evaluateAll((all) => all.map((one) => one.innerText.replace(/\s+/g, ' ').trim()));
  assert.deepEqual(await texts(), ['str plain 1 B', 'user: 4 keys']);
  await page.locator('kl-key-panel [data-prefix="user:"]').click();
  assert.deepEqual((await texts()).slice(1), ['user: 4 keys', 'str user: 1 B', '1: 2 keys', '2: 1 key']);
  await page.locator('kl-key-panel [data-prefix="user:1:"]').focus();
  await page.keyboard.press('ArrowRight');
  assert.deepEqual((await texts()).slice(4, 6), ['str mail 1 B', 'str name 3 B']);
  await page.keyboard.press('ArrowLeft');
  assert.equal((await texts()).length, 5);
});

test('elements stand in tables, with deadlines of fields; a hash with such fields says so in the list', async () => {
  await page.getByRole('button', { name: 'Paused' }).click();
  await say(page, 'HSET user name Ann token t');
  await say(page, 'HEXPIRE user 60 FIELDS 1 token');
  await say(page, 'RPUSH queue a b');
  await say(page, 'ZADD board 2.5 bob 1 ann');
  await say(page, 'SADD tags x');
  assert.match(await row('user').textContent(), /field\s*1 m 00 s/);
  await row('user').click();
  await eventually(cells, [
    ['name', 'Ann', ''],
    ['token', 't', '1 m 00 s'],
  ]);
  await row('queue').click();
  await eventually(cells, [
    ['0', 'a'],
    ['1', 'b'],
  ]);
  await row('board').click();
  await eventually(cells, [
    ['ann', '1'],
    ['bob', '2.5'],
  ]);
  await row('tags').click();
  await eventually(cells, [['x']]);
});

test('a large list is read where it is looked at', async () => {
  await fill(`RPUSH long ${pairs(50_000, (index) => `e${index}`)}`);
  await row('long').click();
  await page.locator('kl-value-table .body .line').first().waitFor();
  assert.ok((await cells()).length < 40);
  await page.locator('kl-value-table .body .line').first().focus();
  await page.keyboard.press('End');
  await page.locator('kl-value-table .line:focus').getByText('e49999').waitFor();
});

test('a string as text, JSON and bytes; sketches say what they count', async () => {
  await say(page, 'SET settings \'{"a":[1,2]}\'');
  await row('settings').click();
  const value = detail().locator('pre');
  assert.equal(await value.textContent(), '{"a":[1,2]}');
  await detail().getByRole('button', { name: 'JSON' }).click();
  assert.equal(await value.textContent(), '{\n  "a": [\n    1,\n    2\n  ]\n}');
  await detail().getByRole('button', { name: 'Hex' }).click();
  assert.match(await value.textContent(), /^000000 {2}7b 22 61 22 3a 5b 31 2c 32 5d 7d +\{"a":\[1,2\]\}$/);
  await say(page, 'PFADD visitors ann bob cleo');
  await row('visitors').click();
  await page.getByText('A HyperLogLog of about 3 distinct elements.').waitFor();
  await fill(`PFADD crowd ${pairs(5000, (index) => `v${index}`)}`);
  await say(page, 'PFCOUNT crowd');
  const [estimate] = /\d+/.exec(await lastReply());
  await row('crowd').click();
  await page.getByText(`A HyperLogLog of about ${Number(estimate).toLocaleString('en')} distinct elements.`).waitFor();
  await detail().getByRole('button', { name: 'Text' }).click();
  await fill(`SET long ${'x'.repeat(100_000)}`);
  await row('long').click();
  await page.getByText('The first 4,096 of 100,000 bytes.').waitFor();
  await detail().getByRole('button', { name: 'Show more' }).click();
  assert.equal((await value.textContent()).length, 65_536);
});

test('editing shows the command that it runs, and keeps deadlines', async () => {
  await page.getByRole('button', { name: 'Paused' }).click();
  await say(page, 'HSET user name Ann token t');
  await say(page, 'HEXPIRE user 60 FIELDS 1 token');
  await row('user').click();
  const command = () => detail().locator('.command').textContent();
  await page.locator('kl-value-table .line', { hasText: 'Ann' }).click();
  await detail().getByLabel('Value').fill('Ann Lee');
  assert.equal(await command(), 'HSET user name "Ann Lee"');
  await detail().getByRole('button', { name: 'Run' }).click();
  assert.equal((await heard(page)).at(-1), 'keys> HSET user name "Ann Lee"\n(integer) 0');
  await page.locator('kl-value-table .line', { hasText: 'token' }).click();
  await detail().getByLabel('Value').fill('u');
  await detail().getByRole('button', { name: 'Run' }).click();
  assert.equal((await heard(page)).at(-1), 'keys> HSETEX user KEEPTTL FIELDS 1 token u\n(integer) 1');
  await eventually(cells, [
    ['name', 'Ann Lee', ''],
    ['token', 'u', '1 m 00 s'],
  ]);
  await page.locator('kl-value-table .line', { hasText: 'name' }).click();
  await detail().getByRole('button', { name: 'Remove' }).click();
  assert.equal((await heard(page)).at(-1), 'keys> HDEL user name\n(integer) 1');
  await detail().getByRole('button', { name: 'Add an element' }).click();
  await detail().getByLabel('Field').fill('age');
  await detail().getByLabel('Value').fill('40');
  await detail().getByRole('button', { name: 'Run' }).click();
  assert.equal((await heard(page)).at(-1), 'keys> HSET user age 40\n(integer) 1');
  await say(page, 'SET door me PX 60000');
  await row('door').click();
  await detail().getByRole('button', { name: 'Edit the value' }).click();
  await detail().getByLabel('Value', { exact: true }).last().fill('you');
  await detail().getByRole('button', { name: 'Run' }).click();
  assert.equal((await heard(page)).at(-1), 'keys> SET door you KEEPTTL\nOK');
  await say(page, 'PTTL door');
  assert.equal(await lastReply(), '(integer) 60000');
});

test('databases swapped or filled by another client are followed', async () => {
  await say(page, 'SET here 1');
  await say(page, 'SELECT 1');
  await say(page, 'SET there 1');
  await say(page, 'SWAPDB 0 1');
  assert.deepEqual(await names(), ['here']);
  await say(page, 'MULTI');
  await say(page, 'SWAPDB 0 1');
  assert.deepEqual(await names(), ['here']);
  await say(page, 'EXEC');
  assert.deepEqual(await names(), ['there']);
});

test('a key that disappears does not take the focus with it', async () => {
  await say(page, 'SET a 1 PX 700');
  await say(page, 'SET b 1');
  await row('a').focus();
  await row('a').waitFor({ state: 'detached' });
  assert.equal(await row('b').evaluate((button) => button.matches(':focus')), true);
  await page.keyboard.press('Delete');
  await row('b').waitFor({ state: 'detached' });
  const focused = await page.evaluate(() => document.activeElement?.tagName);
  assert.notEqual(focused, 'BODY');
});

/** True when all of an element lies within another one. */
async function isWithin(inner, outer) {
  const [small, large] = [await inner.boundingBox(), await outer.boundingBox()];
  return small.y >= large.y && small.y + small.height <= large.y + large.height;
}

test('an edited field has its command and its button in view', async () => {
  await say(page, 'HSET user name Ann age 7 city Rome lang it mail a@b.c role admin');
  await row('user').click();
  for (const [width, height] of [
    [1280, 800],
    [1440, 900],
  ]) {
    await page.setViewportSize({ width, height });
    await page.locator('kl-value-table .line', { hasText: 'Ann' }).click();
    const panel = page.locator('kl-key-panel section');
    for (const part of [detail().locator('.command'), detail().getByRole('button', { name: 'Run' })])
      assert.ok(await isWithin(part, panel), `${width}: ${part}`);
    await detail().getByRole('button', { name: 'Cancel' }).click();
  }
});

test('on a small screen a chosen key is scrolled into view, and its row keeps the focus', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  await fill('HSET user name Ann age 7 city Rome');
  await row('user').scrollIntoViewIfNeeded();
  await row('user').click();
  await detail().locator('.line', { hasText: 'Rome' }).waitFor();
  await page.waitForFunction(() => {
    const panel = document.querySelector('kl-app').shadowRoot.querySelector('kl-line-view').shadowRoot;
    const { shadowRoot } = panel.querySelector('kl-key-panel');
    return shadowRoot.querySelector('kl-key-detail').getBoundingClientRect().bottom <= innerHeight + 1;
  });
  assert.equal(await row('user').evaluate((element) => element.getRootNode().activeElement === element), true);
});
