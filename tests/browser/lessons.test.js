// Lessons with tasks: questions before a reply is uncovered, races to repair, the index by theme, search by intent.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { start } from './page.js';
import { listed, waitForLesson } from './picker.js';

let browser;
let visitor;
let page;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open('#lessons');
  page = visitor.page;
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const text = () => page.locator('kl-editor textarea');
const coach = () => page.locator('kl-lesson-coach');
const step = () => page.locator('kl-scrubber output').textContent();
const goals = () =>
  coach()
    .locator('li')
    .evaluateAll((all) => all.map((goal) => goal.classList.contains('met')));

async function open(lesson) {
  await page.evaluate((name) => (location.hash = `lesson=${name}`), lesson);
  await waitForLesson(page, lesson);
}

async function forward(count) {
  for (let done = 0; done < count; done += 1) await page.getByRole('button', { name: 'Next step' }).first().click();
}

test('a lesson asks before the reply is uncovered, and tells whether the answer is right', async () => {
  await open('02-check-then-set');
  await forward(3);
  await coach().getByText('Both wrote. Which name is in the lock?').waitFor();
  assert.match(await step(), /^Step 4 of 11/);
  const told = page.locator('kl-timeline .prose', { hasText: 'The mistake is the gap' });
  assert.equal(await told.locator('p').isVisible(), false, 'what gives the answer away is covered');
  assert.equal(await page.locator('kl-timeline [data-stop="5"] .answer').isVisible(), false);
  await page.getByLabel('"A"').check();
  await page.keyboard.press('Enter');
  await coach().getByText('Not "A". GET lock replies:').waitFor();
  assert.equal(await coach().locator('.reply').textContent(), '"B"');
  assert.match(await step(), /^Step 5 of 11/);
  assert.equal(await told.locator('p').isVisible(), true);
  await forward(2);
  await page.getByLabel('(integer) 0').check();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await coach().getByText('1 of 2 questions of this lesson answered rightly.').waitFor();
});

test('an answer can be typed, with or without the notation of the reply', async () => {
  await open('06-setnx-then-expire');
  for (const [answer, said] of [
    ['-2', /^Not -2\./],
    ['-1', /^Right\./],
    ['(integer) -1', /^Right\./],
  ]) {
    await page.getByLabel('Step', { exact: true }).fill('0');
    await page.getByLabel('Step', { exact: true }).fill('7');
    await page.getByLabel('The reply to TTL lock').fill(answer);
    await page.keyboard.press('Enter');
    assert.match(await coach().locator('[role=status]').textContent(), said);
  }
});

test('passing on without an answer is allowed', async () => {
  await open('02-check-then-set');
  await forward(4);
  assert.match(await step(), /^Step 5 of 11/);
  assert.equal(await coach().locator('section').count(), 0);
});

test('on a phone the question stays on the screen, above the scrubber', async () => {
  await page.setViewportSize({ width: 320, height: 640 });
  await open('02-check-then-set');
  await forward(3);
  await coach().locator('form').waitFor();
  await page.evaluate(() => scrollTo(0, 400));
  const [question, scrubber] = await Promise.all(
    [coach(), page.locator('kl-scrubber')].map((part) => part.boundingBox()),
  );
  assert.ok(question.y > 0 && question.y + question.height <= scrubber.y + 4, JSON.stringify([question, scrubber]));
  assert.ok(scrubber.y + scrubber.height <= 641);
});

