// The picture of a race: where it shows a clash, and where none is.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import { loadModule } from './load.js';

const { storyOf } = await loadModule('src/picture/story.ts');
const { drawPicture } = await loadModule('src/picture/draw.ts');
const fromPage = createRequire(new URL('../../../www/package.json', import.meta.url));
const { exploreRace, runSession } = fromPage('keylatch-scripting/testing');

const rows = new Map(fromPage('keylatch/commands.json').map((row) => [row.name, row]));
const rowOf = (first, second) => rows.get(`${first}|${second}`.toUpperCase()) ?? rows.get(first.toUpperCase());

const LESSONS = new URL('../../../www/lessons/', import.meta.url);
const RACES = new URL('races/', LESSONS);
const BEGIN_MS = Date.UTC(2026, 0, 1);
const RELEASE = `"if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) else return 0 end" 1 lock`;

const TAKE = `"return redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', 5000)" 1 lock`;

const story = (text) => storyOf(runSession(text, { facts: true }).steps, rowOf);
const clashesOf = (text) => story(text).clashes.map(({ key, clients }) => `${key}: ${clients.join(' ')}`);

/** Lines of a session, by what they show; each is without a clash. */
const SAFE = {
  'readers of a latch': 'A> LATCH.ACQUIRE l ann TTL 5000 SHARED\nB> LATCH.ACQUIRE l bob TTL 5000 SHARED',
  'a writer that reads on, and a reader': `A> LATCH.ACQUIRE l ann TTL 5000
    A> LATCH.RENEW l ann TTL 5000 SHARED\nB> LATCH.ACQUIRE l bob TTL 5000 SHARED`,
  'an upgrade after the other reader has left': `A> LATCH.ACQUIRE l ann TTL 5000 SHARED
    B> LATCH.ACQUIRE l bob TTL 5000 SHARED\nA> LATCH.ACQUIRE l ann TTL 5000 WAIT 5000\nB> LATCH.RELEASE l bob\nA<
    (integer) 1767225600000002`,
  'permits up to the limit': `A> LATCH.ACQUIRE l ann TTL 5000 PERMITS 2 LIMIT 3
    B> LATCH.ACQUIRE l bob TTL 5000 PERMITS 1 LIMIT 3\nA> LATCH.RELEASE l ann
    C> LATCH.ACQUIRE l cid TTL 5000 PERMITS 2 LIMIT 3`,
  'intents above two parts': `A> LATCH.ACQUIRE shop/till ann TTL 5000 INTENT 1 shop
    B> LATCH.ACQUIRE shop/shelf bob TTL 5000 SHARED INTENT 1 shop`,
  'one key in three databases': `A0> SET lock ann NX PX 5000\nA1> SELECT 1\nA1> SET lock ann NX PX 5000
    A2> SELECT 2\nA2> SET lock ann NX PX 5000`,
  'a wait without a message': `A> LATCH.ACQUIRE l ann TTL 5000\nB> LATCH.ACQUIRE l bob TTL 5000 WAIT 9000
    C> LATCH.ACQUIRE l cid TTL 5000 WAIT 9000\nA> LATCH.RELEASE l ann\nB<\n(integer) 1767225600000001\nC<`,
  'a grant that comes later': `A> LATCH.ACQUIRE l ann TTL 5000\nB> LATCH.ACQUIRE l bob TTL 5000 WAIT 9000\nB<
    A> LATCH.RELEASE l ann\nB<\n(integer) 1767225600000001\nB> LATCH.RELEASE l bob\nA> LATCH.ACQUIRE l ann TTL 5000`,
  'a lock that a script takes and another one releases': `A> EVAL ${TAKE} ann\nA> EVAL ${RELEASE} ann
    B> EVAL ${TAKE} bob`,
  'a lock that a script refuses': `A> EVAL ${TAKE} ann\nB> EVAL ${TAKE} bob`,
  'a key that is only counted': 'A> GET hits\nA> INCR hits\nB> GET hits\nB> INCR hits',
  'a release by a script': `A> SET lock ann NX PX 5000\nA> EVAL ${RELEASE} ann\nB> SET lock bob NX PX 5000`,
  'a release by a script that comes too late': `A> SET lock ann NX PX 5000\n@ +6s\nB> SET lock bob NX PX 5000
    A> EVAL ${RELEASE} ann`,
  'SET NX that is discarded': `A> MULTI\nA> SET lock ann NX PX 5000\nA> DISCARD\nB> SET lock bob NX PX 5000`,
  'SET NX that EXEC refuses': `B> SET lock bob NX PX 5000\nA> MULTI\nA> SET lock ann NX PX 5000\nA> SADD s 1\nA> EXEC`,
  'SET NX behind a watched key that changed': `A> WATCH lock\nA> GET lock\nA> MULTI\nA> SET lock ann PX 5000
    B> SET lock bob NX PX 5000\nA> EXEC`,
  'a lock that is taken and removed in one transaction': `A> MULTI\nA> SET lock ann NX PX 5000\nA> DEL lock\nA> EXEC
    B> SET lock bob NX PX 5000`,
  'SET NX GET that returns the value of another one': 'A> SET lock ann NX PX 5000\nB> SET lock bob NX GET PX 5000',
  'a lease that GETEX shortens': `A> SET lock ann NX PX 5000\nA> GETEX lock PX 100\n@ +101ms
    B> SET lock bob NX PX 5000`,
  'a lease that PEXPIRE shortens': `A> SET lock ann NX PX 5000\nA> PEXPIRE lock 100\n@ +101ms
    B> SET lock bob NX PX 5000`,
  'a lease that a script shortens': `A> SET lock ann NX PX 5000
    A> EVAL "return redis.call('PEXPIRE', KEYS[1], 100)" 1 lock\n@ +101ms\nB> SET lock bob NX PX 5000`,
  'EXPIRE 0': 'A> SET lock ann NX PX 5000\nA> EXPIRE lock 0\nB> SET lock bob NX PX 5000',
  RENAME: 'A> SET lock ann NX PX 5000\nA> RENAME lock old\nB> SET lock bob NX PX 5000',
  GETDEL: 'A> SET lock ann NX PX 5000\nA> GETDEL lock\nB> SET lock bob NX PX 5000',
  'DEL of two keys': `A> SET one ann NX PX 5000\nA> SET two ann NX PX 5000\nA> DEL one two
    B> SET one bob NX PX 5000\nB> SET two bob NX PX 5000`,
  'FLUSHALL by the client itself': 'A> SET lock ann NX PX 5000\nA> FLUSHALL\nB> SET lock bob NX PX 5000',
  'a key that the default client removes': 'A> SET lock ann NX PX 5000\n> DEL lock\nB> SET lock bob NX PX 5000',
  STEAL: 'A> LATCH.ACQUIRE l ann TTL 5000\nB> LATCH.ACQUIRE l bob TTL 5000 STEAL',
  'two clients of one owner': 'A> LATCH.ACQUIRE l ann TTL 5000\nB> LATCH.ACQUIRE l ann TTL 5000',
  'a refusal that its holder asked for': `A> SET lock ann NX PX 5000\nA> SET lock ann NX PX 5000\n@ +6s
    B> SET lock bob NX PX 5000`,
  'fields of one hash': 'A> HSETNX user name Ann\nB> HSETNX user mail ann@example.org',
  'GETSET of a lock whose time is over': `A> SETNX lock 1767225610\n@ +15s\nB> GETSET lock 1767225625
    C> GETSET lock 1767225626`,
};

