// The session view: lessons, pasted transcripts, mismatches, time travel, sharing.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { heard, start } from './page.js';
import { listed, picker, waitForLesson } from './picker.js';

const FILES = readdirSync(new URL('../../www/lessons/', import.meta.url));
const LESSONS = FILES.filter((file) => file.endsWith('.session')).map((file) => file.replace(/\.session$/, ''));

let browser;
let visitor;
let page;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open('#new');
  page = visitor.page;
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const text = () => page.locator('kl-editor textarea');
const summary = () => page.locator('kl-session-view .summary').textContent();
const verdicts = () =>
  page
    .locator('kl-timeline .said')
    .evaluateAll((steps) =>
      steps.map((step) => ['matched', 'mismatched', 'ran'].find((name) => step.classList.contains(name))),
    );

async function go(hash) {
  await page.evaluate((wanted) => (location.hash = wanted), hash);
}

async function write(session) {
  await text().fill(session);
  await text().press('Control+Enter');
}

test('every lesson opens in the page and passes', async () => {
  assert.ok(LESSONS.length >= 12);
  for (const lesson of LESSONS) {
    await go(`lesson=${lesson}`);
    await waitForLesson(page, lesson);
    // Lessons about scripts wait for the engine with Lua.
    await page.locator('kl-session-view .summary', { hasText: 'all as expected' }).waitFor();
    assert.ok((await page.locator('kl-timeline h2').count()) > 0, `${lesson} has a heading`);
  }
});

test('the list of sessions is searched and used with the keyboard alone', async () => {
  await picker(page).focus();
  await page.keyboard.press('Enter');
  await page.keyboard.type('twice arrives');
  const found = page.locator('kl-session-picker section a');
  assert.deepEqual(await found.allTextContents(), ['11. The message that arrives twice']);
  await page.keyboard.press('Escape');
  assert.equal(await found.count(), 0);
  assert.ok(await picker(page).evaluate((button) => button.getRootNode().activeElement === button));
  await page.keyboard.press('Enter');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  const second = await found.nth(1).textContent();
  await page.keyboard.press('Enter');
  await picker(page).filter({ hasText: second }).waitFor();
  assert.match(await picker(page).textContent(), /^\s*Session or lesson: 2\. /);
});

test('recipes are a group of their own, and follow the lessons', async () => {
  const namesOf = async (group) => {
    return (await listed(page, group)).map(({ href }) => href.slice('#lesson='.length));
  };
  const isRecipe = (name) => name.includes('-recipe-');
  const isTask = (name) => name.includes('-task-');
  await go(`lesson=${LESSONS[0]}`);
  await page.getByRole('link', { name: /^Next lesson/ }).waitFor();
  assert.deepEqual(
    await namesOf('Lessons'),
    LESSONS.filter((name) => !isRecipe(name) && !isTask(name)),
  );
  assert.deepEqual(await namesOf('Recipes on plain commands'), LESSONS.filter(isRecipe));
  assert.deepEqual(await namesOf('Tasks'), LESSONS.filter(isTask));
  await go('lesson=36-scripting-atomic');
  await page.getByRole('link', { name: 'Next recipe: Names of locks' }).click();
  await page.getByRole('heading', { name: 'Recipe: names of locks' }).waitFor();
});

test('documentation transcripts run unchanged, indented and with server prompts', async () => {
  await write('    redis> SET key1 "Hello"\n    "OK"\n    redis> GET nonexisting\n    (nil)\n');
  assert.match(await summary(), /1 of 2 checked steps differ/);
  await write('127.0.0.1:6379> MSET a 1 b 2\nOK\n127.0.0.1:6379> MGET a b nope\n1) "1"\n2) "2"\n3) (nil)\n(0.01s)\n');
  assert.match(await summary(), /2 checked, all as expected/);
});

test('a mismatch stands beside what came; filling in the replies mends it', async () => {
  await write('> SET k v\nOK\n> GET k\n(nil)\n> GET k\n');
  assert.deepEqual(await verdicts(), ['matched', 'mismatched', 'ran']);
  assert.match(await summary(), /1 of 2 checked steps differ/);
  const difference = page.locator('kl-timeline .difference dd pre');
  assert.deepEqual(await difference.allTextContents(), ['(nil)', '"v"']);
  assert.equal(await page.locator('kl-editor .line.mismatched .rest').textContent(), ' GET k');
  await page.getByRole('button', { name: 'Fill in replies' }).click();
  assert.deepEqual(await verdicts(), ['matched', 'matched', 'matched']);
  assert.match(await text().inputValue(), /> GET k\n"v"\n/);
});

test('an event that did not happen stands beside those that did', async () => {
  await write('> SET k v PX 5\nOK\n@ +6ms\n! expired other\n');
  const difference = page.locator('kl-timeline .clock.mismatched dd pre');
  assert.deepEqual(await difference.allTextContents(), ['expired other', 'expired k']);
});

test('clients stand side by side, in lanes', async () => {
  await write('A> SET lock a NX\nOK\nB> SET lock b NX\n(nil)\nA> DEL lock\n(integer) 1\n');
  assert.deepEqual(await page.locator('kl-timeline .names span').allTextContents(), ['A', 'B']);
  const lanes = await page.locator('kl-timeline .said').evaluateAll((steps) => steps.map((step) => step.dataset.lane));
  assert.deepEqual(lanes, ['1', '2', '1']);
  const lefts = await page
    .locator('kl-timeline .said')
    .evaluateAll((steps) => steps.map((step) => Math.round(step.getBoundingClientRect().left)));
  assert.ok(lefts[1] > lefts[0] && lefts[0] === lefts[2]);
});

