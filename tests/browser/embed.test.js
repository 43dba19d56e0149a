// `<keylatch-repl>` on pages of another origin: one script, several elements, attributes, prompt, links, policies, fences.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LOCK, browser, embedded, rows, runAll, scriptTag, summary, visit } from './embedding.js';

test('three embeds on a page of another origin run, and load the engine once', () =>
  visit(
    `${embedded(LOCK)}
    <keylatch-repl link="${browser.address}#s=%3E%20INCR%20n%0A(integer)%201" readonly></keylatch-repl>
    <iframe src="${browser.address}embed/?theme=dark#s=%3E%20INCR%20n%0A(integer)%202" title="Frame" width="600" height="300"></iframe>`,
    async (page, { complaints }) => {
      const asked = [];
      page.on('request', (request) => asked.push(request.url()));
      const [first, second] = [page.locator('keylatch-repl').nth(0), page.locator('keylatch-repl').nth(1)];
      await second.getByRole('button', { name: 'Run all' }).waitFor();
      assert.deepEqual(
        asked.filter((url) => url.endsWith('.wasm')),
        [],
        'nothing is loaded before it is used',
      );
      await runAll(first);
      await first.locator('.summary.good').waitFor();
      assert.equal(await summary(first), '✓ 4 checked, all as expected');
      await runAll(second);
      await second.locator('.summary.good').waitFor();
      assert.equal(await second.getByRole('textbox').count(), 0, 'readonly');
      assert.equal(asked.filter((url) => url.endsWith('.wasm')).length, 1, 'one engine for both elements');
      const framed = page.frameLocator('iframe').locator('keylatch-repl');
      await runAll(framed);
      await framed.locator('.summary.bad').waitFor();
      assert.deepEqual(await rows(framed), ['✗ > INCR n', '✗ (integer) 2', '(integer) 1']);
      assert.deepEqual(complaints, []);
    },
  ));

test('without the script the text stands on the page', () =>
  visit(
    embedded(LOCK),
    async (page) => assert.ok((await page.locator('pre').textContent()).includes('B> SET door bob NX PX 5000')),
    { head: '' },
  ));

test('a session runs line by line, and shows expected beside received', () =>
  visit(embedded('A> SET k v\nOK\n\n# Another client.\nB> GET k\n"w"\nB> GET k\n'), async (page) => {
    const repl = page.locator('keylatch-repl');
    const step = repl.getByRole('button', { name: 'Step' });
    await step.click();
    await repl.locator('.summary.good').waitFor();
    assert.equal(await summary(repl), '✓ 1 checked, all as expected, step 1 of 3');
    assert.deepEqual(await rows(repl), ['✓ A> SET k v', 'OK', '', '# Another client.', 'B> GET k', '"w"', 'B> GET k']);
    assert.equal(await repl.locator('.row.later').count(), 3);
    await step.click();
    assert.equal(await summary(repl), '✗ 1 of 2 checked steps differ, step 2 of 3');
    assert.deepEqual((await rows(repl)).slice(4), ['✗ B> GET k', '✗ "w"', '"v"', 'B> GET k']);
    await step.click();
    assert.deepEqual((await rows(repl)).slice(7), ['· B> GET k', '"v"']);
    assert.equal(await summary(repl), '✗ 1 of 2 checked steps differ, 1 ran unchecked');
    assert.equal(await step.getAttribute('aria-disabled'), 'true');
    await repl.getByRole('button', { name: 'Reset' }).click();
    assert.equal(await summary(repl), '');
    assert.equal((await rows(repl)).length, 7);
  }));