/** Sessions with clashes, and the clients in them. */
const UNSAFE = {
  'a lock that a script took': [`A> EVAL ${TAKE} ann\nC> DEL lock\nB> EVAL ${TAKE} bob`, ['lock: A B']],
  'a look within a script': [
    `A> SET lock ann NX\nC> DEL lock\nB> SET lock bob NX\nA> EVAL "return redis.call('GET', KEYS[1])" 1 lock\nB> DEL lock`,
    ['lock: A B'],
  ],
  'SETEX after a look': ['A> GET lock\nB> GET lock\nA> SETEX lock 5 ann\nB> SETEX lock 5 bob', ['lock: A B']],
  'both look, both set': ['A> GET lock\nB> GET lock\nA> SET lock ann\nB> SET lock bob', ['lock: A B']],
  'another one deletes the lock': [
    'A> SET lock ann NX PX 5000\nC> DEL lock\nB> SET lock bob NX PX 5000',
    ['lock: A B'],
  ],
  'another one ends the lease': [
    'A> SET lock ann NX PX 5000\nC> PEXPIRE lock 100\n@ +101ms\nB> SET lock bob NX PX 5000',
    ['lock: A B'],
  ],
  'up to the reply that says otherwise': [
    'A> SET lock ann NX PX 5000\nC> DEL lock\nB> SET lock bob NX PX 5000\nA> GET lock\nB> DEL lock',
    ['lock: A B'],
  ],
  'a lease counted from a late reply': [
    `A> LATCH.ACQUIRE l ann TTL 5000\nB> LATCH.ACQUIRE l bob TTL 5000 WAIT 9000\nA> LATCH.RELEASE l ann\n@ +3s\nB<
    (integer) 1767225600000001\n@ +3s\nC> LATCH.ACQUIRE l cid TTL 5000`,
    ['l: B C'],
  ],
  'DEL of the lock of another one': [
    'A> SET lock ann NX PX 5000\n@ +6s\nB> SET lock bob NX PX 5000\nA> DEL lock\nC> SET lock cleo NX PX 5000',
    ['lock: A B', 'lock: B C'],
  ],
  'a renewal of the lock of another one': [
    'A> SET lock ann NX PX 5000\n@ +6s\nB> SET lock bob NX PX 5000\nA> PEXPIRE lock 5000',
    ['lock: A B'],
  ],
  'SET NX in two transactions, with a removal between them': [
    'A> MULTI\nA> SET lock ann NX\nA> EXEC\nC> DEL lock\nB> MULTI\nB> PING\nB> SET lock bob NX\nB> EXEC',
    ['lock: A B'],
  ],
  'a store that forgets': ['A> SET lock ann NX PX 5000\nstore> FLUSHALL\nB> SET lock bob NX PX 5000', ['lock: A B']],
  'one key in one database of two': [
    `A> SELECT 1\nA> SET lock ann NX\nB> SET lock bob NX\nC> SELECT 1\nC> DEL lock\nC> SET lock cleo NX`,
    ['[1] lock: A C'],
  ],
  'the second key of ALSO': [
    'A> LATCH.ACQUIRE left ann TTL 5000 ALSO 1 right\nC> DEL right\nB> LATCH.ACQUIRE right bob TTL 5000',
    ['right: A B'],
  ],
  'more permits than the limit': [
    `A> LATCH.ACQUIRE l ann TTL 5000 PERMITS 1 LIMIT 1\nC> DEL l\nB> LATCH.ACQUIRE l bob TTL 5000 PERMITS 1 LIMIT 1`,
    ['l: A B'],
  ],
  'a writer beside a reader': [
    'A> LATCH.ACQUIRE l ann TTL 5000 SHARED\nC> DEL l\nB> LATCH.ACQUIRE l bob TTL 5000',
    ['l: A B'],
  ],
};

