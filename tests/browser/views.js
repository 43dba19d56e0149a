// States of the page that are looked at: an address, and actions that lead there.
import { say } from './page.js';
import { picker } from './picker.js';

const DIFFERING = '## A title\n# Prose.\nA> SET k v PX 10\nOK\nB> GET k\n(nil)\n@ +11ms\n! expired k\nB> GET k\n';
const EMBEDDED = `embed/#s=${encodeURIComponent(DIFFERING)}`;
const DARK = EMBEDDED.replace('#', '?theme=dark#');
const STOPPING = `embed/#s=${encodeURIComponent('@ race\nA> SET lock A NX\nOK\nA+\nB> SET lock B NX\nOK\nB> GET lock\n"B"\n@ join\n')}`;

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
  { name: 'a session in a frame, before it runs', hash: EMBEDDED, act: async () => {} },
  { name: 'a session in a frame, at its first step', hash: EMBEDDED, act: stepEmbedded },
  { name: 'a session in a frame, with what differs', hash: EMBEDDED, act: runEmbedded },
  { name: 'a dark session in a frame, before it runs', hash: DARK, act: async () => {} },
  { name: 'a dark session in a frame, with what differs', hash: DARK, act: runEmbedded },
  { name: 'a race in a frame, with a client that stops', hash: STOPPING, act: runRace },
  { name: 'a session in a frame, while it is edited', hash: EMBEDDED, act: editEmbedded },
  { name: 'a session in a frame that cannot be read', hash: 'embed/#v1=x', act: async () => {} },
  { name: 'an empty session', hash: '#new', act: async () => {} },
  { name: 'a pasted text with its changes', hash: '#new', act: pasteForeign },
  { name: 'a link that is damaged, and the footer', hash: '#v9=x', act: openFooter },
  { name: 'a second visit with its menu of files', hash: '', act: comeBack },
  { name: 'the list of sessions', hash: '#lesson=04-deleting-each-other', act: openList },
  { name: 'the list of sessions, searched in vain', hash: '#new', act: searchList },
  { name: 'a script over lines, and its error', hash: '', act: typeScript },
  { name: 'the picture of a lesson', hash: '#lesson=08-slow-owner', act: showPicture },
  { name: 'the race explorer with outcomes', hash: '#new', act: exploreRace },
  { name: 'an earlier moment of the command line', hash: '', act: lookBack },
  { name: 'the commands', hash: '#commands=SET', act: async () => {} },
  { name: 'reasons, and a word that fits nowhere', hash: '', act: askWhy },
  { name: 'a question of a lesson', hash: '#lesson=02-check-then-set', act: reachQuestion },
  { name: 'an answer to a question', hash: '#lesson=02-check-then-set', act: answerQuestion },
  { name: 'a task', hash: '#lesson=40-task-one-lock', act: beginTask },
  { name: 'the bytes of replies', hash: '', act: showBytes },
  { name: 'the lessons by theme', hash: '#lessons', act: async () => {} },
  { name: 'a search by intent', hash: '#lessons', act: searchIntent },
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
  await page.getByRole('button', { name: /^(?:Copy|More)$/ }).click();
}

async function openList(page) {
  await picker(page).click();
  await page.getByLabel('Search sessions and lessons').waitFor();
}

async function searchList(page) {
  await openList(page);
  await page.keyboard.type('zebra');
  await page.getByText('No title has these words.').waitFor();
}

async function typeScript(page) {
  await say(page, 'EVAL "local n = 1\nreturn nosuch.field" 0');
  await page.locator('kl-log', { hasText: 'nosuch' }).waitFor();
  await page.locator('kl-prompt textarea').fill('EVAL "local n = 1\nreturn n" 0');
}

async function showPicture(page) {
  await page.getByRole('button', { name: 'Picture', exact: true }).click();
  await page.locator('kl-picture-dialog summary').click();
}

async function exploreRace(page) {
  const take = (name) => `${name}> GET lock\n(nil)\n${name}> SET lock ${name}\n${name}+\n`;
  await page.locator('kl-editor textarea').fill(`@ race\n${take('A')}${take('B')}@ join\n`);
  await page.locator('kl-session-view .summary.good').waitFor();
  await page.getByRole('button', { name: 'Race', exact: true }).click();
  await page.getByRole('button', { name: 'Explore all orders' }).click();
  await page.locator('kl-race-panel .outcome').first().waitFor();
}

async function lookBack(page) {
  for (const text of ['SET door me PX 60000', '@ +1s', 'C2> SET door you NX']) await say(page, text);
  await page.getByRole('button', { name: 'Look back' }).click();
  await page.getByLabel('Step', { exact: true }).fill('2');
}

async function openFooter(page) {
  await page.locator('kl-app main > [role=alert]').waitFor();
  await page.locator('kl-footer summary').click();
}

async function askWhy(page) {
  for (const text of ['SET door me PX 60000', 'SET door you NX', 'SETT door']) await say(page, text);
  for (const entry of await page.locator('kl-why .ask').all()) await entry.click();
  await page.locator('kl-prompt textarea').fill('SET k v NXX ');
  await page.locator('kl-prompt mark').waitFor();
}

async function showBytes(page) {
  for (const text of ['HSET h name Ann', 'HGETALL h', 'GET none', 'GTE k', 'INCR n']) await say(page, text);
  await page.getByRole('button', { name: 'Bytes' }).click();
  await page.getByRole('button', { name: 'RESP3' }).click();
  await page.locator('kl-resp-view .lines button').first().focus();
}

async function reachQuestion(page) {
  for (let count = 0; count < 3; count += 1) await page.getByRole('button', { name: 'Next step' }).click();
  await page.locator('kl-lesson-coach form').waitFor();
}

async function answerQuestion(page) {
  await reachQuestion(page);
  await page.getByLabel('"A"').check();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
}

async function beginTask(page) {
  await page.getByRole('button', { name: 'Start the task' }).click();
  await page.getByRole('list', { name: 'Goals' }).waitFor();
}

async function searchIntent(page) {
  await page.getByLabel('Search commands, lessons and guides').fill('lock');
  await page.locator('kl-lesson-index .found .form').first().waitFor();
}

async function comeBack(page) {
  await say(page, 'SET door me');
  await page.waitForTimeout(500);
  await page.reload();
  await page.locator('kl-visit-bar').getByRole('button', { name: 'Start fresh' }).waitFor();
  await page.getByRole('button', { name: 'File' }).click();
}

async function stepEmbedded(page) {
  await page.getByRole('button', { name: 'Step' }).click();
  await page.locator('keylatch-repl .later').first().waitFor();
}

async function runEmbedded(page) {
  await page.getByRole('textbox').fill('@ soon');
  await page.getByRole('textbox').press('Enter');
  await page.locator('keylatch-repl .prompt [role=alert]').waitFor();
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.locator('keylatch-repl .summary.bad').waitFor();
}

async function runRace(page) {
  await page.getByRole('button', { name: 'Run all' }).click();
  await page.locator('keylatch-repl .stopped').waitFor();
}

async function editEmbedded(page) {
  await page.getByRole('button', { name: 'Edit' }).click();
}
