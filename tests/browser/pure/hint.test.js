// Table of hints: the typed text, and the ghost text expected behind the cursor.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadHints } from './load.js';
import { rows } from './hint-rows.js';

const { ghostHint, complete } = loadHints();

const SET_OPTIONS = '[NX|XX|IFEQ comparison] [GET] [EX seconds|PX milliseconds|KEEPTTL]';
const cases = {
  'names, whole and begun': [
    ['', ''],
    ['GET ', 'key'],
    ['GET', ' key'],
    ['get', ' key'],
    ['MG', 'ET key [key ...]'],
    ['SE', `T key value ${SET_OPTIONS}`],
    ['NOSUCH ', ''],
    ['NOSUCH', ''],
  ],
  'plain arguments': [
    ['GET door ', ''],
    ['GET door extra ', ''],
    ['SETEX ', 'key seconds value'],
    ['SETEX door ', 'seconds value'],
    ['SETEX door 5', ' value'],
    ['SETEX door 5 ', 'value'],
  ],
  'wrong types stop the hint': [
    ['SETEX door soon ', ''],
    ['SETEX door soon', ''],
    ['SETEX door 05 ', ''],
    ['SETEX door +5 ', ''],
    ['SET k v EX soon ', ''],
    ['NEAR k wide ', ''],
    ['NEAR k -2.5e3 ', '[WITHDIST] [COUNT count [ANY]] [ASC|DESC]'],
  ],
  'options in any order, a matched one vanishes': [
    ['SET k v ', SET_OPTIONS],
    ['SET k v', ` ${SET_OPTIONS}`],
    ['SET k v NX ', '[GET] [EX seconds|PX milliseconds|KEEPTTL]'],
    ['SET k v nx ', '[GET] [EX seconds|PX milliseconds|KEEPTTL]'],
    ['SET k v EX ', 'seconds [NX|XX|IFEQ comparison] [GET]'],
    ['SET k v EX 5 ', '[NX|XX|IFEQ comparison] [GET]'],
    ['SET k v EX 5 GET ', '[NX|XX|IFEQ comparison]'],
    ['SET k v KEEPTTL GET IFEQ a ', ''],
    ['SET k v IFEQ ', 'comparison [GET] [EX seconds|PX milliseconds|KEEPTTL]'],
    ['SET k v NX XX ', ''],
    ['SET k v FOO ', ''],
    ['SCAN 0 COUNT ', 'count [MATCH pattern] [TYPE type]'],
    ['SCAN 0 MATCH x* ', '[COUNT count] [TYPE type]'],
  ],
  'a keyword half typed is finished': [
    ['SET k v N', 'X [GET] [EX seconds|PX milliseconds|KEEPTTL]'],
    ['SET k v P', 'X milliseconds [NX|XX|IFEQ comparison] [GET]'],
    ['SET k v EX', ' seconds [NX|XX|IFEQ comparison] [GET]'],
    ['SET k v Q', ''],
    ['SCAN 0 COU', 'NT count [MATCH pattern] [TYPE type]'],
  ],
  'repeated arguments keep a tail': [
    ['MGET ', 'key [key ...]'],
    ['MGET a ', '[key ...]'],
    ['MGET a b ', '[key ...]'],
    ['MSET ', 'key value [key value ...]'],
    ['MSET a ', 'value [key value ...]'],
    ['MSET a 1 ', '[key value ...]'],
    ['MSET a 1 b ', 'value [key value ...]'],
    ['ADD k CH ', '[NX|XX] score member [score member ...]'],
    ['ADD k 0 ', 'member [score member ...]'],
    ['ADD k 0 a ', '[score member ...]'],
    ['FIELDS k ', '[GET encoding offset [GET encoding offset ...]]'],
    ['FIELDS k GET ', 'encoding offset [GET encoding offset ...]'],
    ['FIELDS k GET u8 ', 'offset [GET encoding offset ...]'],
    ['FIELDS k GET u8 12 ', '[GET encoding offset ...]'],
    ['FIELDS k GET u8 12 GET ', 'encoding offset [GET encoding offset ...]'],
  ],
  'a count says how many follow': [
    ['MSETEX ', 'numkeys key value [key value ...] [NX|XX] [EX seconds|PX milliseconds|KEEPTTL]'],
    ['MSETEX 2 a 1 ', 'key value [NX|XX] [EX seconds|PX milliseconds|KEEPTTL]'],
    ['MSETEX 1 a 1 ', '[NX|XX] [EX seconds|PX milliseconds|KEEPTTL]'],
    ['MSETEX 1 a 1 NX ', '[EX seconds|PX milliseconds|KEEPTTL]'],
    ['MSETEX 2 a 1 NX ', 'value [NX|XX] [EX seconds|PX milliseconds|KEEPTTL]'],
  ],
  'choices and nesting': [
    ['MOVE a b LEFT ', 'LEFT|RIGHT'],
    ['MOVE a b ', 'LEFT|RIGHT LEFT|RIGHT'],
    ['PICK k ', '[count [WITHSCORES]]'],
    ['PICK k 3 ', '[WITHSCORES]'],
    ['PICK k 3 WITHSCORES ', ''],
    ['PICK k many ', ''],
    ['NEAR k 1 COUNT ', 'count [ANY] [WITHDIST] [ASC|DESC]'],
    ['NEAR k 1 COUNT 2 ', '[ANY] [WITHDIST] [ASC|DESC]'],
    ['NEAR k 1 COUNT 2 ASC ', '[WITHDIST]'],
    ['PING ', '[message]'],
  ],
  subcommands: [
    ['OBJECT ', 'ENCODING|FREQ'],
    ['OBJECT EN', 'CODING key'],
    ['OBJECT ENCODING ', 'key'],
    ['OBJECT ENCODING k ', ''],
    ['COMMAND ', '[COUNT|DOCS]'],
    ['COMMAND DOCS get ', '[command-name ...]'],
  ],
  quotes: [
    ['SET "a b" ', `value ${SET_OPTIONS}`],
    ['SET k "v w', ''],
    ['SET k "v w"', ` ${SET_OPTIONS}`],
    ['SET k "v \\" w" ', SET_OPTIONS],
    ["SET 'it' ", `value ${SET_OPTIONS}`],
  ],
};