for (const [name, text] of Object.entries(SAFE))
  test(`safe: ${name}`, () => assert.deepEqual(clashesOf(text.replace(/^ +/gm, '')), []));

for (const [name, [text, clashes]] of Object.entries(UNSAFE))
  test(`unsafe: ${name}`, () => assert.deepEqual(clashesOf(text.replace(/^ +/gm, '')), clashes));

/** Clashes of the lessons that show two holders. All others have none: what goes wrong there is no lock of one key. */
const LESSON_CLASHES = {
  '02-check-then-set': ['lock: A B'],
  '04-deleting-each-other': ['lock: C1 C2'],
  '08-slow-owner': ['lock: A B', 'lock: B C'],
  '21-recipe-check-time-before-unlock': ['lock: B C', 'lock: C D'],
  '27-recipe-redlock': ['[1] lock: A1 B1'],
  '33-recipe-flag-cleared-on-failure': ['report:started: A C', 'report:started: C D'],
  '40-task-one-lock': ['lock: A B'],
  '41-task-late-release': ['lock: A B'],
  '43-task-paid-once': ['paid:42: A B'],
};

for (const file of readdirSync(LESSONS).filter((name) => name.endsWith('.session')))
  test(`lesson ${file}`, () => {
    const expected = LESSON_CLASHES[file.replace('.session', '')] ?? [];
    assert.deepEqual(clashesOf(readFileSync(new URL(file, LESSONS), 'utf8')), expected);
  });