test('events that differ, long output, and lines that stand for any', () =>
  visit(
    embedded(
      '> SET k v PX 10\nOK\n@ +11ms\n! del k\n> RPUSH l 1 2\n...\n> LRANGE l 0 -1\n'.replace('1 2', '1 '.repeat(100)),
    ),
    async (page) => {
      const repl = page.locator('keylatch-repl');
      await runAll(repl);
      await repl.locator('.summary.bad').waitFor();
      const found = await rows(repl);
      const head = [
        '✓ > SET k v PX 10',
        'OK',
        '✗ @ +11ms',
        '✗ ! del k',
        '! expired k',
        found[5],
        '...',
        '(integer) 100',
      ];
      assert.deepEqual(found.slice(0, 8), head);
      assert.match(found[5], /^✓ > RPUSH/);
      assert.equal(found.length, 8 + 1 + 60 + 1);
      assert.equal(found.at(-1), 'and 40 more lines');
    },
  ));

test('the prompt goes on behind the session: clients, transactions, the clock, messages', () =>
  visit(embedded('A> SET k v PX 1000\nOK'), async (page) => {
    const repl = page.locator('keylatch-repl');
    const field = repl.getByRole('textbox');
    const type = async (text) => {
      await field.fill(text);
      await field.press('Enter');
      await page.waitForFunction((input) => input.value === '', await field.elementHandle());
    };
    await type('GET k');
    await type('MULTI');
    assert.equal(await repl.locator('.prompt .mark').textContent(), '(TX)>');
    await type('DISCARD');
    await type('@ next');
    await type('GET k');
    await type('B> BLPOP q 1');
    await type('RPUSH q x');
    await type('B<');
    assert.deepEqual(await rows(repl), [
      ...['✓ A> SET k v PX 1000', 'OK', '· > GET k', '"v"', '· > MULTI', 'OK', '· > DISCARD', 'OK'],
      ...['· @ next', 'k expired', '· > GET k', '(nil)', '· B> BLPOP q 1', '· > RPUSH q x', '(integer) 1'],
      ...['✓ B<', '...', '1) "q"', '2) "x"'],
    ]);
    await field.press('ArrowUp');
    await field.press('ArrowUp');
    assert.equal(await field.inputValue(), 'RPUSH q x');
    await field.fill('@ soon');
    await field.press('Enter');
    await repl.getByRole('alert').waitFor();
    assert.equal(await field.inputValue(), '@ soon', 'a line that is none stays');
    assert.equal((await rows(repl)).length, 19);
  }));

test('a pasted transcript is checked, an edited text runs as it is', () =>
  visit(embedded('> SET k v\nOK'), async (page) => {
    const repl = page.locator('keylatch-repl');
    await repl.getByRole('textbox').evaluate((field) => {
      const data = new DataTransfer();
      data.setData('text/plain', '> GET k\n"v"\n> GET x\n"y"\n');
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, cancelable: true }));
    });
    await repl.locator('.summary.bad').waitFor();
    assert.equal(await summary(repl), '✗ 1 of 3 checked steps differ');
    await repl.getByRole('button', { name: 'Edit' }).click();
    const editor = repl.getByLabel('Session text');
    assert.equal(await editor.inputValue(), '> SET k v\nOK');
    await editor.fill('> SET k v\nOK\nnot');
    await runAll(repl);
    await repl.locator('.summary.bad').waitFor();
    assert.equal(await summary(repl), '✗ 1 of 1 checked steps differ');
    await repl.getByRole('button', { name: 'Edit' }).click();
    await editor.fill('> SET k w');
    await repl.getByLabel('Command').fill('GET k');
    await repl.getByLabel('Command').press('Enter');
    await repl.getByText('"w"').waitFor();
    assert.equal(await editor.isVisible(), false, 'a typed line shows its reply');
    await repl.getByRole('button', { name: 'Edit' }).click();
    await editor.fill('OK');
    await repl.getByRole('button', { name: 'Done' }).click();
    await runAll(repl);
    assert.match(await summary(repl), /^✗ Line 1, column 1: /);
  }));

