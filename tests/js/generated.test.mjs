// Printed TypeScript: it covers every row, and a printed method sends the command that its row describes.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { methodName, printMethods } from '../../pkg-templates/npm/generate/methods.mjs';
import { PLAIN } from '../../pkg-templates/npm/generate/plain.mjs';
import { source } from './support/source.mjs';

const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const rows = JSON.parse(read('target/generated/commands.json'));
const rowNamed = (name) => rows.find((row) => row.name === name);
const { Commands } = await source('client/commands.ts');
/** Classes of commands that are written by hand; their methods are copied. */
const families = [];
for (const file of readdirSync(new URL('../../pkg-templates/npm/src/client/sugar/', import.meta.url))) {
  const exported = Object.entries(await source(`client/sugar/${file}`));
  const isFamily = ([name]) => name.endsWith('Commands') && name !== 'BlockingCommands';
  families.push(...exported.filter(isFamily).map(([, family]) => family));
}

const ownMethods = ({ prototype }) => Object.getOwnPropertyNames(prototype).filter((name) => name !== 'constructor');

/** Returns what would be sent. */
class Recorder extends Commands {
  execute(argv) {
    return argv;
  }
}

test('the types of call cover every command', () => {
  const printed = read('pkg-templates/npm/src/client/generated/commands.ts');
  const names = [...printed.matchAll(/^ {2}'?([A-Z_|.0-9-]+)'?: \[arguments: /gm)].map(([, name]) => name);
  // A container without a subcommand is an error, but for COMMAND.
  const isOnlyContainer = ({ name, arity }) => rows.some((row) => row.name.startsWith(`${name}|`)) && arity !== -1;
  const expected = rows.filter((row) => !isOnlyContainer(row)).map(({ name }) => name);
  assert.deepEqual(names, expected.sort());
  const overloads = read('pkg-templates/npm/src/client/generated/calls.ts').match(/^ {2}call\(name: '/gm);
  assert.equal(overloads.length, expected.length);
});

test('no method is both printed and written by hand', () => {
  const printed = Object.keys(PLAIN).map(methodName);
  const written = families.flatMap(ownMethods);
  assert.ok(written.length > 50 && printed.length > 50, `${written.length} and ${printed.length} methods`);
  assert.deepEqual(
    written.filter((name) => printed.includes(name)),
    [],
  );
  const missing = [...printed, ...written].filter((name) => typeof new Recorder()[name] !== 'function');
  assert.deepEqual(missing, [], 'not among the methods of a client');
});

test('methods are hidden from loops over a client, as those of a class are', () => {
  const listed = [];
  for (const name in new Recorder()) listed.push(name);
  assert.deepEqual(listed, []);
});

test('a printed method sends its command with the right number of words', () => {
  const recorder = new Recorder();
  for (const name of Object.keys(PLAIN)) {
    const method = recorder[methodName(name)];
    // Required arguments one by one, then two more for a method that takes any number.
    const required = rowNamed(name).arguments.filter(
      ({ optional, multiple, token }) => !optional && !multiple && !token,
    );
    const fixed = required.map((_, index) => `argument ${index}`);
    const isOpen = rowNamed(name).arguments.at(-1)?.multiple === true;
    const argv = method.apply(recorder, isOpen ? [...fixed, 'last', 'last'] : fixed);
    if (isOpen) assert.deepEqual(method.call(recorder, ...fixed, ['last', 'last']), argv, `${name} with an array`);
    else assert.throws(() => method.call(recorder, ...fixed, undefined, undefined), TypeError, `${name} with more`);
    const words = name.split('|');
    assert.deepEqual(argv.slice(0, words.length), words);
    const { arity } = rowNamed(name);
    assert.ok(arity < 0 ? argv.length >= -arity : argv.length === arity, `${name}: ${argv}`);
    for (const argument of fixed) assert.ok(argv.includes(argument), `${name}: ${argument} is not sent`);
    assert.equal(argv.filter((word) => word === 'last').length, isOpen ? 2 : 0, name);
  }
});

test('what follows a count is counted, and a word that was left out is not sent', () => {
  const recorder = new Recorder();
  assert.deepEqual(recorder.httl('h', 'a', 'b'), ['HTTL', 'h', 'FIELDS', 2, 'a', 'b']);
  assert.deepEqual(recorder.expire('k', 1), ['EXPIRE', 'k', 1]);
  assert.deepEqual(recorder.expire('k', 1, 'NX'), ['EXPIRE', 'k', 1, 'NX']);
  assert.deepEqual(recorder.expire('k', 1, { lt: true }), ['EXPIRE', 'k', 1, 'LT']);
  assert.deepEqual(recorder.httl('h', ['a', 'b']), ['HTTL', 'h', 'FIELDS', 2, 'a', 'b']);
});

const row = (change) => ({
  name: 'TAKE',
  summary: 'Takes.',
  since: 'keylatch 0.2',
  reply: 'bulk|null',
  arguments: [{ name: 'key', type: 'key' }],
  ...change,
});

test('a method is printed from a row and from what is said beside it', () => {
  const examples = { TAKE: { uses: [['TAKE k', ['"v"']]], errors: ['WRONGTYPE Operation', 'ERR syntax error'] } };
  const said = { TAKE: { note: 'More.', arguments: { key: 'from: string' } } };
  const printed = printMethods([row({})], said, examples);
  assert.match(
    printed,
    /Takes\. More\. Since keylatch 0\.2\.\n.*@throws ReplyError `WRONGTYPE`\n.*@example db\.take\('k'\) \/\/ 'v'\n/,
  );
  assert.match(printed, /take\(from: string\): Carried<C, Text \| null> /);
  assert.match(printed, /return this\.run1<Text \| null>\(Row\.TAKE, from\);/);
});

test('a row that is not plain, and an entry that no row has, are refused by name', () => {
  const print = (change, said = {}) => printMethods([row(change)], { TAKE: said }, {});
  const optional = { name: 'count', type: 'integer', token: 'COUNT', optional: true };
  assert.throws(() => print({ arguments: [optional] }), /TAKE: the argument count is not plain/);
  assert.throws(() => print({}, { arguments: { field: 'name' } }), /TAKE: there is no argument field/);
  assert.throws(() => printMethods([], { GONE: {} }, {}), /GONE: there is no such command/);
});
