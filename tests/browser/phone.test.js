// A phone, the focus, forced colours, and the choice of clients.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { heard, say, start } from './page.js';

const PHONE = { viewport: { width: 360, height: 640 }, hasTouch: true, isMobile: true };

let browser;

before(async () => (browser = await start()));
after(() => browser.stop());

async function visit(hash, options, work) {
  const { page, context, complaints } = await browser.open(hash, options);
  await work(page);
  assert.deepEqual(complaints, []);
  await context.close();
}

const prompt = (page) => page.locator('kl-prompt textarea');
const hasFocus = (locator) => locator.evaluate((element) => element.matches(':focus'));
const focused = (page) =>
  page.evaluate(() => {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    return element?.tagName;
  });

test('a question stands beside the line of its client, also with the focus', () =>
  visit('', { ...PHONE, viewport: { width: 320, height: 640 } }, async (page) => {
    await say(page, 'GET none');
    const command = page.locator('kl-log .command');
    const ask = command.locator('kl-why .ask');
    await ask.waitFor();
    const line = await command.evaluate((entry) => entry.getBoundingClientRect().left + entry.clientLeft);
    const outline = await ask.evaluate((button) => {
      button.focus();
      const { outlineWidth, outlineOffset } = getComputedStyle(button);
      return button.getBoundingClientRect().left - Number.parseFloat(outlineWidth) - Number.parseFloat(outlineOffset);
    });
    assert.ok(outline > line, `${outline} is left of ${line}`);
  }));

test('on a phone the help card stands below the chosen command', () =>
  visit('#commands', PHONE, async (page) => {
    const link = page.getByRole('link', { name: /^ZADD / });
    await link.click();
    const card = page.locator('kl-command-card');
    await card.getByText('ZADD', { exact: true }).first().waitFor();
    assert.equal(await card.count(), 1);
    const [above, below] = [await link.boundingBox(), await card.boundingBox()];
    assert.ok(below.y >= above.y + above.height && below.y < above.y + above.height + 24);
    assert.ok(below.y < 640, `the card begins at ${below.y}`);
  }));

test('on a phone the hint is one line, and the best suggestion is next to the prompt', () =>
  visit('', PHONE, async (page) => {
    await prompt(page).pressSequentially('SET door me ');
    const hint = page.locator('kl-prompt .ghost-line');
    assert.match(await hint.textContent(), /^SET .*EX/);
    assert.ok((await hint.boundingBox()).height < 32);
    assert.ok((await prompt(page).boundingBox()).height < 48, 'the line has one row');
    await prompt(page).fill('');
    await prompt(page).pressSequentially('GET');
    const first = await page.locator('kl-prompt [role=option]').first().boundingBox();
    const form = await page.locator('kl-prompt form').boundingBox();
    assert.ok(form.y - (first.y + first.height) < 16, 'the first suggestion touches the prompt');
    assert.ok(first.x < 16);
    await page.locator('kl-prompt [role=option]').nth(1).tap();
    assert.equal(await prompt(page).inputValue(), 'GETEX ');
  }));

test('on a phone keys of a keyboard are buttons, and the database is one tap away', () =>
  visit('', PHONE, async (page) => {
    await say(page, 'SET door me');
    await prompt(page).tap();
    await page.getByRole('button', { name: 'Previous command' }).tap();
    assert.equal(await prompt(page).inputValue(), 'SET door me');
    assert.equal(await hasFocus(prompt(page)), true);
    await prompt(page).fill('GETE');
    await page.getByRole('button', { name: 'Tab completes' }).tap();
    assert.equal(await prompt(page).inputValue(), 'GETEX ');
    await page.getByRole('button', { name: 'Help for the command' }).tap();
    await page.locator('kl-log kl-command-card').waitFor();
    await page.getByRole('button', { name: 'Keys 1' }).tap();
    const { y } = await page.locator('kl-key-panel').boundingBox();
    assert.ok(y >= -1 && y < 600, `the keys are at ${y}`);
  }));

