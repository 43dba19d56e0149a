/** Documentation in editors: the language service shows a text for every exported name and all members of exported types. */

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import ts from 'typescript-6';

import { consumer } from './support/tarball.mjs';

const home = consumer('hover', 'types');
const file = join(home, 'hover.ts');

const CALLS = [
  ["db.call('GETDEL', 'k')", /Returns the string at a key and deletes the key.*Since Redis 6\.2\.0/],
  ["db.call('client', 'id')", /ID of the connection/],
  ["db.call('CONFIG', 'GET', 'x')", /parameters that match/],
  ["db.call('SET', 'k', 'v', 'NX')", /Sets the string.*`SET key value \[NX \|/],
  ["db.multi().call('GETDEL', 'k')", /deletes the key/],
];

const text = `import { Keylatch } from 'keylatch';
import * as main from 'keylatch';
import * as element from 'keylatch/element';
import * as hints from 'keylatch/hints';
import * as ioredis from 'keylatch/ioredis';
import * as limits from 'keylatch/limits';
import * as locks from 'keylatch/locks';
import * as persist from 'keylatch/persist';
import * as server from 'keylatch/server';
import * as remote from 'keylatch/remote';
import * as tabs from 'keylatch/tabs';
import * as testing from 'keylatch/testing';
const db = new Keylatch();
${CALLS.map(([call]) => `${call};`).join('\n')}
db.getdel('k');
export { main, element, hints, ioredis, limits, locks, persist, remote, server, tabs, testing };
`;
writeFileSync(file, text);

const options = {
  strict: true,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2022.d.ts', 'lib.esnext.disposable.d.ts'],
  types: [],
};
const service = ts.createLanguageService({
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) =>
    ts.sys.fileExists(name) ? ts.ScriptSnapshot.fromString(ts.sys.readFile(name)) : undefined,
  getCurrentDirectory: () => home,
  getCompilationSettings: () => options,
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: ts.sys.fileExists,
  readFile: ts.sys.readFile,
  directoryExists: ts.sys.directoryExists,
});
const program = service.getProgram();
const checker = program.getTypeChecker();

test('`call` shows the documentation of the command that it runs', () => {
  for (const [call, expected] of CALLS) {
    const info = service.getQuickInfoAtPosition(file, text.indexOf(call) + call.indexOf('call(') + 1);
    assert.match(ts.displayPartsToString(info.documentation).replaceAll('\n', ' '), expected, call);
  }
});

test('a printed method shows its errors and an example', () => {
  const info = service.getQuickInfoAtPosition(file, text.indexOf('.getdel(') + 2);
  assert.match(ts.displayPartsToString(info.documentation), /Since Redis 6\.2\.0/);
  const tags = Object.fromEntries(info.tags.map(({ name, text: parts }) => [name, ts.displayPartsToString(parts)]));
  assert.match(tags.throws, /WRONGTYPE/);
  assert.match(tags.example, /db\.getdel\('token'\) \/\/ 'secret'/);
});

/** Documentation of a symbol: its own, or that of any of its overloads. */
function isDocumented(symbol) {
  const own = symbol.getDocumentationComment(checker);
  return own.length > 0 || symbol.getJsDocTags(checker).some(({ name }) => name === 'example' || name === 'throws');
}

/** Declared by the package, and not in the folder of methods that are written by hand. */
const isChecked = (symbol) =>
  symbol.declarations?.some((one) =>
    /node_modules\/keylatch\/(?!cjs\/client\/sugar\/)/.test(one.getSourceFile().fileName),
  ) ?? false;

/** Members that a program can name: no private ones, and none of the language. */
function membersOf(symbol) {
  const types = [checker.getDeclaredTypeOfSymbol(symbol)];
  if (symbol.flags & ts.SymbolFlags.Class) types.push(checker.getTypeOfSymbol(symbol));
  return types
    .flatMap((type) => (type.isClassOrInterface() || type.symbol === symbol ? checker.getPropertiesOfType(type) : []))
    .filter((member) => isChecked(member) && !/^(prototype|#|__#)/.test(member.name));
}

test('every exported name and every member of exported classes and interfaces is documented', () => {
  const bare = new Set();
  let count = 0;
  const specifiers = program.getSourceFile(file).statements.filter(ts.isImportDeclaration);
  for (const { moduleSpecifier } of specifiers) {
    for (const exported of checker.getExportsOfModule(checker.getSymbolAtLocation(moduleSpecifier))) {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const named = symbol.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Interface) ? membersOf(symbol) : [];
      for (const member of named) {
        count += 1;
        if (!isDocumented(member)) bare.add(`${symbol.name}.${member.name}`);
      }
      if (isChecked(symbol) && !isDocumented(symbol)) bare.add(`${moduleSpecifier.text}: ${exported.name}`);
    }
  }
  assert.ok(count > 200, `only ${count} members were found`);
  assert.deepEqual([...bare].sort(), []);
});