/** For each task, edits that do not solve it, and at the end those that do. */
const TASKS = {
  '40-task-one-lock': [
    [['SET lock A', 'SET lock A NX PX 10000']],
    // Both look first, and A overwrites what B has written in between.
    [
      ['SET lock A\nOK', 'SET lock A PX 30000\nOK'],
      ['B> GET lock\n(nil)\n', ''],
      ['B> SET lock B\nOK', 'B> GET lock\n"A"\nB> SET lock B NX\n(nil)'],
    ],
    // The last command of B is an error, or writes to another key.
    [
      ['SET lock A\nOK', 'SET lock A NX PX 10000\nOK'],
      ['SET lock B\nOK', 'SET lock B NX PX'],
    ],
    [
      ['SET lock A\nOK', 'SET lock A NX PX 10000\nOK'],
      ['SET lock B\nOK', 'SET other B\nOK\nB> SET other B NX\n(nil)'],
    ],
    // A crash between the two leaves the lock for ever.
    [
      ['SET lock A\nOK', 'SETNX lock A\n(integer) 1\nA> EXPIRE lock 20\n(integer) 1'],
      ['SET lock B\nOK', 'SETNX lock B\n(integer) 0'],
    ],
    [
      ['SET lock A\nOK', 'SET lock A EX 20\nOK'],
      ['B> SET lock B\nOK\n', ''],
    ],
    [
      ['SET lock A\nOK', 'SET lock A NX PX 60000\nOK'],
      ['SET lock B\nOK', 'SET lock B NX PX 60000\n(nil)'],
    ],
    [
      ['SET lock A\nOK', 'SET lock A NX PX 10000\nOK'],
      ['SET lock B\nOK', 'SET lock B NX PX 10000\n(nil)'],
    ],
  ],
  '41-task-late-release': [
    [['A> DEL lock\n(integer) 1\n', '']],
    [['DEL lock\n(integer) 1', 'DEL nothing\n(integer) 0']],
    // A release that never removes anything.
    [['DEL lock\n(integer) 1', 'DELEX lock IFEQ nothing\n(integer) 0']],
    [['DEL lock\n(integer) 1', 'DELEX lock IFEQ A\n(integer) 0']],
  ],
  '42-task-call-counter': [
    // Right in this order only.
    [
      ['B> GET calls\n"1"\n', ''],
      ['A> SET calls 2\nOK', 'A> SET calls 2 KEEPTTL\nOK\nB> GET calls\n"2"'],
      ['B> SET calls 2\nOK', 'B> SET calls 3 KEEPTTL\nOK'],
    ],
    [
      ['A> SET calls 2\nOK', 'A> INCR calls\n(integer) 2'],
      ['B> SET calls 2\nOK', 'B> SET calls 3\nOK'],
    ],
    [
      ['A> SET calls 2\nOK', 'A> INCR calls\n(integer) 2'],
      ['B> SET calls 2\nOK', 'B> INCR calls\n(integer) 3'],
    ],
  ],
  '43-task-paid-once': [
    // Both find no mark before one pays.
    [
      ['A> EXISTS paid:42\n(integer) 0\nB> EXISTS paid:42\n(integer) 0\n', 'A> EXISTS paid:42\n(integer) 0\n'],
      ['B> INCRBY balance 100\n(integer) 200\n', ''],
      ['A> SET paid:42 A\n', 'A> SET paid:42 A EX 3600\n'],
      ['B> SET paid:42 B\nOK', 'B> SET paid:42 B NX EX 3600\n(nil)'],
    ],
    [['B> INCRBY balance 100\n(integer) 200\n', '']],
    [
      ['A> EXISTS paid:42\n(integer) 0', 'A> SET paid:42 A NX EX 3600\nOK'],
      ['B> EXISTS paid:42\n(integer) 0', 'B> SET paid:42 B NX EX 3600\n(nil)'],
      ['B> INCRBY balance 100\n(integer) 200\n', ''],
      ['A> SET paid:42 A\nOK\nB> SET paid:42 B\nOK\n', ''],
    ],
  ],
};

for (const [task, attempts] of Object.entries(TASKS)) {
  test(`task ${task}: its expectations decide`, async () => {
    await open(task);
    await page.getByRole('button', { name: 'Start the task' }).click();
    await coach().getByRole('heading', { name: 'Your task' }).waitFor();
    const begun = await text().inputValue();
    assert.ok((await goals()).includes(false), 'a task begins unsolved');
    for (const [index, edits] of attempts.entries()) {
      const edited = edits.reduce((whole, [from, to]) => {
        assert.ok(whole.includes(from), from);
        return whole.replace(from, to);
      }, begun);
      await text().fill(edited);
      await text().press('Control+Enter');
      const isLast = index === attempts.length - 1;
      await coach().locator('[role=status]').filter({ hasNotText: 'Every order runs.' }).waitFor({ state: 'attached' });
      assert.equal((await goals()).every(Boolean), isLast, JSON.stringify(edits));
      if (isLast) await coach().getByRole('heading', { name: 'Solved: the race is safe' }).waitFor();
    }
    const solved = await text().inputValue();
    await text().fill(solved.replace(/\n> (GET|EXISTS)[^\n]*\n[^\n]*/, ''));
    await text().press('Control+Enter');
    assert.ok((await goals()).includes(false), 'the check must stay as it is');
  });
}

test('an answer that is right in one order only shows an order in which it fails', async () => {
  await open('40-task-one-lock');
  await page.getByRole('button', { name: 'Start the task' }).click();
  const begun = await text().inputValue();
  const late = begun
    .replace('SET lock A\n', 'SET lock A PX 30000\n')
    .replace('B> GET lock\n(nil)\n', '')
    .replace('B> SET lock B\nOK', 'B> GET lock\n"A"\nB> SET lock B NX\n(nil)');
  await text().fill(late);
  await text().press('Control+Enter');
  await coach()
    .getByText(/Not in every order\. At most one holds the lock, and a crash frees it: . and . inside together\./)
    .waitFor();
  assert.deepEqual(
    (await goals()).filter((met) => !met),
    [false],
  );
  await coach().getByRole('button', { name: 'Open such an order' }).click();
  await page.locator('kl-session-view .summary', { hasText: /checked/ }).waitFor();
  assert.match(await text().inputValue(), /^@ race\n(.|\n)*C> SET lock C PX 30000/);
});

