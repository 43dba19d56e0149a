// Which keys find a place in the scratch area: those that programs use again and again, however they are put together.
import assert from 'node:assert/strict';
import test from 'node:test';
import { source } from './support/source.mjs';

const { Place, Places } = await source('places.ts');
const { firstPositions, mix } = await source('positions.ts');
const { Scratch } = await source('scratch.ts');

/** Always the same numbers, of 32 bits. */
function chance(number) {
  let state = Math.imul(number + 1, 2654435761) >>> 0;
  for (const factor of [2246822519, 3266489917]) state = Math.imul(state ^ (state >>> 15), factor) >>> 0;
  return (state ^ (state >>> 16)) >>> 0;
}

function digits(number, radix, length) {
  let text = '';
  for (let part = 0; text.length < length; part += 1) text += chance(number * 31 + part).toString(radix).padStart(6, '0');
  return text.slice(0, length);
}

const made = (count, make) => [...new Set(Array.from({ length: count }, (_, number) => make(number)))];

/** Asks `count` times for keys in the order that is given, and answers the part that was found and the part that was to be written. */
function ask(places, keys, count, order) {
  let [found, written] = [0, 0];
  for (let turn = 0; turn < count; turn += 1) {
    const key = keys[order(turn) % keys.length];
    const at = places.rests() ? 0 : places.find(key);
    if (at > 0) found += 1;
    if (at < 0) {
      places.take(-at, key);
      written += 1;
    }
  }
  return { found: found / count, written: written / count };
}

/** The number of the place where a key is looked for first, as long as no lesson was taken. */
const firstNumber = (key) => mix(key, firstPositions(key.length)) % Place.Count;

const populations = {
  'numbers filled up with zeros': made(1000, (number) => `user:${String(number).padStart(11, '0')}`),
  numbers: made(1000, (number) => `user:${number}`),
  'some of many numbers': made(1000, (number) => `user:${chance(number) % 100_000}`),
  'hexadecimal sessions': made(500, (number) => `session:${digits(number, 16, 16)}`),
  'sessions in base 36': made(1000, (number) => `s:${digits(number, 36, 20)}`),
  'sessions by uuid': made(500, (number) => `session:${digits(number, 16, 36).replace(/^(.{8}).(.{4}).(.{4}).(.{4})./, '$1-$2-$3-$4-')}`),
  'numbers in the middle': made(1000, (number) => `user:${number}:profile`),
  'two numbers': made(1000, (number) => `tenant:${number % 40}:user:${Math.floor(number / 40)}`),
  'several fields of each': made(1000, (number) => `user:${number >> 2}:${['name', 'mail', 'age', 'plan'][number % 4]}`),
  'several families': made(1000, (number) => `${['user', 'hits', 'cart', 'lock'][number % 4]}:${number >> 2}`),
  addresses: made(1000, (number) => `rate:10.0.${number >> 8}.${number & 255}`),
  'random in the middle': made(500, (number) => `user:${digits(number, 36, 3 + number % 6)}@example.com`),
  'a few names': ['config', 'settings', 'feature:a', 'feature:b', 'feature:c', 'stats:day', 'stats:week', 'version', 'motd', 'news'],
};

const orders = { 'one after the other': (turn) => turn * 7, 'in any order': chance };

for (const [name, keys] of Object.entries(populations)) {
  for (const [orderName, order] of Object.entries(orders)) {
    test(`${name} find their places, asked for ${orderName}`, () => {
      const places = new Places();
      ask(places, keys, 300_000, order);
      const { found, written } = ask(places, keys, 50_000, order);
      assert.ok(found > 0.9, `${found} were found`);
      assert.ok(written < 0.005, `${written} were written again`);
    });
  }
}

test('keys that come again keep their places among many that come once', () => {
  const places = new Places();
  const hot = populations['a few names'];
  let once = 0;
  const turns = (count) => Array.from({ length: count }, () => ask(places, [`once:${(once += 1)}`, hot[once % 10]], 2, (turn) => turn).found);
  turns(100_000);
  const found = turns(10_000).reduce((sum, part) => sum + part, 0) / 10_000;
  assert.equal(found, 0.5);
});

test('far more keys than there are places are left alone', () => {
  const places = new Places();
  const keys = made(100_000, (number) => `user:${number}`);
  const { written } = ask(places, keys, 1_000_000, (turn) => turn * 7919);
  assert.ok(written < 0.02, `${written} were written`);
});

test('keys in use move to the first places of those that are used no more', () => {
  const places = new Places();
  const [earlier, now] = ['user', 'hits'].map((family) => made(1000, (number) => `${family}:${number}`));
  const firsts = () => now.filter((key) => places.find(key) === Place.Start + firstNumber(key) * Place.Size).length;
  ask(places, earlier, 20_000, chance);
  ask(places, now, 20_000, chance);
  // The same places come first for keys of both.
  const before = firsts();
  assert.ok(before < 200, `${before} are there`);
  ask(places, now, 100_000, chance);
  const after = firsts();
  assert.ok(after > 800, `${after} are there`);
  // Both take nearly all places there are, and nobody moves about.
  ask(places, [...earlier, ...now], 200_000, chance);
  const { found, written } = ask(places, [...earlier, ...now], 200_000, (turn) => chance(turn + 200_000));
  assert.ok(found > 0.94 && written < 0.003, `${found} were found, ${written} written`);
});

test('two keys never are at one place', () => {
  const places = new Places();
  const keys = Object.values(populations).flat();
  const holders = new Map();
  for (let turn = 0; turn < 300_000; turn += 1) {
    const key = keys[chance(turn) % keys.length];
    const at = places.find(key);
    if (at > 0) assert.equal(holders.get(at), key);
    if (at < 0) {
      places.take(-at, key);
      holders.set(-at, key);
    }
  }
});

test('the key of a lock is not looked for where another took its place', () => {
  const buffer = new ArrayBuffer(2 * Place.End);
  const lies = (at, key) => Buffer.from(buffer, at, key.length).toString() === key;
  const names = made(20_000, (number) => digits(number, 36, 4));
  const lock = names[0];
  const rival = names.find((name) => name !== lock && firstNumber(name) === firstNumber(lock));
  const others = names.filter((name) => firstNumber(name) !== firstNumber(lock));
  const taken = [];
  // After so many misses places are judged, from when on any may be taken: the last of them is to be the rival.
  for (let count = 8180; count < 8200; count += 1) {
    const scratch = new Scratch({ buffer }, 0, { board: () => Place.End, versionIndex: () => 0 });
    for (let turn = 0; turn < 4; turn += 1) scratch.key(lock);
    for (let turn = 0; turn < 3; turn += 1) scratch.key(rival);
    for (const other of others.slice(0, count)) scratch.key(other);
    const at = scratch.keyOfLock(lock);
    // It was judged before: looking rests.
    if (at === 0) break;
    scratch.key(rival);
    taken.push(lies(at, rival));
    assert.ok(lies(scratch.keyAgain(lock), lock), `${count}`);
  }
  assert.ok(taken.includes(true));
});
