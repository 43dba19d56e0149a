// Declared types against real replies: every session file runs through `call`, command by command, and each reply must
// have the type that is printed from its row. Methods that narrow the row's type are checked as well.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { PLAIN } from '../../pkg-templates/npm/generate/plain.mjs';
import { replyType } from '../../pkg-templates/npm/generate/replies.mjs';
import { entry, folder } from './support/package.mjs';
import { typeMatcher } from './support/type-match.mjs';

const load = async (path) => ({ ...(await path('index')), ...(await path('hints')), ...(await path('testing')) });
const plain = await load(entry);
/** Sessions of scripts run in the package with Lua. */
const withLua = await load((name) => import(`${folder}-scripting/esm/${name}.js`));
const rows = new Map(JSON.parse(readFileSync(`${folder}/commands.json`, 'utf8')).map((row) => [row.name, row]));

/** The types that a reply must have: that of `call`, and that of the printed method. */
const TYPES = new Map(
  [...rows].map(([name, row]) => {
    const types = [replyType(row.reply, row), PLAIN[name]?.reply].filter((type) => type !== undefined);
    return [name, types.map((type) => ({ type, matches: typeMatcher(type) }))];
  }),
);

/** True for rows that never reply but with an error: their own are declared so, containers need a subcommand. */
function isAlwaysError({ name, reply }) {
  return reply === 'error' || [...rows.keys()].some((other) => other.startsWith(`${name}|`));
}

const sessions = new URL('../sessions/', import.meta.url);
const files = readdirSync(sessions, { recursive: true }).filter((name) => name.endsWith('.session'));

function rowOf(argv) {
  const [command = '', subcommand = ''] = argv.slice(0, 2).map((word) => Buffer.from(word).toString().toUpperCase());
  return rows.get(`${command}|${subcommand}`) ?? rows.get(command);
}

/** True for HELLO with another version than 3: the replies behind it have other types. */
function changesProtocol(row, argv) {
  return row?.name === 'HELLO' && argv.length > 1 && Buffer.from(argv[1]).toString() !== '3';
}

/** The reply, or undefined for an error, a blocked command, or one that was queued. */
function replyOf({ ReplyError }, client, argv) {
  const isQueued = client.inTransaction;
  try {
    const reply = client.call(...argv);
    return isQueued && reply === 'QUEUED' ? undefined : reply;
  } catch (error) {
    if (error instanceof ReplyError || ['WaitingError', 'ClosedError', 'NoReplyError'].includes(error.name))
      return undefined;
    throw error;
  }
}

function wordsOf({ LineError, splitLine }, db, line) {
  try {
    return splitLine(db, line);
  } catch (error) {
    assert.ok(error instanceof LineError, String(error));
    return [];
  }
}

/** Runs a file; calls back with each row, request and reply. */
function replay(file, check) {
  const kit = file.startsWith('scripting/') ? withLua : plain;
  const { Keylatch, ManualClock, runSession } = kit;
  const { steps } = runSession(readFileSync(new URL(file, sessions), 'utf8'));
  const clock = new ManualClock();
  const db = new Keylatch({ clock, seed: 0 });
  const clients = new Map();
  for (const { kind, client: name, text, nowMs } of steps) {
    if (kind === 'clock') clock.set(nowMs);
    if (kind !== 'command') continue;
    if (!clients.has(name) || clients.get(name).closed) clients.set(name, db.client());
    const argv = wordsOf(kit, db, text);
    const row = rowOf(argv);
    if (argv.length === 0 || changesProtocol(row, argv)) continue;
    const reply = replyOf(kit, clients.get(name), argv);
    if (reply !== undefined && row !== undefined) check(row, text, reply);
    // RESET returns to RESP2.
    if (row?.name === 'RESET') clients.get(name).call('HELLO', 3);
  }
}

/** Rows that reply with an error in a session, which has no store and no server; tests/clients shows their replies. */
const NEEDING_A_HOST = new Set(['BGREWRITEAOF', 'BGSAVE', 'SAVE', 'SHUTDOWN']);

/** Rows that find no running script, since nothing runs beside one. */
const NOTHING_RUNS = new Set(['FUNCTION|KILL', 'SCRIPT|KILL']);

test('every reply of every session has the declared type', () => {
  const mismatches = [];
  const seen = new Set();
  for (const file of files) {
    replay(file, (row, text, reply) => {
      seen.add(row.name);
      for (const { type, matches } of TYPES.get(row.name)) {
        if (!matches(reply)) mismatches.push(`${file}: ${text}\n  declared ${type}\n  found    ${inspect(reply)}`);
      }
    });
  }
  assert.equal(mismatches.join('\n'), '');
  const unseen = [...rows.values()].filter(
    ({ name, reply }) =>
      !seen.has(name) && !isAlwaysError({ name, reply }) && !NEEDING_A_HOST.has(name) && !NOTHING_RUNS.has(name),
  );
  assert.deepEqual(
    unseen.map(({ name }) => name),
    [],
    'no session shows a reply of these',
  );
});

test('the matcher itself finds wrong types', () => {
  const wrong = [
    ["'OK' | null", 'ok'],
    ['[Text, number][]', [['a', '1']]],
    ['(0 | 1)[]', [0, 2]],
    ['Map<Text, Text>', ['a', 'b']],
    ['[longitude: number, latitude: number] | null', [1]],
    ['Set<Text>', ['a']],
    ['never', null],
  ];
  for (const [type, value] of wrong) assert.ok(!typeMatcher(type)(value), type);
  assert.ok(typeMatcher("'OK' | [Text, [Text, number | bigint][]] | null")(['a', [['b', 1n]]]));
});