for (const file of readdirSync(RACES))
  test(`every outcome of races/${file} has a clash exactly where clients are inside together`, () => {
    const sections = readFileSync(new URL(file, RACES), 'utf8').split(/^(?=## )/m);
    for (const section of sections.filter((text) => text.includes('@ race')))
      for (const { together, session } of exploreRace(section).outcomes)
        assert.equal(clashesOf(session).length > 0, together.length > 0, session);
  });

test('a latch has a bar on each of its keys, readers beside each other', () => {
  const { keys, holds } = story(`A> LATCH.ACQUIRE till ann TTL 5000 SHARED ALSO 1 shelf INTENT 1 shop
B> LATCH.ACQUIRE till bob TTL 5000 SHARED
A> LATCH.RELEASE till ann
C> PING
`);
  assert.deepEqual(keys, ['till', 'shelf', 'shop']);
  const bars = holds.map(({ client, key, from, to }) => `${client} ${key} ${from}-${to}`);
  assert.deepEqual(bars, ['A till 0-2', 'A shelf 0-4', 'A shop 0-4', 'B till 1-4']);
  const [one, other] = [
    ...drawPicture(
      storyOf(
        runSession(
          `A> LATCH.ACQUIRE l ann TTL 9 SHARED
B> LATCH.ACQUIRE l bob TTL 9 SHARED
`,
          { facts: true },
        ).steps,
        rowOf,
      ),
    ).svg.matchAll(/class="hold [^>]* x="([\d.]+)"/g),
  ];
  assert.ok(Number(other[1]) >= Number(one[1]) + 9);
});

test('the hold of a client that waited begins with the grant, its belief with the reply', () => {
  const { holds, beliefs } = story(`A> LATCH.ACQUIRE l ann TTL 5000
B> LATCH.ACQUIRE l bob TTL 5000 WAIT 9000
A> LATCH.RELEASE l ann
@ +3s
B<
`);
  const spans = (all) => all.map(({ client, from, to, untilMs }) => `${client} ${from}-${to} ${untilMs - BEGIN_MS}`);
  assert.deepEqual(spans(holds), ['A 0-2 5000', 'B 2-5 5000']);
  assert.deepEqual(spans(beliefs), ['A 0-2 5000', 'B 4-5 8000']);
});

test('the texts of the last lane end in front of the keys, whatever the number of lanes', () => {
  for (const count of [1, 2, 5, 20]) {
    const lines = Array.from({ length: count }, (_, index) => `C${index}> SET lock${index} ${'w'.repeat(60)} NX\n`);
    const { svg } = drawPicture(story(lines.join('')));
    const lanes = [...svg.matchAll(/class="said" x="(\d+)"/g)].map(([, x]) => Number(x));
    const keys = [...svg.matchAll(/class="hold [^>]* x="([\d.]+)"/g)].map(([, x]) => Number(x));
    // 46 letters of 6.6 pixels behind the name of a client.
    assert.ok(Math.max(...lanes) + 4 * 7 + 46 * 6.6 < Math.min(...keys), `${count} lanes`);
  }
});
