/** Where objects are made: location hints and jurisdictions. */

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { start, TOKEN } from './support/host.mjs';

async function worker(t) {
  const { post } = await start(t, { bundle: 'configured' });
  /** Calls that a namespace gets for a request and for an upgrade. */
  return async (options) => (await post({ token: TOKEN, ...options }, { path: '/placed' })).json;
}

test('without options an object is where the platform makes it', async (t) => {
  const placed = await worker(t);
  const calls = [
    ['idFromName', 'default'],
    ['get', 'id of default'],
  ];
  assert.deepEqual(await placed({}), { result: [...calls, ...calls] });
});

test('a location hint is given with each request, and a jurisdiction is part of the id', async (t) => {
  const placed = await worker(t);
  const calls = [
    ['jurisdiction', 'eu'],
    ['idFromName', 'n'],
    ['get', 'id of n', { locationHint: 'weur' }],
  ];
  const options = { namespace: 'n', locationHint: 'weur', jurisdiction: 'eu' };
  assert.deepEqual(await placed(options), { result: [...calls, ...calls] });
  for (const jurisdiction of ['us', 'fedramp', 'fedramp-high'])
    assert.deepEqual((await placed({ jurisdiction })).result[0], ['jurisdiction', jurisdiction]);
});

test('names that the platform does not have are errors that list its own', async (t) => {
  const placed = await worker(t);
  for (const locationHint of ['', 'WEUR', 'europe', 5, null, ['weur'], { name: 'weur' }])
    assert.match(
      (await placed({ locationHint })).error,
      /^TypeError: keylatchFetch: locationHint must be one of wnam, /,
    );
  for (const jurisdiction of ['', 'EU', 'europe', 5, null, ['eu']])
    assert.match((await placed({ jurisdiction })).error, /^TypeError: keylatchFetch: jurisdiction must be one of eu, /);
});

test('the platform takes every location hint', async (t) => {
  const { post } = await start(t, { bundle: 'configured' });
  for (const locationHint of 'wnam enam sam weur eeur apac apac-ne apac-se oc afr me'.split(' ')) {
    const headers = { 'x-options': JSON.stringify({ locationHint, namespace: locationHint }) };
    assert.deepEqual((await post(['SET', 'k', 'v'], { headers })).json, { result: 'OK' }, locationHint);
    // An object stays where it is.
    const other = { 'x-options': JSON.stringify({ namespace: locationHint }) };
    assert.deepEqual((await post(['GET', 'k'], { headers: other })).json, { result: 'v' });
  }
});