test('a task is a copy: the lesson stays, and the work is there at the next visit', async () => {
  await open('40-task-one-lock');
  await page.getByRole('button', { name: 'Start the task' }).click();
  await text().fill((await text().inputValue()).replace('SET lock A\n', 'SET lock A NX PX 9000\n'));
  await text().press('Control+Enter');
  await page.waitForTimeout(300);
  await page.reload();
  await coach().getByRole('heading', { name: 'Your task' }).waitFor();
  assert.match(await text().inputValue(), /SET lock A NX PX 9000/);
  await page.getByRole('button', { name: 'Reset lesson' }).click();
  await page.getByRole('button', { name: 'Start the task' }).waitFor();
  const lesson = readFileSync(new URL('../../www/lessons/40-task-one-lock.session', import.meta.url), 'utf8');
  assert.equal(await text().inputValue(), lesson);
});

test('the index lists all lessons by theme', async () => {
  const themes = await page.locator('kl-lesson-index h2').allTextContents();
  for (const theme of ['Locks', 'Queues', 'Limits', 'Caches', 'Counters']) assert.ok(themes.includes(theme), theme);
  const linked = await page
    .locator('kl-lesson-index a[href^="#lesson="]')
    .evaluateAll((links) => [...new Set(links.map((link) => link.getAttribute('href').slice('#lesson='.length)))]);
  await page.getByRole('link', { name: 'Sessions' }).click();
  const choices = [];
  for (const group of ['Lessons', 'Recipes on plain commands', 'Tasks']) choices.push(...(await listed(page, group)));
  assert.deepEqual(linked.sort(), choices.map(({ href }) => href.slice('#lesson='.length)).sort());
});

test('search by intent finds commands and lessons that do not have the word', async () => {
  const forms = () => page.locator('kl-lesson-index .found .form').allTextContents();
  /** Searches, and waits for what is found. */
  const search = async (query) => {
    await page.getByLabel('Search commands, lessons and guides').fill(query);
    await page.locator('kl-lesson-index .found h2', { hasText: query }).waitFor();
  };
  await search('lock');
  for (const form of ['SET NX', 'SETNX', 'DELEX', 'LATCH.ACQUIRE', 'LATCH.RENEW', 'LATCH.RELEASE'])
    assert.ok((await forms()).includes(form), form);
  await page.getByRole('link', { name: 'SETNX: set it, unless it is already there' }).waitFor();
  await search('rate limit');
  assert.ok((await forms()).includes('LATCH.LIMIT'));
  for (const [intent, form] of [
    ['distributed lock', 'SET NX'],
    ['dedupe', 'LATCH.ONCE'],
    ['deduplication', 'LATCH.ONCE'],
    ['debounce', 'LATCH.LIMIT'],
  ]) {
    await search(intent);
    assert.ok((await forms()).includes(form), intent);
  }
  await page.getByLabel('Search commands, lessons and guides').fill('zzz');
  await page.getByText('Nothing matches.').waitFor();
  await page.getByRole('link', { name: 'Commands' }).first().click();
  await page.locator('kl-command-view input').fill('lock');
  const intended = page.locator('kl-command-view .intended .name');
  await intended.first().waitFor();
  for (const form of ['SET NX', 'SETNX', 'DELEX', 'LATCH.ACQUIRE'])
    assert.ok((await intended.allTextContents()).includes(form), form);
});

test('texts of lessons are fetched when they are opened', async () => {
  const fetched = () => page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  assert.equal((await fetched()).filter((name) => /setnx-basics/.test(name)).length, 0);
  await open('01-setnx-basics');
  assert.equal((await fetched()).filter((name) => /setnx-basics/.test(name)).length, 1);
});

test('a lesson goes on where its reader was, with the answers, also after a reload', async () => {
  await open('02-check-then-set');
  await forward(3);
  await page.getByLabel('"A"').check();
  await page.keyboard.press('Enter');
  await coach().getByText('Not "A". GET lock replies:').waitFor();
  await page.goto(`${browser.address}#lessons`);
  await page.reload();
  const begun = page.getByRole('link', { name: /^Continue where you were: Check, then set/ });
  assert.match(await begun.textContent(), /step 5 of 11/);
  await begun.click();
  await page.locator('kl-scrubber output', { hasText: 'Step 5 of 11' }).waitFor();
  await coach().getByText('0 of 2 questions of this lesson answered rightly.').waitFor();
});

test('a lesson that was read to its end has a tick, and begins again', async () => {
  await open('02-check-then-set');
  await page.getByLabel('Step', { exact: true }).fill('11');
  await page.goto(`${browser.address}#lessons`);
  const lesson = page.locator('kl-lesson-index .themes').getByRole('link', { name: /Check, then set/ });
  assert.match(await lesson.textContent(), /^✓.*, done$/);
  assert.equal(await page.getByText('Continue where you were').count(), 0);
  await lesson.click();
  await page.locator('kl-scrubber output', { hasText: 'Step 1 of 11' }).waitFor();
});
