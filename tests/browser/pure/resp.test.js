// Replies of one protocol in the other, against an engine that was asked in both; and the printed line of each part.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadHints, loadModule } from './load.js';

const { parseReplies, piecesOf, printedLines, requestNode } = await loadModule('src/resp/resp-tree.ts');
const { downgraded, upgraded } = await loadModule('src/resp/resp-protocols.ts');
const { askedBy } = await loadModule('src/resp/resp-asked.ts');
const { printReply, runSessionOn, splitLine } = loadHints();
const fromPage = createRequire(new URL('../../../www/package.json', import.meta.url));
const { Keylatch, ManualClock } = fromPage('keylatch');
const rows = new Map(fromPage('keylatch/commands.json').map((row) => [row.name, row]));

const shapeOf = (first, second) => (rows.get(`${first}|${second}`) ?? rows.get(first))?.reply ?? '';
const latin = (bytes) => Buffer.from(bytes).toString('latin1');
const written = (nodes) =>
  piecesOf(nodes)
    .map(({ bytes }) => latin(bytes))
    .join('');

const sessions = new URL('../../sessions/', import.meta.url);
const files = readdirSync(sessions, { recursive: true }).filter((name) => name.endsWith('.session'));

/** Commands that change the protocol, or that reply with facts about their client or about earlier replies. */
const SKIPPED = /^(?:HELLO|RESET|CLIENT|INFO|MEMORY|MONITOR|QUIT|LATENCY|SLOWLOG|COMMAND)\b/i;
/** Sessions about RESP3 alone: their clients only understand it. */
const RESP3_ONLY = /client-tracking|client-caching|pubsub\/(?:s|p)?(?:un)?subscribe|client-unblock/;

/** Runs the commands of a session in both protocols at once; calls back with each command and its two replies. */
function inBoth(text, check) {
  const { steps } = runSessionOn(new Keylatch({ clock: new ManualClock(), seed: 0 }), text);
  const sides = [2, 3].map((protocol) => {
    const clock = new ManualClock();
    const db = new Keylatch({ clock, seed: 0 });
    const clients = new Map();
    const client = (name) => clients.get(name) ?? clients.set(name, db.client({ protocol })).get(name);
    return { clock, db, client, queued: new Map() };
  });
  for (const { kind, client, text: line, nowMs } of steps) {
    if (kind === 'clock') for (const { clock } of sides) clock.set(nowMs);
    if (kind !== 'command' || SKIPPED.test(line)) continue;
    let words;
    try {
      words = splitLine(sides[0].db, line);
    } catch {
      continue;
    }
    if (words.length === 0) continue;
    const [two, three] = sides.map((side) => side.client(client).callRaw(...words));
    const { queued } = sides[0];
    const before = queued.get(client) ?? [];
    if (latin(two) === '+QUEUED\r\n') queued.set(client, [...before, words]);
    else queued.delete(client);
    check({ line, words, two, three, queued: latin(words[0]).toUpperCase() === 'EXEC' ? before : [] });
  }
}

test('every reply of every session: RESP2 as RESP3, and RESP3 as RESP2', () => {
  const wrong = [];
  let looked = 0;
  for (const file of files.filter((name) => !RESP3_ONLY.test(name))) {
    inBoth(readFileSync(new URL(file, sessions), 'utf8'), ({ line, words, two, three, queued }) => {
      // Only over RESP2 a subscriber is refused other commands.
      if (latin(two).startsWith("-ERR Can't execute")) return;
      looked += 1;
      const asked = askedBy(words, shapeOf, queued);
      const up = written(parseReplies(two).map((node) => upgraded(node, asked)));
      const down = written(parseReplies(three).map((node) => downgraded(node, asked)));
      if (up !== latin(three))
        wrong.push(`${file}: ${line}\n  up ${JSON.stringify(up)}\n     ${JSON.stringify(latin(three))}`);
      if (down !== latin(two))
        wrong.push(`${file}: ${line}\n  down ${JSON.stringify(down)}\n       ${JSON.stringify(latin(two))}`);
    });
  }
  assert.equal(wrong.slice(0, 40).join('\n'), '');
  assert.ok(looked > 4000, `${looked} replies`);
});

test('parts are on the line on which they are printed', () => {
  for (const file of files.filter((name) => !RESP3_ONLY.test(name))) {
    inBoth(readFileSync(new URL(file, sessions), 'utf8'), ({ line, two, three }) => {
      const db = new Keylatch();
      for (const reply of [two, three].filter(({ length }) => length > 0)) {
        assert.equal(written(parseReplies(reply)), latin(reply), line);
        assert.equal(printedLines(parseReplies(reply)), printReply(db, reply).split('\n').length, `${file}: ${line}`);
      }
      db.close();
    });
  }
});

test('replies that are cut off keep the sizes that they announce', () => {
  const reply = Buffer.from('*3\r\n$3\r\nabc\r\n$5\r\nhe');
  assert.equal(written(parseReplies(reply)), reply.toString());
  const asked = askedBy([Buffer.from('SMEMBERS'), Buffer.from('k')], shapeOf);
  assert.equal(written(parseReplies(reply).map((node) => upgraded(node, asked))), reply.toString().replace('*', '~'));
});

test('a command as a request', () => {
  assert.equal(
    written([requestNode([Buffer.from('GET'), Buffer.from('a\xff', 'latin1')])]),
    '*2\r\n$3\r\nGET\r\n$2\r\na\xff\r\n',
  );
});
