// States of the page that are looked at: an address, and actions that lead there.
import { say } from './page.js';

export const VIEWS = [
  { name: 'the empty command line', hash: '', act: async () => {} },
  { name: 'the command line in use', hash: '', act: useLine },
  { name: 'the command line with suggestions', hash: '', act: suggest },
  { name: 'several clients in columns', hash: '', act: useColumns },
  { name: 'keys in folders, with a hash', hash: '', act: inspectHash },
  { name: 'keys without a match, and a long output', hash: '', act: outputLong },
  { name: 'a lesson with several clients', hash: '#lesson=04-deleting-each-other', act: stepOn },
  { name: 'a lesson at its end', hash: '#lesson=04-deleting-each-other', act: stepToEnd },
  { name: 'a session that differs', hash: '#new', act: differ },
  { name: 'a session that cannot be read', hash: '#new', act: misread },
  { name: 'an empty session', hash: '#new', act: async () => {} },
  { name: 'a pasted text with its changes', hash: '#new', act: pasteForeign },
  { name: 'a link that is damaged, and the footer', hash: '#v9=x', act: openFooter },
  { name: 'a second visit with its menu of files', hash: '', act: comeBack },
  { name: 'the commands', hash: '#commands=SET', act: async () => {} },
];

async function useLine(page) {
  for (const text of ['SET door me NX PX 60000', 'SET door you NX', 'RPUSH door x', 'help GET', 'MULTI', '@ +1s'])
    await say(page, text);
  await page.locator('kl-key-panel .key').first().click();
  await page.getByRole('button', { name: 'Paused' }).click();
  await say(page, 'GET "open');
}

async function suggest(page) {
  await page.locator('kl-prompt textarea').pressSequentially('SE');
  await page.keyboard.press('ArrowDown');
}

async function useColumns(page) {
  await page.getByRole('button', { name: 'Client' }).click();
  await say(page, 'SET lock b NX');
  // On narrow screens there is no room for columns.
  const columns = page.getByRole('button', { name: 'Columns' });
  if (await columns.isVisible()) await columns.click();
}

async function inspectHash(page) {
  for (const text of [
    'HSET user:1 name Ann',
    'HSET user:1 token t',
    'HEXPIRE user:1 60 FIELDS 1 token',
    'SET user:2:n 1',
  ])
    await say(page, text);
  const panel = page.locator('kl-key-panel');
  await panel.getByRole('button', { name: 'Tree' }).click();
  await panel.locator('[data-prefix="user:"]').click();
  await panel.locator('[data-label="user:1"]').click();
  await panel.locator('kl-value-table .line', { hasText: 'Ann' }).click();
}

async function outputLong(page) {
  await say(page, `RPUSH long ${Array.from({ length: 100 }, (_, index) => `element-${index}`).join(' ')}`);
  await say(page, 'LRANGE long 0 -1');
  await page.getByRole('button', { name: 'Show all' }).last().click();
  await page.getByLabel('Filter the keys').fill('nothing');
  await page.getByText('No key matches.').waitFor();
}

async function stepOn(page) {
  for (let count = 0; count < 4; count += 1) await page.getByRole('button', { name: 'Next step' }).click();
}

async function stepToEnd(page) {
  await page.getByRole('button', { name: 'To the end' }).click();
}

async function differ(page) {
  await page.locator('kl-editor textarea').fill('A> SET k v PX 10\nOK\nB> GET k\n(nil)\n@ +11ms\n');
  await page.locator('kl-timeline .mismatched').waitFor();
}

async function misread(page) {
  await page.locator('kl-editor textarea').fill('OK\n');
  await page.locator('kl-session-view .summary.bad').waitFor();
}

async function pasteForeign(page) {
  await page.evaluate(() => navigator.clipboard.writeText('```\n$ redis-cli SET k v # why\n"OK"\n```'));
  await page.locator('kl-editor textarea').focus();
  await page.keyboard.press('Control+V');
  await page.locator('kl-session-bar details summary').click();
  await page.getByRole('button', { name: 'Copy', exact: true }).click();
}

async function openFooter(page) {
  await page.locator('kl-app main > [role=alert]').waitFor();
  await page.locator('kl-footer summary').click();
}

async function comeBack(page) {
  await say(page, 'SET door me');
  await page.waitForTimeout(500);
  await page.reload();
  await page.locator('kl-visit-bar').getByRole('button', { name: 'Start fresh' }).waitFor();
  await page.getByRole('button', { name: 'File' }).click();
}
