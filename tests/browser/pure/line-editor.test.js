// The edited line, without a page: suggestions, history, search.
import assert from 'node:assert/strict';
import { beforeEach, test } from 'node:test';
import { rows } from './hint-rows.js';
import { loadModule } from './load.js';

const { LineEditor } = await loadModule('src/prompt/line-editor.ts');
const { History } = await loadModule('src/prompt/history.ts');

let editor;
let history;
beforeEach(() => {
  history = new History();
  editor = new LineEditor(rows, history, () => ['door']);
});

const texts = () => editor.suggestions.map(({ text }) => text);

test('typing offers, accepting replaces the word and goes on offering', () => {
  editor.input('sete', true);
  assert.equal(texts()[0], 'SETEX');
  editor.accept();
  assert.equal(editor.text, 'SETEX ');
  assert.equal(editor.ghost, 'key seconds value');
  assert.equal(editor.open, false);
  assert.equal(editor.suggest(true), true);
  assert.deepEqual(texts(), ['door']);
});

test('away from the end of the line there is no hint and no list', () => {
  editor.input('SET k v N', false);
  assert.equal(editor.ghost, '');
  assert.equal(editor.open, false);
});

test('the hint belongs to the last of several lines', () => {
  editor.input('SET a 1\nGET ', true);
  assert.equal(editor.ghost, 'key');
  editor.input('SET a "1\nGET ', true);
  assert.notEqual(editor.ghost, 'key');
});

test('choosing stays within the list, and above it nothing is chosen', () => {
  editor.input('SE', true);
  assert.equal(editor.active, -1);
  for (let count = 0; count < 40; count += 1) editor.move(1);
  assert.equal(editor.active, editor.suggestions.length - 1);
  for (let count = 0; count < 40; count += 1) editor.move(-1);
  assert.equal(editor.active, -1);
});

test('history keeps the draft, drops repetitions, and starts again after an edit', () => {
  for (const text of ['one', 'two', 'two', '  ']) {
    editor.input(text, true);
    editor.take();
  }
  editor.input('draft', true);
  assert.equal(editor.older(), true);
  assert.equal(editor.older(), true);
  assert.equal(editor.older(), false);
  assert.equal(editor.text, 'one');
  editor.input('one more', true);
  assert.equal(editor.older(), true);
  assert.equal(editor.text, 'two');
  editor.newer();
  assert.equal(editor.text, 'one more');
  assert.equal(editor.newer(), false);
});

test('the search filters, moves on when asked again, and gives the line back on Escape', () => {
  for (const text of ['SET a 1', 'GET a', 'SET b 2']) history.add(text);
  editor.input('draft', true);
  editor.startSearch();
  editor.input('set', true);
  assert.deepEqual(texts(), ['SET b 2', 'SET a 1']);
  editor.startSearch();
  assert.equal(editor.active, 1);
  editor.accept();
  assert.equal(editor.text, 'SET a 1');
  editor.startSearch();
  editor.input('nothing like it', true);
  assert.equal(editor.cancel(), true);
  assert.equal(editor.text, 'SET a 1');
  assert.equal(editor.mode, 'type');
});