test('"Open in playground" carries text, step and typed lines over', () =>
  visit(embedded(LOCK, 'theme="dark"'), async (page, { context }) => {
    const repl = page.locator('keylatch-repl');
    const open = async () => {
      await page.waitForTimeout(100);
      const [opened] = await Promise.all([
        context.waitForEvent('page'),
        repl.getByRole('link', { name: 'Open in playground' }).click(),
      ]);
      await opened.locator('kl-editor textarea').waitFor();
      return opened;
    };
    await repl.getByRole('button', { name: 'Step' }).click();
    await repl.locator('.summary.good').waitFor();
    const partly = await open();
    assert.equal(await partly.locator('kl-editor textarea').inputValue(), LOCK.trimEnd());
    assert.equal(await partly.locator('kl-timeline .now').getAttribute('data-stop'), '1');
    assert.equal(await partly.evaluate(() => document.documentElement.dataset.theme), 'dark');
    await repl.getByRole('textbox').fill('GET door');
    await repl.getByRole('textbox').press('Enter');
    await repl.locator('.row.got').waitFor();
    const whole = await open();
    assert.equal(await whole.locator('kl-editor textarea').inputValue(), `${LOCK.trimEnd()}\n> GET door`);
    assert.match(await whole.locator('kl-session-view .summary').textContent(), /4 checked, all as expected, 1 ran/);
  }));

test('attributes: height, theme, clock; text that comes or changes later', () =>
  visit(embedded('> SET k v PX 60000\nOK', 'height="300" theme="dark" clock="live"'), async (page) => {
    const repl = page.locator('keylatch-repl');
    await runAll(repl);
    await repl.locator('.summary.good').waitFor();
    const height = (value) =>
      repl.evaluate((element, given) => {
        element.height = given;
        return element.getBoundingClientRect().height;
      }, value);
    assert.equal(await height('300'), 300);
    assert.equal(await height('20rem'), 320);
    assert.equal(await height('1'), 120);
    assert.ok((await height('9999999999')) <= 4000);
    assert.ok((await height('url(x)')) < 300, 'no length: the height of the lines');
    const scheme = () => repl.locator('.repl').evaluate((element) => getComputedStyle(element).colorScheme);
    assert.equal(await scheme(), 'dark');
    await page.waitForTimeout(50);
    await repl.getByRole('textbox').fill('PTTL k');
    await repl.getByRole('textbox').press('Enter');
    await repl.locator('.row.got').waitFor();
    const left = Number((await repl.locator('.row.got .text').textContent()).replace(/\D+/g, ''));
    assert.ok(left > 0 && left < 60_000 - 40, `${left} ms: the live clock has moved`);
    await repl.evaluate((element) => (element.textContent = '> PING\nPONG'));
    await page.waitForFunction(() => document.querySelector('keylatch-repl').text === '> PING\nPONG');
    const report = await repl.evaluate(async (element) => (await element.run()).mismatches);
    assert.equal(report, 0);
    await repl.evaluate((element) => (element.session = '> ECHO x'));
    assert.equal(await repl.evaluate((element) => element.text), '> ECHO x');
  }));

test('hostile and damaged texts and links: a message, and the page goes on', () =>
  visit(
    `${embedded('> ECHO "<img src=x onerror=alert(1)>"')}
    <keylatch-repl link="#s=${encodeURIComponent('## <script>document.title = "bad"</script>\n> PING')}"></keylatch-repl>
    <keylatch-repl link="v1=abc"></keylatch-repl>
    <keylatch-repl link="nothing"></keylatch-repl>
    <keylatch-repl link="size=4&v1=AAAA&start=AAAA"></keylatch-repl>
    <keylatch-repl session="${'> PING&#10;'.repeat(12_000)}"></keylatch-repl>
    <keylatch-repl session="> PING" playground="javascript:alert(1)" wasm="http://["></keylatch-repl>
    <keylatch-repl session="> PING" playground="http://["></keylatch-repl>`,
    async (page, { complaints }) => {
      const repl = (index) => page.locator('keylatch-repl').nth(index);
      await runAll(repl(0));
      await repl(0).locator('.row.got').waitFor();
      assert.equal(await repl(0).locator('img').count(), 0);
      assert.match((await rows(repl(1)))[0], /<script>/);
      for (const index of [2, 3, 4]) {
        const run = repl(index).getByRole('button', { name: 'Run all' });
        assert.equal(await run.getAttribute('aria-disabled'), 'true', 'there is nothing to run');
        await repl(index).evaluate((element) => element.run());
        assert.match(await repl(index).getByRole('alert').textContent(), /link/i);
      }
      await runAll(repl(5));
      await repl(5).locator('.summary.bad').waitFor();
      assert.match(await summary(repl(5)), /83999 characters; 65536 can be run here/);
      await runAll(repl(6));
      await repl(6).getByText('Nothing can run: ').waitFor();
      for (const index of [6, 7]) assert.equal(await repl(index).getByRole('link').count(), 0, 'no address of a page');
      assert.equal(await page.title(), 'A page of another site');
      assert.deepEqual(complaints, []);
    },
  ));

