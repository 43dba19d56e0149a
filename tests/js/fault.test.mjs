// The first word of a line that fits nowhere: found where the engine refuses it, and never in a command that it accepts.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { test } from 'node:test';
import { entry, folder } from './support/package.mjs';

const { findFault } = await entry('hints');
const { runSession } = await entry('testing');
const rows = new Map(JSON.parse(readFileSync(`${folder}/commands.json`, 'utf8')).map((row) => [row.name, row]));

const fault = (line) => findFault(rows, line);
/** Kind, word and what was probably meant; '' for no fault. */
const told = (line) => {
  const found = fault(line);
  return found ? [found.kind, found.word, ...found.near].join(' ') : '';
};

test('names: of commands and of subcommands', () => {
  assert.equal(told('SETT k v'), 'command SETT SET');
  assert.equal(told('hgte h f'), 'command hgte HGET');
  assert.equal(told('OBJECT ENCODNG k'), 'subcommand ENCODNG ENCODING');
  assert.equal(told('CONFIG GTE x'), 'subcommand GTE GET');
  assert.equal(told('FROBNICATE k'), 'command FROBNICATE');
});

test('options: unknown ones, repeated ones, and those that another one excludes', () => {
  assert.equal(told('SET k v NXX EX 5'), 'option NXX NX XX');
  assert.equal(told('SET k v NX XX '), 'repeated XX');
  assert.equal(told('SET k v EX 5 PX 5'), 'repeated PX');
  assert.equal(told('ZRANGE z 0 -1 WITHSCORE '), 'option WITHSCORE WITHSCORES');
  assert.equal(told('SCAN 0 MATHC a*'), 'option MATHC MATCH');
});

test('values of the wrong type, and words too many', () => {
  assert.equal(told('SET k v EX soon '), 'value soon');
  assert.deepEqual(fault('SET k v EX soon ').expected, { name: 'seconds', type: 'integer' });
  assert.equal(told('ZADD z high ann'), 'value high');
  assert.equal(told('GET a b '), 'extra b');
  assert.equal(fault('GET a b ').row.name, 'GET');
});

test('the place is that of the word in the line, its quotes included', () => {
  const line = '  SET "a b" v  NIX ';
  const { start, end, unfinished } = fault(line);
  assert.equal(line.slice(start, end), 'NIX');
  assert.equal(unfinished, false);
  const quoted = 'GET k "too many"';
  assert.equal(quoted.slice(fault(quoted).start, fault(quoted).end), '"too many"');
});

test('a word at the end that may still grow into one that fits is no fault', () => {
  for (const line of [
    'S',
    'SETN',
    'OBJECT EN',
    'SET k v N',
    'SET k v EX',
    'SET k v EX -',
    'ZADD z -in',
    'ZADD z 1e',
    'GET "open',
    '',
  ])
    assert.equal(told(line), '', line);
  for (const line of ['SX', 'SET k v NXX', 'SET k v EX 1x']) assert.equal(fault(line)?.unfinished, true, line);
});

test('long lines are not examined', () => {
  assert.equal(told(`MSET ${'k v '.repeat(150)} x y`), '');
});

/** Commands that the engine replies to without looking at the word: the key is missing, or the parser is laxer. */
const LAX = [
  /^(?:[HSZ]SCAN|LINDEX|GETEX|GEORADIUSBYMEMBER(?:_RO)?) missing /,
  /^DEBUG SET-ACTIVE-EXPIRE/,
  /^BITFIELD_RO k OVERFLOW/,
];

test('no command of a session that has a reply has a fault', () => {
  const files = ['../sessions/', '../../www/lessons/'].flatMap((path) => {
    const base = new URL(path, import.meta.url);
    const names = readdirSync(base, { recursive: true }).filter((name) => name.endsWith('.session'));
    return names.map((name) => [name, readFileSync(new URL(name, base), 'utf8')]);
  });
  const wrong = [];
  let looked = 0;
  for (const [name, text] of files) {
    for (const { kind, text: line, printed } of runSession(text).steps) {
      if (kind !== 'command' || printed.length === 0 || /^\(error\)|^QUEUED$/.test(printed[0])) continue;
      looked += 1;
      const found = fault(`${line} `);
      // Which options exclude each other is known to the engine alone: such a word is named when it was refused.
      if (found && found.kind !== 'repeated' && !LAX.some((lax) => lax.test(line)))
        wrong.push(`${name}: ${line}: ${found.kind} ${found.word}`);
    }
  }
  assert.ok(looked > 5000, `${looked} commands`);
  assert.deepEqual(wrong, []);
});