for (const [title, table] of Object.entries(cases)) {
  test(`hint: ${title}`, () => {
    const got = table.map(([line]) => [line, ghostHint(rows, line)]);
    assert.deepEqual(got, table);
  });
}

test('hint: every prefix of a legal command accepts the rest', () => {
  const legal = ['SET k v PX 100 GET NX', 'MSETEX 2 a 1 b 2 KEEPTTL', 'SCAN 0 TYPE string COUNT 5', 'ADD k XX 1 a 2 b'];
  for (const line of legal) {
    const words = line.split(' ');
    for (let count = 1; count <= words.length; count += 1) {
      const prefix = `${words.slice(0, count).join(' ')} `;
      const complete = count === words.length;
      assert.ok(ghostHint(rows, prefix) !== '' || complete, prefix);
    }
  }
});

const KEYS = ['door', 'doorbell', '"two words"'];
const keySource = (prefix, limit) => KEYS.filter((key) => key.replace(/^"/, '').startsWith(prefix)).slice(0, limit);
const offered = (line) => complete(rows, line, keySource).candidates.map(({ text }) => text);

test('completion: names, shortest first, then names that hold the letters', () => {
  assert.deepEqual(offered('SET'), ['SET', 'SETEX', 'MSET', 'MSETEX']);
  assert.deepEqual(offered(''), []);
  assert.deepEqual(offered('object e'), ['ENCODING']);
});

test('completion: keywords that are still possible, and keys where a key is due', () => {
  assert.deepEqual(offered('SET k v '), ['NX', 'XX', 'IFEQ', 'GET', 'EX', 'PX', 'KEEPTTL']);
  assert.deepEqual(offered('SET k v NX '), ['GET', 'EX', 'PX', 'KEEPTTL']);
  assert.deepEqual(offered('GET do'), ['door', 'doorbell']);
  assert.deepEqual(offered('GET door'), ['doorbell']);
  assert.deepEqual(offered('GET tw'), ['"two words"']);
  assert.deepEqual(offered('SET k NX'), []);
  assert.deepEqual(complete(rows, 'SET k v ke', keySource), {
    candidates: [{ text: 'KEEPTTL', kind: 'keyword' }],
    from: 8,
    to: 10,
  });
});
