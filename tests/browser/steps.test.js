// Steps of a session: a lesson is read from its first step, moves in time are quick, clients side by side are in order.
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { start } from './page.js';
import { waitForLesson } from './picker.js';
import { assertFigure, LONGEST_TASK_MS, longestTask } from './tasks.js';

const STEPS = 2000;
const STEP_MS = 16;

let browser;
let visitor;
let page;

before(async () => (browser = await start()));
after(() => browser.stop());
beforeEach(async () => {
  visitor = await browser.open('#lesson=04-deleting-each-other');
  page = visitor.page;
  await page.locator('kl-timeline .said').first().waitFor();
});
afterEach(async () => {
  assert.deepEqual(visitor.complaints, []);
  await visitor.context.close();
});

const where = () => page.locator('kl-scrubber output').textContent();
const visible = (selector) =>
  page
    .locator(selector)
    .evaluateAll((all) =>
      all.map((one) => getComputedStyle(one).visibility === 'visible' && one.textContent.trim() !== ''),
    );

test('a lesson opens at its first step, with the later replies covered', async () => {
  assert.match(await where(), /^Step 1 of \d+/);
  const answers = await visible('kl-timeline .said .answer');
  assert.deepEqual([answers[0], answers.slice(1).some(Boolean)], [true, false]);
  const tree = await page.locator('kl-timeline').ariaSnapshot();
  assert.match(tree, /1\) "1767225600"/);
  assert.doesNotMatch(tree, /\(integer\)|\(nil\)/);
  const colour = (line) => line.evaluate((rest) => getComputedStyle(rest).color);
  const replies = page.locator('kl-editor .line.reply .rest');
  assert.notEqual(await colour(replies.first()), 'rgba(0, 0, 0, 0)');
  assert.equal(await colour(replies.last()), 'rgba(0, 0, 0, 0)');
  await page.getByRole('button', { name: 'Next step' }).click();
  assert.equal((await visible('kl-timeline .said .answer')).filter(Boolean).length, 2);
  await page.getByRole('button', { name: 'To the end' }).click();
  assert.ok((await visible('kl-timeline .said .answer')).every(Boolean));
  assert.notEqual(await colour(replies.last()), 'rgba(0, 0, 0, 0)');
});

test('the next lesson starts at its top', async () => {
  await page.getByRole('button', { name: 'To the end' }).click();
  const scroll = page.locator('kl-timeline .scroll');
  assert.ok((await scroll.evaluate((one) => one.scrollTop)) > 0);
  await page.getByRole('link', { name: /^Next lesson/ }).click();
  await waitForLesson(page, '05-getset-recovery');
  assert.match(await where(), /^Step 1 of \d+/);
  assert.equal(await scroll.evaluate((one) => one.scrollTop), 0);
});

test('on a phone, too, the next lesson starts at its top', async () => {
  await page.setViewportSize({ width: 360, height: 700 });
  await page.getByRole('link', { name: /^Next lesson/ }).click();
  await waitForLesson(page, '05-getset-recovery');
  const heading = page.locator('kl-timeline h2').first();
  await heading.waitFor();
  await page.waitForFunction(() => scrollY < 400);
  const { y } = await heading.boundingBox();
  assert.ok(y >= 0 && y < 700, `the heading is at ${y}`);
});

test('steps of several clients have rows of their own, in their order', async () => {
  const boxes = await page
    .locator('kl-timeline ol > li')
    .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().toJSON()));
  for (let at = 1; at < boxes.length; at += 1) assert.ok(boxes[at].top >= boxes[at - 1].bottom, `row ${at}`);
});

test('a session of two thousand steps opens without a long task, and its steps are quick', async () => {
  await page.evaluate(() => (location.hash = 'new'));
  await page.getByText('The session format').waitFor();
  const text = Array.from({ length: STEPS }, (_, index) => `${'ABC'[index % 3]}> SET k:${index % 300} ${index}\nOK`);
  const opened = await longestTask(
    page,
    async () => {
      await page.locator('kl-editor textarea').evaluate((area, session) => {
        area.value = session;
        area.dispatchEvent(new Event('input'));
      }, text.join('\n'));
      await page.getByText(`${STEPS} checked, all as expected`).first().waitFor();
    },
    1000,
  );
  const slider = page.getByLabel('Step', { exact: true });
  const step = (value) => longestTask(page, () => slider.fill(String(value)), 300);
  await step(STEPS / 2);
  const times = [];
  for (const value of [STEPS - 1, STEPS - 2, STEPS - 3, STEPS - 2, STEPS - 3]) times.push(await step(value));
  times.sort((one, other) => one - other);
  assert.match(await where(), new RegExp(`^Step ${STEPS - 3} of ${STEPS}`));
  assertFigure(`longest task while a session of ${STEPS} steps opens`, opened, LONGEST_TASK_MS);
  assertFigure('a step of the scrubber', times[2], STEP_MS);
});