test('text styles of the host page stay outside', () =>
  visit(
    `<div dir="rtl" style="text-transform: uppercase; font: italic small-caps 2rem serif; line-height: 3; text-indent: 2em;
      word-spacing: 1em; letter-spacing: 1em; text-align: right; white-space: pre; text-shadow: 1px 1px red; cursor: help">
    ${embedded('> GET none\n(nil)\n@ +5s')}</div>
    <div style="visibility: hidden">${embedded('> PING')}</div>`,
    async (page) => {
      const repl = page.locator('keylatch-repl').first();
      await runAll(repl);
      await repl.locator('.summary.good').waitFor();
      const [row] = await repl.locator('.row').filter({ hasText: '(nil)' }).all();
      assert.equal(await row.locator('.text').innerText(), '(nil)');
      const styles = await row.locator('.text').evaluate((element) => {
        const { direction, fontStyle, fontVariantCaps, textIndent, wordSpacing, letterSpacing, textAlign, textShadow } =
          getComputedStyle(element);
        return [direction, fontStyle, fontVariantCaps, textIndent, wordSpacing, letterSpacing, textAlign, textShadow];
      });
      assert.deepEqual(styles, ['ltr', 'normal', 'normal', '0px', '0px', 'normal', 'start', 'none']);
      const { height } = await row.boundingBox();
      assert.ok(height < 24, `${height} pixels`);
      assert.equal(await page.locator('keylatch-repl').nth(1).locator('.row').isVisible(), false);
    },
  ));

test('one step that is not checked is one', () =>
  visit(embedded('> PING'), async (page) => {
    const repl = page.locator('keylatch-repl');
    await runAll(repl);
    await repl.locator('.summary.good').waitFor();
    assert.equal(await summary(repl), '1 step ran, none has an expected reply');
  }));

test('fenced blocks of Markdown become elements', () =>
  visit(
    `<pre><code class="language-session">&gt; INCR n\n(integer) 1\n</code></pre>
    <pre><code class="language-js">n += 1</code></pre>`,
    async (page) => {
      const repl = page.locator('keylatch-repl');
      await runAll(repl);
      await repl.locator('.summary.good').waitFor();
      assert.equal(await repl.count(), 1);
      assert.equal(await page.locator('main > pre').count(), 1, 'other languages stay');
    },
    { head: scriptTag('data-fences="session" async') },
  ));

test('with the keyboard alone: run, type, and go on', () =>
  visit(embedded('> SET k v\nOK'), async (page) => {
    const repl = page.locator('keylatch-repl');
    await repl.getByRole('button', { name: 'Run all' }).waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await repl.locator('.summary.good').waitFor();
    for (let count = 0; count < 5; count += 1) await page.keyboard.press('Tab');
    await page.keyboard.type('GET k');
    await page.keyboard.press('Enter');
    await repl.locator('.row.got').waitFor();
    await page.keyboard.type('PING');
    assert.equal(await repl.getByRole('textbox').inputValue(), 'PING', 'the focus stays');
  }));
