// Looks that carry meaning: what a first visit shows, toggles, the scrubber, the focus of the session text.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { say, start } from './page.js';

let browser;

before(async () => (browser = await start()));
after(() => browser.stop());

async function visit(hash, options, work) {
  const { page, context, complaints } = await browser.open(hash, options);
  await work(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

const styleOf = (locator, name, pseudo) =>
  locator.evaluate((element, [wanted, part]) => getComputedStyle(element, part)[wanted], [name, pseudo]);

test('the first visit shows the lessons beside the line, until there are keys', () =>
  visit('', {}, async (page) => {
    const lessons = page.locator('kl-line-view .lessons a');
    assert.ok((await lessons.count()) >= 12);
    assert.equal(await lessons.first().getAttribute('href'), '#lesson=01-setnx-basics');
    assert.match(await lessons.last().getAttribute('href'), /^#lesson=19-/, 'recipes are left out');
    await say(page, 'SET k 1');
    await lessons.first().waitFor({ state: 'detached' });
  }));

test('toggles show that they are on', () =>
  visit('', {}, async (page) => {
    const toggle = page.getByRole('button', { name: 'UTF-8' });
    const off = await styleOf(toggle, 'backgroundColor');
    await toggle.click();
    await page.mouse.move(0, 0);
    await page.waitForTimeout(400);
    assert.notEqual(await styleOf(toggle, 'backgroundColor'), off);
  }));

for (const colorScheme of ['light', 'dark'])
  test(`the scrubber's rest has the colour of lines, in ${colorScheme}`, () =>
    visit('#lesson=01-setnx-basics', { colorScheme }, async (page) => {
      const slider = page.getByLabel('Step', { exact: true });
      await slider.waitFor();
      assert.equal(await styleOf(slider, 'appearance'), 'none');
      const share = await slider.evaluate((input) => input.style.getPropertyValue('--share'));
      assert.ok(Number.parseFloat(share) > 0 && Number.parseFloat(share) < 100, share);
    }));

test('the session text shows its focus by one line, and by a frame in forced colours', async () => {
  for (const [options, wanted] of [
    [{}, 'none'],
    [{ forcedColors: 'active' }, 'solid'],
  ])
    await visit('#new', options, async (page) => {
      const area = page.locator('kl-editor textarea');
      await area.focus();
      assert.equal(await styleOf(area, 'outlineStyle'), wanted);
      assert.notEqual(await styleOf(page.locator('kl-editor'), 'boxShadow'), options.forcedColors ? '' : 'none');
    });
});
