// Copies of the package in one program: `import` and `require`, keylatch and keylatch-scripting accept each other's objects.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';
import { entry, folder, scripting } from './support/package.mjs';

const require = createRequire(import.meta.url);
const ENTRIES = ['index', 'persist', 'locks', 'tabs'];

/** All exports of a copy. */
async function copyOf(load) {
  return Object.assign({}, ...(await Promise.all(ENTRIES.map((name) => load(name)))));
}

const COPIES = {
  'ES modules': await copyOf(entry),
  CommonJS: await copyOf((name) => require(join(folder, 'cjs', `${name}.js`))),
  'ES modules with Lua': await copyOf(scripting),
  'CommonJS with Lua': await copyOf((name) => require(join(`${folder}-scripting`, 'cjs', `${name}.js`))),
};
const pairs = Object.keys(COPIES).flatMap((own) =>
  Object.keys(COPIES).flatMap((other) => (own === other ? [] : [[own, other]])),
);

test('these are copies', () => {
  for (const [own, other] of pairs) assert.notEqual(COPIES[own].Keylatch, COPIES[other].Keylatch, `${own}, ${other}`);
});

for (const [own, other] of pairs) {
  test(`${own} accept what ${other} made`, () => {
    const { Keylatch } = COPIES[own];
    const clock = new COPIES[other].ManualClock(1000);
    const db = new Keylatch({ clock });
    db.set('k', 'v', { px: 500 });
    clock.advance(501);
    assert.equal(db.get('k'), null);
    assert.equal(db.call('TIME')[0], '1');
    const failure = thrown(() => new COPIES[other].Keylatch().call('NOSUCH'));
    assert.ok(failure instanceof COPIES[own].ReplyError);
    assert.ok(!(failure instanceof COPIES[own].ClosedError));
  });
}

test('every error class accepts its objects from other copies, and no others', () => {
  const [[, own], ...others] = Object.entries(COPIES);
  const classes = Object.entries(own).filter(([, value]) => value?.prototype instanceof Error);
  assert.ok(classes.length > 20, `${classes.length} classes`);
  for (const [name, Own] of classes) {
    for (const [copy, exports] of others) {
      const Other = exports[name];
      const object = Object.create(Other.prototype);
      assert.ok(object instanceof Own, `${name} of ${copy}`);
      for (const [otherName, OtherClass] of classes) {
        const isSuper = Own === OtherClass || Own.prototype instanceof OtherClass;
        assert.equal(object instanceof OtherClass, isSuper, `${name} as ${otherName}`);
      }
    }
  }
});

test('a subclass of the program is its own class', () => {
  class Mine extends COPIES['ES modules'].ReplyError {}
  const mine = new Mine('ERR x', 'GET');
  assert.ok(mine instanceof Mine && mine instanceof COPIES.CommonJS.ReplyError);
  assert.ok(!(new COPIES.CommonJS.ReplyError('ERR x', 'GET') instanceof Mine));
  for (const value of [undefined, null, 'ReplyError', 5, {}, new Error('x')])
    assert.ok(!(value instanceof COPIES['ES modules'].ReplyError));
});

test('errors of loading name the package', async () => {
  for (const [name, load] of Object.entries({ keylatch: entry, 'keylatch-scripting': scripting })) {
    const { Keylatch } = await load('core');
    const { Module } = WebAssembly;
    WebAssembly.Module = class {
      constructor() {
        throw new Error('Code generation disallowed by embedder');
      }
    };
    try {
      const error = thrown(() => Keylatch.from(new Uint8Array(8)).get('k'));
      assert.equal(error.name, 'LoadError');
      assert.match(error.message, new RegExp(`'${name}/keylatch\\.wasm'.*'${name}/core'`));
    } finally {
      WebAssembly.Module = Module;
    }
  }
});

function thrown(work) {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new assert.AssertionError({ message: 'nothing was thrown' });
}
