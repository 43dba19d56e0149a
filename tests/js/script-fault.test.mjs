// The place in a script that an error names, with the errors of the engine that has Lua.
import assert from 'node:assert/strict';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { entry, folder } from './support/package.mjs';

const { findScriptFault, printScriptFault } = await entry('hints');
const scripting = join(dirname(folder), 'keylatch-scripting/esm/index.js');
const { Keylatch } = await import(pathToFileURL(scripting).href);

/** Message of the error that a command raises. */
function errorOf(...words) {
  const db = new Keylatch();
  db.set('text', 'x');
  try {
    db.call(...words);
  } catch ({ message }) {
    return message;
  } finally {
    db.close();
  }
  throw new Error(`no error: ${words.join(' ')}`);
}

/** `line:column` of the error that a command raises; without a column, `line:`. */
function placeOf(...words) {
  const fault = findScriptFault(words, errorOf(...words));
  return fault && `${fault.line}:${fault.column ?? ''}`;
}

test('an error at run time: the line, and the column of the word that it quotes', () => {
  assert.equal(placeOf('EVAL', 'local n = 1\nreturn  nosuch', '0'), '2:9');
  assert.equal(placeOf('EVAL', 'local t = nil\n\nreturn t.field', '0'), '3:8');
  assert.equal(placeOf('EVAL', 'return table.concat({}, {})', '0'), '1:14');
  assert.equal(placeOf('EVAL_RO', "return redis.call('GET', KEYS[1]) + nosuch", '1', 'text'), '1:37');
});

test('an error of the compiler: where it met the word, or behind the last letter', () => {
  assert.equal(placeOf('EVAL', 'local x == 1', '0'), '1:9');
  assert.equal(placeOf('SCRIPT', 'LOAD', 'return 1\nlocal if = 2'), '2:1');
  assert.equal(placeOf('EVAL', 'if true then\n  return 1', '0'), '2:11');
  assert.equal(placeOf('FUNCTION', 'LOAD', '#!lua name=a\nredis.register_functio("f", 1)'), '2:7');
});

test('a word that the line has twice has no column; nor has a command that failed', () => {
  assert.equal(placeOf('EVAL', 'return nosuch or nosuch', '0'), '1:');
  assert.equal(placeOf('EVAL', "\nreturn redis.call('INCR', 'text')", '0'), '2:');
});

test('no place: other commands, other errors, and scripts that are called by name', () => {
  assert.equal(placeOf('EVAL', 'return 1', 'x'), undefined);
  assert.equal(placeOf('EVAL', "return redis.error_reply('ERR user_script:x')", '0'), undefined);
  const error = 'ERR user_script:1: nosuch script: abc, on @user_script:1.';
  assert.equal(findScriptFault(['EVALSHA', 'abc', '0'], error), undefined);
  assert.equal(findScriptFault(['GET', 'k'], error), undefined);
  assert.equal(findScriptFault(['EVAL', 'return 1', '0'], 'ERR user_script:7: beyond'), undefined);
  assert.equal(findScriptFault([], error), undefined);
});

test('a place is printed as the line with a mark below the word', () => {
  const print = (...words) => printScriptFault(findScriptFault(words, errorOf(...words)));
  assert.equal(print('EVAL', 'local n = 1\n\treturn nosuch', '0'), '  2 | \treturn nosuch\n    | \t       ^ column 9');
  assert.equal(print('EVAL', 'return nosuch or nosuch', '0'), '  1 | return nosuch or nosuch');
});
