// The inspector's pure modules: order and folders of keys, commands of its forms, forms of values, long output.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadModule, loadTexts } from './load.js';

const { SortedRows, byExpiry, byName, dueMs } = await loadModule('src/keys/sorted-rows.ts');
const { KeyView } = await loadModule('src/keys/key-view.ts');
const { commandText, removeCommand, writeCommand } = await loadModule('src/keys/key-edit.ts');
const { beginning, isPrintedRaw, rawLines, readable } = await loadModule('src/text/output.ts');
const { hexText, jsonText } = await loadModule('src/keys/value-forms.ts');
const { addressedLine } = await loadTexts();
const { matchedLetters } = await loadModule('src/prompt/matched-letters.ts');

const bytes = (text) => new TextEncoder().encode(text);
const row = (name, deadlineMs = null, fieldDeadlineMs = null) => {
  return { label: name, name, key: bytes(name), type: 'string', size: 1, deadlineMs, fieldDeadlineMs };
};
const namesOf = (rows) => rows.map(({ name }) => name);

test('rows stay sorted, changed one by one or in bulk', () => {
  let state = 1;
  const random = (below) => {
    state = (state * 48271) % 2147483647;
    return state % below;
  };
  for (const order of [byName, byExpiry]) {
    const sorted = new SortedRows(order);
    let model = [];
    for (const size of [3, 200, 1, 40, 7, 500]) {
      const removed = model.filter(() => random(4) === 0).slice(0, size);
      const added = Array.from({ length: size }, (_, index) =>
        row(`k${random(1e6)}-${size}-${index}`, random(9) || null),
      );
      sorted.change(removed, added);
      model = [...model.filter((one) => !removed.includes(one)), ...added].sort(order);
      assert.deepEqual(namesOf(sorted.rows), namesOf(model));
    }
  }
});

test('a key is due at the earlier of its own deadline and that of a field', () => {
  assert.deepEqual(
    [dueMs(row('a')), dueMs(row('a', 5)), dueMs(row('a', null, 4)), dueMs(row('a', 5, 4))],
    [null, 5, 4, 4],
  );
});

test('a view arranges by name, by expiry, and in folders; a filter holds for all', () => {
  const rows = ['a', 'b:1', 'b:c:1', 'b:c:2', 'c'].map((name, index) => row(name, index % 2 ? 10 - index : null));
  const dated = rows.filter((one) => one.deadlineMs !== null).sort(byExpiry);
  const list = {
    rows,
    datedRows: dated,
    undatedRows: rows.filter((one) => one.deadlineMs === null),
    revision: 1,
    count: 5,
  };
  const view = new KeyView();
  const texts = () => Array.from({ length: view.count(list) }, (_, index) => view.at(list, index).text);
  assert.deepEqual(texts(), ['a', 'b:1', 'b:c:1', 'b:c:2', 'c']);
  view.sortBy('expiry');
  assert.deepEqual(texts(), ['b:c:2', 'b:1', 'a', 'b:c:1', 'c']);
  assert.equal(view.indexOf(list, 'ka'), 2);
  view.sortBy('tree');
  assert.deepEqual(texts(), ['a', 'b:', 'c']);
  view.toggle('b:');
  view.toggle('b:c:');
  assert.deepEqual(texts(), ['a', 'b:', '1', 'c:', '1', '2', 'c']);
  view.filter = 'b:c*';
  assert.deepEqual(texts(), ['b:', 'c:', '1', '2']);
  assert.equal(view.keyCount(list), 2);
  view.filter = 'B:1';
  assert.deepEqual(texts(), ['b:', '1']);
});

test('commands of the forms, and their text', () => {
  const key = bytes('k');
  const command = (type, draft) => commandText(writeCommand(type, key, draft));
  assert.equal(command('hash', { name: 'f', value: 'a b' }), 'HSET k f "a b"');
  assert.equal(command('hash', { name: 'f', value: '1', mortal: true }), 'HSETEX k KEEPTTL FIELDS 1 f 1');
  assert.equal(command('list', { index: 3, name: '', value: 'x' }), 'LSET k 3 x');
  assert.equal(command('list', { name: '', value: 'x' }), 'RPUSH k x');
  assert.equal(command('set', { name: 'm', value: '' }), 'SADD k m');
  assert.equal(command('zset', { name: 'm', value: '1.5' }), 'ZADD k 1.5 m');
  assert.equal(command('string', { name: '', value: '', mortal: true }), 'SET k "" KEEPTTL');
  assert.equal(commandText(removeCommand('hash', key, new Uint8Array([255]))), 'HDEL k "\\xff"');
  assert.equal(removeCommand('list', key, 'x'), undefined);
});

test('the beginning of a long output', () => {
  assert.equal(beginning(['a', 'b']), undefined);
  assert.equal(beginning(Array(41).fill('a')).length, 40);
  assert.deepEqual(beginning(['x'.repeat(5000)]), ['x'.repeat(4000)]);
});

test('escapes of UTF-8 become text, others stay', () => {
  assert.equal(readable('"\\xe2\\x82\\xac \\xff \\\\xc3\\xbc"'), '"€ \\xff \\\\xc3\\xbc"');
  assert.equal(readable('"\\x00"'), '"\\x00"');
});

test('replies that redis-cli prints without quotes', () => {
  assert.ok(isPrintedRaw(['info']) && isPrintedRaw([bytes('client'), 'list']));
  assert.ok(!isPrintedRaw(['CLIENT', 'GETNAME']) && !isPrintedRaw(['GET', 'info']));
  assert.deepEqual(rawLines(bytes('$6\r\na\r\nb\r\n\r\n')), ['a', 'b']);
  assert.deepEqual(rawLines(bytes('-ERR no\r\n')), ['ERR no']);
  assert.equal(rawLines(bytes(':1\r\n')), undefined);
});

test('values as JSON and bytes', () => {
  assert.equal(jsonText('{"a":1}'), '{\n  "a": 1\n}');
  assert.deepEqual([jsonText('{a}'), jsonText('12')], [undefined, undefined]);
  assert.match(hexText(bytes('keylatch speaks R')), /^000000 {2}6b 65 .* keylatch speaks \n000010 {2}52 +R$/);
});

test('a typed line that names its client', () => {
  assert.deepEqual(addressedLine('C2> GET k'), {
    client: 'C2',
    database: undefined,
    skipped: 4,
    command: 'GET k',
  });
  for (const [line, client, database] of [
    ['keylatch[1](TX)> GET k', 'keylatch', 1],
    ['redis> GET k', undefined, undefined],
    ['127.0.0.1:6379[2]> GET k', undefined, 2],
    ['[::1]:6379> GET k', undefined, undefined],
  ]) {
    const { skipped: _, ...address } = addressedLine(line);
    assert.deepEqual(address, { client, database, command: 'GET k' });
  }
  for (const line of ['GET k', 'SET k "a> b"', 'C2>', '> GET k']) assert.equal(addressedLine(line).command, line);
});

test('typed letters of a suggestion', () => {
  const shown = (...given) =>
    matchedLetters(...given)
      .map(({ text, typed }) => (typed ? `[${text}]` : text))
      .join('');
  assert.equal(shown('GETEX', 'ge'), '[GE]TEX');
  assert.equal(shown('HGETEX', 'gtx'), 'H[G]E[T]E[X]');
  assert.equal(shown('GET', ''), 'GET');
});