test('choosing, opening and closing clients leaves the focus in the prompt', () =>
  visit('', {}, async (page) => {
    await page.getByRole('button', { name: 'Client' }).click();
    assert.equal(await hasFocus(prompt(page)), true);
    await page.locator('kl-client-picker label', { hasText: 'keylatch' }).click();
    assert.equal(await hasFocus(prompt(page)), true);
    assert.equal(await page.locator('kl-prompt label').textContent(), 'keylatch>');
    await page.keyboard.press('Alt+2');
    assert.equal(await page.locator('kl-prompt label').textContent(), 'C2>');
    assert.equal(await page.getByRole('radio', { name: 'C2' }).isChecked(), true);
    await page.getByRole('button', { name: 'Close C2' }).click();
    assert.equal(await hasFocus(prompt(page)), true);
    assert.equal(await page.locator('kl-prompt label').textContent(), 'keylatch>');
  }));

test('a typed line may name its client', () =>
  visit('', {}, async (page) => {
    await say(page, 'C7> SET k 1');
    await say(page, 'redis> INCR k');
    await say(page, 'keylatch[0]> GET k');
    assert.deepEqual(await heard(page), ['C7> SET k 1\nOK', 'C7> INCR k\n(integer) 2', 'keylatch> GET k\n"2"']);
    await say(page, 'C7> GET "k');
    assert.match(await page.locator('kl-prompt [role=alert]').textContent(), /column 9\b/);
  }));

test('the focus never falls to the document', () =>
  visit('', {}, async (page) => {
    const act = async (locator) => {
      await locator.click();
      for (let count = 0; count < 40 && (await focused(page)) === 'BODY'; count += 1) await page.waitForTimeout(50);
      assert.notEqual(await focused(page), 'BODY', String(locator));
    };
    await act(page.locator('kl-log .try').first());
    for (let count = 0; count < 4; count += 1) await act(page.locator('kl-log .try').first());
    await act(page.getByRole('button', { name: 'Clear the log' }));
    await act(page.getByRole('button', { name: '+1 min' }));
    await act(page.getByRole('button', { name: 'Reset' }));
    await say(page, 'SET door me');
    await act(page.getByRole('button', { name: 'Open as session' }));
    await act(page.getByRole('button', { name: 'To the start' }));
    await act(page.getByRole('button', { name: 'To the end' }));
    await act(page.getByRole('button', { name: 'Continue in the command line' }));
    await page.evaluate(() => (location.hash = 'new'));
    await act(page.getByRole('button', { name: 'Run an example' }));
  }));

test('states are visible in forced colours', () =>
  visit('', { forcedColors: 'active' }, async (page) => {
    const style = (locator, names) =>
      locator.evaluate((element, wanted) => wanted.map((name) => getComputedStyle(element)[name]), names);
    const differ = async (one, other, names) => assert.notDeepEqual(await style(one, names), await style(other, names));
    await page.getByRole('button', { name: 'Client' }).click();
    const clients = page.locator('kl-client-picker .client');
    await differ(clients.nth(0), clients.nth(1), ['outlineStyle']);
    const utf8 = page.getByRole('button', { name: 'UTF-8' });
    const columns = page.getByRole('button', { name: 'Columns' });
    await columns.click();
    await differ(columns, utf8, ['backgroundColor']);
    await say(page, 'SET a 1');
    await say(page, 'SET b 1');
    const row = (label) => page.locator(`kl-key-panel [data-label="${label}"]`);
    await row('a').click();
    await differ(row('a'), row('b'), ['backgroundColor']);
    await prompt(page).pressSequentially('GE');
    await page.keyboard.press('ArrowDown');
    const options = page.locator('kl-prompt [role=option]');
    await differ(options.nth(0), options.nth(1), ['backgroundColor']);
    const order = page.locator('kl-key-panel .choice button');
    await differ(order.nth(0), order.nth(1), ['backgroundColor']);
  }));

test('suggestions show the typed letters, and their descriptions in a column', () =>
  visit('', {}, async (page) => {
    await prompt(page).pressSequentially('gtx');
    const option = page.locator('kl-prompt [role=option]').first();
    assert.equal(await option.locator('.what').textContent(), 'GETEX');
    assert.deepEqual(await option.locator('b').allTextContents(), ['G', 'T', 'X']);
    await prompt(page).fill('');
    await prompt(page).pressSequentially('GE');
    const lefts = await page
      .locator('kl-prompt [role=option] .aside')
      .evaluateAll((all) => all.map((one) => Math.round(one.getBoundingClientRect().left)));
    assert.ok(lefts.length > 2 && lefts.every((left) => left === lefts[0]), lefts.join());
  }));
