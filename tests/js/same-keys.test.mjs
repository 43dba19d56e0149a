// Comparison of keyspaces: streams, with their groups.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch } = await entry('index');
const { assertSameKeys } = await entry('testing');

test('streams are compared with their entries, marks and groups', () => {
  const [a, b] = [new Keylatch(), new Keylatch()];
  const differ = () => assert.throws(() => assertSameKeys(a, b), { message: /\n {2}events differs$/ });
  for (const command of [
    ['XADD', 'events', '1-1', 'f', 'v'],
    ['XADD', 'events', '2-1', 'f', 'w'],
    ['XGROUP', 'CREATE', 'events', 'g', '0'],
    ['XGROUP', 'CREATECONSUMER', 'events', 'g', 'ann'],
    ['XCLAIM', 'events', 'g', 'ann', '0', '1-1', 'TIME', '7', 'FORCE', 'JUSTID'],
    ['XDEL', 'events', '2-1'],
  ]) {
    a.call(...command);
    if (b.exists('events')) differ();
    b.call(...command);
    assertSameKeys(a, b);
  }
});
