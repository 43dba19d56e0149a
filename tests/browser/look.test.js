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
    assert.match(await lessons.last().getAttribute('href'), /^#lesson=36-/, 'recipes are left out');
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

test('with two clients the toolbar of the command line is one row', () =>
  visit('', {}, async (page) => {
    await page.getByRole('button', { name: 'Client' }).click();
    const heights = await page
      .locator('kl-line-view .talk > .top')
      .evaluate((top) => [top.clientHeight, top.querySelector('.row').clientHeight]);
    assert.ok(heights[0] < 2 * heights[1], String(heights));
  }));

test('on a small screen a session has its rarely used actions in a menu', () =>
  visit('#new', { viewport: { width: 320, height: 640 } }, async (page) => {
    await page.locator('kl-editor textarea').fill('> PING\n');
    await page.locator('kl-session-view .summary').waitFor();
    const { height } = await page.getByRole('toolbar', { name: 'Session' }).boundingBox();
    assert.ok(height < 130, `${height} px`);
    await page.getByRole('button', { name: 'More' }).click();
    await page.getByRole('button', { name: 'Fill in replies' }).click();
    assert.equal(await page.locator('kl-editor textarea').inputValue(), '> PING\nPONG\n');
    await page.setViewportSize({ width: 1280, height: 800 });
    await page.getByRole('button', { name: 'Continue in the command line' }).waitFor();
  }));