test('a text that is no session is an error with line and column', async () => {
  await write('# fine\nOK\n> PING\nPONG\n');
  assert.match(await summary(), /^Line 2, column 1: /);
  assert.equal(await page.locator('kl-editor .line.problem .number').textContent(), '!');
  await write('> PING\nPONG\n');
  assert.match(await summary(), /all as expected/);
});

test('time travel: the keys are those of the step that is looked at', async () => {
  await write('> SET k 1 PX 5000\nOK\n> INCR k\n(integer) 2\n@ +5001ms\n! expired k\n> EXISTS k\n(integer) 0\n');
  const keys = page.locator('kl-key-panel li .name');
  assert.equal(await keys.count(), 0);
  await page.getByRole('button', { name: 'To the start' }).click();
  assert.match(await page.locator('kl-scrubber output').textContent(), /Step 0 of 4, 00:00:00.000/);
  await page.getByRole('button', { name: 'Next step' }).click();
  await page.getByRole('button', { name: 'Next step' }).click();
  assert.deepEqual(await keys.allTextContents(), ['k']);
  await page.locator('kl-key-panel .key').click();
  assert.equal(await page.locator('kl-key-detail pre').textContent(), '2');
  assert.equal(await page.locator('kl-key-detail form').count(), 0, 'keys of the past can only be looked at');
  await page.getByRole('button', { name: 'Next step' }).click();
  assert.equal(await keys.count(), 0);
  assert.equal(await page.locator('kl-timeline .future').count(), 1);
  await page.getByLabel('Step', { exact: true }).fill('1');
  assert.equal(await keys.count(), 1);
});

test('a restless hand on the slider wears nothing out', async () => {
  await go('lesson=09-renewal');
  const slider = page.getByLabel('Step', { exact: true });
  await slider.waitFor();
  await slider.evaluate(async (input) => {
    for (let count = 0; count < 600; count += 1) {
      input.value = String(count % 17);
      input.dispatchEvent(new Event('input'));
      if (count % 10 === 0) await new Promise((done) => setTimeout(done));
    }
  });
  await slider.fill('3');
  assert.match(await page.locator('kl-scrubber output').textContent(), /Step 3 of 22/);
});

test('Ctrl+Shift+Enter runs up to the cursor', async () => {
  await write('> SET a 1\nOK\n> SET b 1\nOK\n');
  await text().press('Control+Home');
  await text().press('Control+Shift+Enter');
  assert.match(await page.locator('kl-scrubber output').textContent(), /Step 1 of 2/);
});

test('going on in the command line keeps the keys, the time and the clients', async () => {
  await write('@ 2030-05-06T07:08:09Z\nA> SET lock a PX 5000\nOK\nB> SET lock b NX\n(nil)\n');
  await page.getByRole('button', { name: 'Continue in the command line' }).click();
  await page.locator('kl-line-view').waitFor();
  assert.deepEqual(await page.locator('kl-client-picker label').allTextContents(), ['keylatch', 'A', 'B']);
  assert.equal(await page.locator('kl-clock-panel time').textContent(), '07:08:09.000');
  const line = page.locator('kl-prompt textarea');
  await line.fill('PTTL lock');
  await line.press('Enter');
  assert.match((await heard(page)).at(-1), /PTTL lock\n\(integer\) 5000$/);
});

test('what acts on a text that was typed just now runs it first', async () => {
  await write('> SET k 1\n');
  const press = (name) =>
    page.evaluate((wanted) => {
      const deep = (root) =>
        [...root.querySelectorAll('*')].flatMap((one) => [one, ...(one.shadowRoot ? deep(one.shadowRoot) : [])]);
      const find = (test) => deep(document).find(test);
      // Both within one task: nothing that waits can run between them.
      const field = find((one) => one.localName === 'textarea' && one.checkVisibility());
      field.value += '> INCR k\n';
      field.dispatchEvent(new InputEvent('input', { bubbles: true, composed: true }));
      find((one) => one.localName === 'button' && one.textContent.trim() === wanted).click();
    }, name);
  await press('Fill in replies');
  assert.equal(await text().inputValue(), '> SET k 1\nOK\n> INCR k\n(integer) 2\n');
  await press('Continue in the command line');
  const line = page.locator('kl-prompt textarea');
  await line.fill('GET k');
  await line.press('Enter');
  assert.match((await heard(page)).at(-1), /GET k\n"3"$/);
});

test('a shared link brings the text back', async () => {
  const session = '## Ümläute\nA> SET lock "→ a" NX\nOK\n';
  await text().fill(session);
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByText('Link copied').waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  assert.match(link, /#size=\d+&v1=[\w-]+&title=/);
  const other = await browser.open(link.slice(link.indexOf('#')));
  await other.page.locator('kl-editor textarea').waitFor();
  assert.equal(await other.page.locator('kl-editor textarea').inputValue(), session);
  assert.match(await other.page.locator('kl-session-view .summary').textContent(), /all as expected/);
  await other.context.close();
});

test('a large transcript waits for Run all', async () => {
  const large = Array.from({ length: 6000 }, (_, index) => `> SET k${index} v\nOK`).join('\n');
  await text().evaluate((area, value) => {
    area.value = value;
    area.dispatchEvent(new Event('input'));
  }, large);
  await page.getByText('press Run all to check it').waitFor();
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.getByText('6000 checked, all as expected').first().waitFor();
});

test('a session that cannot be read has no keys, and says so', async () => {
  await page.evaluate(() => (location.hash = 'new'));
  await page.locator('kl-editor textarea').fill('OK\n');
  await page.locator('kl-session-view .summary.bad').waitFor();
  await page.locator('kl-key-panel', { hasText: /0 in db0[^+]*No keys yet/ }).waitFor();
});
