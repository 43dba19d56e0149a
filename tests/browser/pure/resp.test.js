// Replies of the second engine, against an engine that was asked in RESP3; and the printed line of each part.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadHints, loadModule, loadTexts } from './load.js';

const { parseReplies, piecesOf, printedLines, requestNode } = await loadModule('src/resp/resp-tree.ts');
const { SecondEngine, SharedEngine } = await loadTexts();
const { printReply, runSessionOn, splitLine } = loadHints();
const fromPage = createRequire(new URL('../../../www/package.json', import.meta.url));
const { Keylatch, ManualClock } = fromPage('keylatch');

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
    return { clock, db, client };
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
    check({ client, line, nowMs, two, three });
  }
}

const START_MS = Date.UTC(2026, 0, 1);

/** Counts the engines that it makes. */
const maker = () => ({
  made: [],
  make() {
    const clock = new ManualClock();
    const engine = { db: new Keylatch({ clock, seed: 0 }), clock };
    this.made.push(engine);
    return engine;
  },
});
const typed = (prompt, text, nowMs = START_MS) => ({ prompt, text, nowMs });
const recorded = (lines) => ({ start: undefined, setup: [], lines });
const shown = (engine, index) => latin(engine.reply(index)?.bytes ?? []);

test('every reply of every session is that of an engine that was asked in RESP3', () => {
  let looked = 0;
  for (const file of files.filter((name) => !RESP3_ONLY.test(name))) {
    const lines = [];
    const expected = [];
    inBoth(readFileSync(new URL(file, sessions), 'utf8'), ({ client, line, nowMs, three }) => {
      lines.push(typed(`${client || 'keylatch'}>`, line, nowMs));
      expected.push(latin(three).slice(0, 8 * 1024));
    });
    const engine = new SecondEngine(recorded(lines), maker());
    for (const [index, three] of expected.entries()) {
      assert.equal(shown(engine, index), three, `${file}: ${lines[index].text}`);
      looked += 1;
    }
    engine.close();
  }
  assert.ok(looked > 4000, `${looked} replies`);
});

test('printed lines are those of the reply that is shown', () => {
  const lines = [typed('keylatch>', 'HSET h f v g w'), typed('keylatch>', 'HGETALL h'), typed('keylatch>', 'GET none')];
  const engine = new SecondEngine(recorded(lines), maker());
  assert.deepEqual(engine.reply(1).printed, ['1# "f" => "v"', '2# "g" => "w"']);
  assert.deepEqual([engine.reply(1).lineCount, engine.reply(2).printed], [2, ['(nil)']]);
  const many = [typed('keylatch>', `RPUSH l ${'e '.repeat(5000)}`), typed('keylatch>', 'LRANGE l 0 -1')];
  const { size, bytes, printed, lineCount } = new SecondEngine(recorded(many), maker()).reply(1);
  assert.deepEqual([size, bytes.length, printed.length, lineCount], [5000 * 7 + 7, 8 * 1024, 40, 5000]);
});

test('lines run with the keys, settings, databases and time that they had', () => {
  const before = new Keylatch();
  before.set('k', 'v');
  const lines = [
    typed('keylatch>', 'GET k'),
    typed('C2[1](TX)>', 'SET k w PX 5000'),
    typed('C2[1]>', 'GET k', START_MS + 5000),
    typed('@', '', START_MS + 5001),
    typed('C2[1]>', 'GET k', START_MS + 5001),
    typed('keylatch>', 'CONFIG GET maxmemory-policy', START_MS + 5001),
  ];
  const setup = [typed('keylatch>', 'CONFIG SET maxmemory-policy allkeys-lru'), typed('C2>', 'SELECT 1')];
  const engine = new SecondEngine({ start: before.snapshot(), setup, lines }, maker());
  const replies = lines.map((_, index) => shown(engine, index));
  assert.deepEqual(replies.slice(0, 5), ['$1\r\nv\r\n', '+OK\r\n', '$1\r\nw\r\n', '', '_\r\n']);
  assert.match(replies[5], /^%1\r\n.*allkeys-lru/s);
});

test('messages and late replies are shown where they were received', () => {
  const lines = [
    typed('C2>', 'SUBSCRIBE news'),
    typed('C3>', 'BLPOP q 0'),
    typed('keylatch>', 'PUBLISH news a'),
    typed('C2<', ''),
    typed('keylatch>', 'RPUSH q e'),
    typed('C3<', ''),
    typed('C2<', ''),
  ];
  const engine = new SecondEngine(recorded(lines), maker());
  assert.match(shown(engine, 0), /^>3\r\n\$9\r\nsubscribe/);
  assert.equal(shown(engine, 1), '');
  assert.equal(shown(engine, 3), '>3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$1\r\na\r\n');
  assert.equal(shown(engine, 5), '*2\r\n$1\r\nq\r\n$1\r\ne\r\n');
  assert.equal(shown(engine, 6), '');
});

test('a client that chose its protocol itself has no other reply; one that ended comes back with another name', () => {
  const lines = [
    typed('C2>', 'HELLO 2'),
    typed('C2>', 'GET none'),
    typed('C3>', 'GET none'),
    typed('C3>', 'QUIT'),
    typed('C3-2>', 'GET none'),
    typed('C3-2>', 'RESET'),
    typed('C3-2>', 'GET none'),
  ];
  const engine = new SecondEngine(recorded(lines), maker());
  assert.deepEqual(
    lines.map((_, index) => engine.reply(index) && shown(engine, index)),
    [undefined, undefined, '_\r\n', '+OK\r\n', '_\r\n', undefined, undefined],
  );
});

test('views share one engine, which is made for the first reply, follows the recording, and goes with the last view', () => {
  const shared = new SharedEngine();
  const makes = maker();
  const lines = [typed('keylatch>', 'INCR n')];
  const recording = recorded(lines);
  shared.open();
  shared.open();
  assert.equal(makes.made.length, 0);
  assert.equal(latin(shared.reply(recording, makes, 0).bytes), ':1\r\n');
  lines.push(typed('keylatch>', 'INCR n'));
  assert.equal(latin(shared.reply(recorded(lines), makes, 1).bytes), ':2\r\n');
  assert.equal(makes.made.length, 1);
  assert.equal(latin(shared.reply(recorded([typed('keylatch>', 'INCR n')]), makes, 0).bytes), ':1\r\n');
  assert.equal(makes.made.length, 2);
  assert.throws(() => makes.made[0].db.get('n'), { name: 'ClosedError' });
  shared.close();
  assert.equal(makes.made[1].db.get('n'), '1');
  shared.close();
  assert.throws(() => makes.made[1].db.get('n'), { name: 'ClosedError' });
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
});

test('a command as a request', () => {
  assert.equal(
    written([requestNode([Buffer.from('GET'), Buffer.from('a\xff', 'latin1')])]),
    '*2\r\n$3\r\nGET\r\n$2\r\na\xff\r\n',
  );
});
