// The short way of the most frequent commands and the ordinary one: nobody sees which was taken.
import assert from 'node:assert/strict';
import test from 'node:test';
import { dice, outcome, pair } from './support/both-ways.mjs';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');

const TEXTS = ['', 'a', 'abc', 'four', 'k'.repeat(24), 'k'.repeat(25), 'x'.repeat(101), 'é', 'käse', '\u{1F600}', 'y'.repeat(20_000)];

test('keys and values of every length come back as they went', () => {
  for (const db of pair()) {
    for (const key of TEXTS) {
      for (const value of TEXTS) {
        assert.equal(db.set(key, value), 'OK');
        assert.equal(db.get(key), value);
        assert.deepEqual(db.bytes.get(key), new TextEncoder().encode(value));
        assert.equal(db.setnx(key, value), 0);
        assert.equal(db.set(key, value, { nx: true }), null);
        assert.deepEqual(db.mget(key, 'missing', key), [value, null, value]);
      }
      assert.equal(db.mset([[key, 'one'], ['other', key]]), 'OK');
      assert.deepEqual(db.mget('other', key), [key, key === 'other' ? key : 'one']);
      assert.deepEqual([db.exists(key), db.del(key), db.exists(key), db.get(key)], [1, 1, 0, null]);
    }
  }
});

test('keys that differ in blanks at their end are told apart', () => {
  for (const db of pair()) {
    const keys = ['', ' ', '\n', '\t \r', '  '].map((end) => `a longer name: blank${end}`);
    keys.push(` ${keys[0]}`, `${keys[0]}\u00a0`, ' '.repeat(20), ' '.repeat(21));
    keys.forEach((key, number) => assert.equal(db.set(`${key}`, `of key ${number}`, { nx: true, px: 30_000 }), 'OK'));
    keys.forEach((key, number) => assert.equal(db.get(key.slice(0, 13) + key.slice(13)), `of key ${number}`));
    assert.deepEqual([...db.call('KEYS', '*')].sort(), [...keys].sort());
    keys.forEach((key, number) => assert.equal(db.delex(key.slice(0, 13) + key.slice(13), { ifeq: `of key ${number}` }), 1));
  }
});

test('values of each length up to some, and huge ones, are read whole, whatever was read before', () => {
  const alphabet = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_'.repeat(10);
  const db = new Keylatch();
  for (let length = 0; length <= 600; length += 1) {
    db.set(`plain ${length}`, alphabet.slice(0, length));
    db.set(`other ${length}`, '\u00e9'.repeat(length));
  }
  for (let length = 600; length >= 0; length -= 1) {
    assert.equal(db.get(`other ${length}`), '\u00e9'.repeat(length));
    assert.equal(db.get(`plain ${length}`), alphabet.slice(0, length));
    assert.deepEqual(db.bytes.get(`plain ${length}`), new TextEncoder().encode(alphabet.slice(0, length)));
  }
  const huge = 'x'.repeat(3 << 20);
  db.set('huge', huge);
  assert.equal(db.get('huge'), huge);
  assert.equal(db.bytes.get('huge').length, huge.length);
  assert.equal(db.get('plain 32'), alphabet.slice(0, 32));
});

test('one character that is not ASCII is not lost among others, at whatever end of a text', () => {
  for (const db of pair()) {
    // The low byte of some is ASCII, and so are both bytes of the last.
    for (const character of ['\u007f', '\u0080', '\u00ff', '\u0141', '\u4141']) {
      for (const length of [1, 4, 5, 20, 40, 41, 100, 399, 400, 401, 500, 511, 512, 513]) {
        const rest = 'r'.repeat(length - 1);
        const texts = [character + rest, rest + character, rest.slice(length >> 1) + character + rest.slice(0, length >> 1)];
        for (const text of texts) {
          db.set('k', text);
          db.set(text, 'v');
          assert.deepEqual([db.get('k'), db.get(text), db.call('GET', 'k')], [text, 'v', text]);
          assert.deepEqual([db.del(text), db.get('rr'), db.get('A')], [1, null, null]);
        }
      }
    }
  }
});

test('what fills the scratch area to the last byte is not cut', () => {
  const db = new Keylatch();
  for (const length of [2047, 2048, 2049, 14335, 14336, 14337, 16379, 16380, 16383, 16384, 16385]) {
    for (const text of ['x'.repeat(length), `\u00e9${'x'.repeat(length - 1)}`, `${'x'.repeat(length - 1)}\u00e9`]) {
      db.set('k', text);
      assert.equal(db.get('k'), text);
      db.del('nx');
      db.setnx('nx', text);
      assert.equal(db.get('nx'), text);
      db.set(text, text);
      assert.equal(db.get(text), text);
      db.mset([['k', text], ['other', '']]);
      assert.deepEqual(db.mget('k', 'other', text), [text, '', text]);
    }
  }
});

test('keys that come again are told apart, and so are their values', () => {
  // Most of these keys differ only where nobody looks to tell them apart at first sight.
  const keys = [];
  for (let number = 0; number < 300; number += 1) {
    keys.push(`key:${number}`, `${number}:of many:the same`, `user:${number}:name`, 'x'.repeat(number % 72), `k\u00e9y ${number % 40}`);
  }
  const texts = ['a', 'a\0', '\0', '', 'b', 'v'.repeat(32), `${'v'.repeat(31)}\0`, 'v'.repeat(33), '\u00e9'.repeat(16), 'w'.repeat(200)];
  const db = new Keylatch();
  const model = new Map();
  const random = dice(11);
  const read = (key) => model.get(key) ?? null;
  const steps = [
    (key) => assert.equal(db.get(key), read(key)),
    (key) => assert.equal(db.get(key), read(key)),
    (key) => assert.deepEqual(db.bytes.get(key), model.has(key) ? new TextEncoder().encode(read(key)) : null),
    (key) => { const text = texts[random(texts.length)]; db.set(key, text); model.set(key, text); },
    (key) => assert.equal(db.setnx(key, read(key) ?? ''), model.has(key) ? 0 : (model.set(key, ''), 1)),
    (key) => { db.append(key, 'z'); model.set(key, `${read(key) ?? ''}z`); },
    (key) => assert.equal(db.exists(key), model.has(key) ? 1 : 0),
    (key) => assert.equal(db.del(key), model.delete(key) ? 1 : 0),
    () => { const many = keys.slice(random(900), 1000); assert.deepEqual(db.mget(...many), many.map(read)); },
  ];
  for (let count = 0; count < 30_000; count += 1) {
    const key = keys[random(random(2) === 0 ? 20 : keys.length)];
    steps[random(steps.length)](key);
    // Memory that grows is found again, with all that lies in it.
    if (count === 15_000) db.set('large', 'x'.repeat(10_000_000));
  }
  assert.equal(db.dbsize(), model.size + 1);
});

test('keys of every length that come again keep their values', () => {
  const db = new Keylatch();
  const keys = Array.from({ length: 72 }, (_, length) => 'k'.repeat(length));
  for (let round = 0; round < 12; round += 1) {
    for (const key of keys) {
      const value = 'v'.repeat((key.length + 5 * round) % 40);
      db.set(key, value);
      assert.deepEqual([db.get(key), db.get(key), db.exists(key)], [value, value, 1]);
    }
    const values = keys.map((key) => 'v'.repeat((key.length + 5 * round) % 40));
    assert.deepEqual(db.mget(...keys), values);
    assert.deepEqual(keys.map((key) => db.bytes.get(key)), values.map((value) => new TextEncoder().encode(value)));
  }
  assert.equal(db.dbsize(), keys.length);
});

test('a value of many bytes and few characters is not taken for a short one', () => {
  const db = new Keylatch();
  const short = 'a'.repeat(24);
  const long = '\u00e9'.repeat(24);
  for (let turn = 0; turn < 20; turn += 1) {
    for (const value of [short, long, short, 'b', long]) {
      db.set('a key', value);
      assert.deepEqual([db.get('a key'), db.get('a key'), db.mget('a key')], [value, value, [value]], `${turn}`);
    }
  }
});

test('values that differ in zeros at their end are told apart', () => {
  const db = new Keylatch();
  const values = ['', '\0', 'a', 'a\0', 'a\0\0', '\u00e9', '\u00e9\0', '\u00e9\0\0', '\u20ac', '\u20ac\0', '\u20ac\0\0', '\u{1F600}', '\u{1F600}\0\0'];
  for (const first of values) {
    for (const second of values) {
      for (const value of [first, first, first, first, second, first]) {
        db.set('a key', value);
        assert.deepEqual([db.get('a key'), db.mget('a key')], [value, [value]], JSON.stringify([first, second]));
      }
    }
  }
});

test('a key of many is not given the place of another that is asked for in the same call', () => {
  const db = new Keylatch();
  // All of them may lie at the same four places: what the last two characters are mixed to is the same.
  const keys = Array.from({ length: 8 }, (_, index) => `key:${String.fromCharCode(48 + index, 110 - 10 * index)}`);
  for (const key of keys) db.set(key, `value of ${key}`);
  for (let turn = 0; turn < 100; turn += 1) {
    const [settled, coming] = turn % 2 === 0 ? [keys.slice(0, 4), keys.slice(4)] : [keys.slice(4), keys.slice(0, 4)];
    for (const key of settled) for (let count = 0; count < 6; count += 1) db.get(key);
    const all = [...settled, ...coming.flatMap((key) => new Array(12).fill(key)), ...settled];
    assert.deepEqual(db.mget(...all), all.map((key) => `value of ${key}`), `${turn}`);
  }
});

test('many keys of far more than have places are answered each its own value', () => {
  const db = new Keylatch();
  const random = dice(7);
  const keys = Array.from({ length: 3000 }, (_, number) => `user:${number}`);
  for (const key of keys) db.set(key, `value of ${key}`);
  for (let turn = 0; turn < 200; turn += 1) {
    // Some come more often than others.
    const some = Array.from({ length: 1000 }, () => keys[Math.floor(keys.length * (random(10_000) / 10_000) ** 3)]);
    assert.deepEqual(db.mget(...some), some.map((key) => `value of ${key}`), `${turn}`);
  }
});

test('a value that comes again and again is written whole, whatever was written in between', () => {
  const db = new Keylatch();
  const other = db.client();
  const long = 'x'.repeat(5000);
  for (const length of [1, 25, 65, 101, 1000, 2040, 5000, 15_000]) {
    const value = 'v'.repeat(length);
    const between = {
      nothing: () => {},
      'another of its length': () => db.set('other', 'w'.repeat(length)),
      'another of its length, of another client': () => other.set('other', 'w'.repeat(length)),
      'one of other characters': () => db.set('other', '\u00e9'.repeat(length)),
      'a longer one': () => db.set('other', long),
      'a longer key': () => db.set('k'.repeat(1500), value),
      'a missing key': () => db.setnx(`new ${length}`, value),
      'what is compared': () => db.delex('other', { ifeq: 'w'.repeat(length) }),
      'many keys': () => db.mget(...Array.from({ length: 1000 }, (_, index) => `${index}`)),
      'many pairs': () => db.mset([['other', long], ['more', long]]),
      'memory that grew': () => db.call('SET', 'large', 'y'.repeat(3 << 20)),
      'a smaller memory': () => db.compact(),
    };
    for (const [name, write] of Object.entries(between)) {
      for (const options of [undefined, { nx: true }, { xx: true }, { px: 1000 }, { nx: true, px: 1000 }]) {
        db.del('flag', 'lock');
        if (options?.xx) db.set('flag', 'old');
        // So often that it is laid where it is found.
        for (let turn = 0; turn < 65; turn += 1) db.set('many', value);
        assert.equal(db.get('many'), value, `${length}, ${name}`);
        assert.equal(db.set('lock', value, { nx: true, px: 30_000 }), 'OK');
        write();
        db.set('many', value);
        assert.equal(db.get('many'), value, `${length}, ${name}`);
        assert.equal(other.set('flag', value, options), 'OK');
        assert.deepEqual([db.get('flag'), db.get('lock')], [value, value], `${length}, ${name}`);
        assert.equal(other.delex('lock', { ifeq: value }), 1, `${length}, ${name}`);
      }
    }
  }
});

test('a value that was set many times is not what another is taken for', () => {
  const db = new Keylatch();
  for (const length of [24, 25, 32, 64, 1000, 2040]) {
    const values = ['a', 'b', '\u00e9'].map((letter) => letter.repeat(length));
    for (const value of values) {
      for (let turn = 0; turn < 130; turn += 1) {
        const key = turn % 3 === 0 ? 'k'.repeat(1500) : `key:${turn % 7}`;
        assert.equal(db.set(key, value, turn % 5 === 0 ? { px: 60_000 } : undefined), 'OK');
        assert.equal(db.get(key), value, `${length}, ${turn}`);
        if (turn % 11 !== 0) continue;
        const other = values[turn % 3];
        db.set(key, other);
        assert.equal(db.get(key), other, `${length}, ${turn}`);
      }
    }
  }
});

test('a key is deleted by its value, or left alone, whatever is compared with it', () => {
  const answers = pair().map((db) => {
    db.lpush('list', 'x');
    const seen = [];
    const see = (run) => seen.push(outcome(run));
    for (const key of TEXTS) {
      for (const value of TEXTS) {
        db.set(key, value, { px: 1000 });
        see(() => [db.delex(key, { ifeq: `${value}.` }), db.get(key), db.delex(key, { ifeq: value }), db.delex(key, { ifeq: value })]);
        db.set(key, value);
        see(() => [db.call('DELIFEQ', key, `${value}.`), db.call('DELIFEQ', key, value), db.call('DELIFEQ', key, value)]);
        db.set(key, value);
        see(() => [db.delex(key, { ifne: value }), db.delex(key, { ifeq: value, ifne: undefined }), db.exists(key)]);
      }
    }
    see(() => db.delex('list', { ifeq: 'x' }));
    see(() => db.call('DELIFEQ', 'list', 'x'));
    see(() => db.call('DELEX', 'list', 'IFEQ', 'x'));
    see(() => db.delex('k', { ifeq: 'x', ifne: 'y' }));
    see(() => db.delex('k', { ifeq: 'x', nx: true }));
    see(() => db.delex('k', { ifeq: 7 }));
    see(() => db.delex('k', { ifeq: null }));
    see(() => db.delex('list'));
    see(() => [db.set('k', '7'), db.delex('k', { ifeq: 7 })]);
    see(() => db.call('DELIFEQ', 'k'));
    db.call('MULTI');
    see(() => [db.call('DELIFEQ', 'k', 'x'), db.call('DELEX', 'k', 'IFEQ', 'x'), db.call('EXEC')]);
    see(() => db.call('INFO', 'errorstats') + db.call('INFO', 'commandstats').match(/cmdstat_del\w+:calls=\d+|rejected_calls=\d+,failed_calls=\d+/g));
    return seen;
  });
  assert.deepEqual(answers[0], answers[1]);
  assert.deepEqual(answers[0][0], [0, '', 1, 0]);
});

test('many keys are read and written alike, in whatever form the pairs come', () => {
  const answers = pair(() => ({ clock: new ManualClock() })).map((db) => {
    const seen = [];
    const see = (run) => seen.push(outcome(run));
    function* walked() {
      yield ['w1', 'one'];
      yield new Set(['w2', 'two']);
    }
    see(() => db.mset({ o1: 'one', o2: '', o3: 'käse' }));
    see(() => db.mset(new Map([['m1', 'one'], ['m2', 'x'.repeat(5000)]])));
    see(() => db.mset(walked()));
    see(() => db.mset([['a1', 'one'], ['a1', 'two'], ['a2', 'three', 'left out']]));
    see(() => db.mset([['n1', 7], [new Uint8Array([110, 50]), 'bytes']]));
    for (const wrong of [[], {}, [['alone']], [['k', undefined]], [['k', null]], [[]], [7], ['ab'], null, undefined]) see(() => db.mset(wrong));
    db.lpush('list', 'x');
    see(() => db.mget('o1', 'o2', 'o3', 'm1', 'm2', 'w1', 'w2', 'a1', 'a2', 'n1', 'n2', 'list', 'missing', 'ab', 'k'));
    see(() => db.mget('o1', 'o2', 'm1', 'list', 'missing', 'o1'));
    see(() => db.mget());
    see(() => db.mget('o1', 7, undefined));
    see(() => db.mset([['big1', 'b'.repeat(800_000)], ['big2', 'B'.repeat(800_000)]]));
    see(() => db.mget('big1', 'big2', 'o1', 'big2').map((value) => `${value.length} ${value[0]}`));
    const hundred = Array.from({ length: 100 }, (_, index) => [`hundred:${index % 90}`, `${index}`.repeat(1 + index % 40)]);
    for (const round of [1, 2]) {
      see(() => [db.mset(hundred), db.mget(...hundred.map(([key]) => key)), round]);
      see(() => db.expire('hundred:7', 100));
    }
    see(() => db.ttl('hundred:7'));
    see(() => db.digestAll());
    return seen;
  });
  assert.deepEqual(answers[0], answers[1]);
  assert.deepEqual(answers[0][16], ['one', '', 'one', null, null, 'one']);
});

test('the clock is asked only when something can need it', () => {
  let asked = 0;
  const db = new Keylatch({ now: () => { asked += 1; return 1_000_000; } });
  db.set('k', 'v');
  assert.deepEqual([db.get('k'), db.ttl('k'), asked], ['v', -1, 0]);
  db.set('k', 'v', { px: 50 });
  assert.deepEqual([asked, db.get('k'), asked], [1, 'v', 2]);
  db.del('k');
  asked = 0;
  assert.deepEqual([db.set('lock', 'me', { nx: true, px: 50 }), asked, db.delex('lock', { ifeq: 'me' }), asked], ['OK', 1, 1, 2]);
  assert.deepEqual([db.delex('lock', { ifeq: 'me' }), db.call('DELIFEQ', 'lock', 'me'), asked], [0, 0, 2]);
});

test('a lock is given back with the value it was taken with, whatever was said in between', () => {
  const db = new Keylatch();
  const long = 'x'.repeat(3000);
  // Of every length that is written in another way.
  for (const token of ['token', '4f1d09ac-77b2-4c1e-9d3a-0242ac120002', 't'.repeat(64), 't'.repeat(65)]) {
    takeAndGiveBack(db, token, `${token.slice(0, -1)}m`, long);
  }
});

function takeAndGiveBack(db, token, another, long) {
  const between = [
    () => {},
    () => db.get('other'),
    () => db.set('other', another),
    () => db.set('other', long),
    () => db.set(long, another),
    () => db.set('other', 't\u00f6ken'),
    () => db.setnx('other', long),
    () => db.delex('other', { ifeq: another }),
    () => db.mset([[long, long], ['other', another]]),
    () => db.mget(...Array.from({ length: 1000 }, (_, index) => `${index}`)),
    () => db.call('SET', 'other', another),
  ];
  for (const first of between) {
    for (const second of between) {
      assert.equal(db.set('lock', token, { nx: true, px: 30_000 }), 'OK');
      first();
      assert.equal(db.delex('lock', { ifeq: another }), 0);
      second();
      assert.equal(db.delex('lock', { ifeq: token }), 1);
    }
  }
  for (const move of [() => db.call('SET', 'large', 'y'.repeat(3 << 20)), () => db.compact()]) {
    db.set('lock', token, { nx: true, px: 30_000 });
    move();
    assert.equal(db.delex('lock', { ifeq: token }), 1);
  }
}

test('a lock is given back by the key it was taken by, whatever was said in between', () => {
  const db = new Keylatch();
  const long = 'x'.repeat(3000);
  db.set('kept', long);
  // Often enough that it has a place, and nothing is written for it.
  for (let turn = 0; turn < 10; turn += 1) db.get('kept');
  const between = {
    nothing: () => {},
    'a long value of a key that has a place': () => db.get('kept'),
    'its bytes': () => db.bytes.get('kept'),
    'another key': (number) => db.get(`open:${number}`),
    'another lock': (number) => db.set(`open:${number}`, 'token', { nx: true, px: 30_000 }),
    'a lock that is held': (number) => db.set(`lock:${number - 1}`, 'token', { nx: true, px: 30_000 }),
    'a lock with a name of other characters': (number) => db.set(`l\u00f6ck:${number}`, 'token', { nx: true, px: 30_000 }),
    'a long text': (number) => db.set(`long:${number}`, long),
    'many keys': (number) => db.mget(`open:${number}`, 'kept'),
    'many pairs': (number) => db.mset([[`open:${number}`, 'token']]),
    'memory that grew': () => db.call('SET', `large:${(grown += 1)}`, 'y'.repeat(3 << 20)),
    'a smaller memory': () => db.compact(),
  };
  let grown = 0;
  let number = 100;
  for (const [name, say] of Object.entries(between)) {
    for (const [otherName, sayOther] of Object.entries(between)) {
      number += 1;
      const told = `${name}, ${otherName}`;
      db.set(`lock:${number - 1}`, 'token');
      assert.equal(db.set(`lock:${number}`, 'token', { nx: true, px: 30_000 }), 'OK', told);
      say(number);
      assert.equal(db.delex(`lock:${number - 1}`, { ifeq: 'other' }), 0, told);
      sayOther(number);
      assert.equal(db.delex(`lock:${number}`, { ifeq: 'token' }), 1, told);
      assert.deepEqual([db.exists(`lock:${number}`), db.exists(`lock:${number - 1}`)], [0, 1], told);
      db.set(`lock:${number}`, 'token', { nx: true, px: 30_000 });
      say(number);
      assert.equal(db.delex(`lock:${number}`, { ifeq: 'token' }), 1, told);
      // Else memory would not grow again.
      if (grown === 0) continue;
      for (; grown > 0; grown -= 1) db.del(`large:${grown}`);
      db.compact();
    }
  }
});

test('a lock is given back though many keys want its place', () => {
  // Too many for their places, and so short that all of their characters are looked at: one has to make way for another.
  const keys = Array.from({ length: 3000 }, (_, number) => (5000 + 7 * number).toString(36).padStart(4, '-'));
  const ask = {
    'one by one': (db) => keys.forEach((key) => db.get(key)),
    'of many': (db) => keys.forEach((key) => db.mget(key, 'missing')),
  };
  for (const [told, asks] of Object.entries(ask)) {
    const db = new Keylatch();
    for (const key of keys) db.set(key, 'token');
    for (let turn = 0; turn < 6; turn += 1) {
      const lock = `l${turn}`.padEnd(4, '-');
      // Often enough that it has a place.
      for (let count = 0; count < 6; count += 1) db.exists(lock);
      assert.equal(db.set(lock, 'token', { nx: true, px: 30_000 }), 'OK', told);
      for (let count = 0; count < 12; count += 1) asks(db);
      assert.deepEqual([db.delex(lock, { ifeq: 'token' }), db.exists(lock), db.dbsize()], [1, 0, 3000], `${told}, turn ${turn}`);
    }
  }
});

test('whatever a key holds is deleted alike, and what was large gives its memory back', () => {
  const outcomes = pair().map((db) => {
    const members = Array.from({ length: 20_000 }, (_, index) => `member ${index} of a set that is large enough`);
    for (let at = 0; at < members.length; at += 1000) db.sadd('large', ...members.slice(at, at + 1000));
    db.lpush('list', 'x');
    db.hset('hash', { field: 'x' });
    db.set('other', 'stays');
    const used = () => Number(/used_memory:(\d+)/.exec(db.call('INFO', 'memory'))[1]);
    const full = used();
    const seen = [db.del('large'), db.del('large'), db.del('list'), db.del('hash'), db.get('other'), db.exists('large')];
    for (let turn = 0; turn < 1000; turn += 1) db.get('other');
    while (db.tick());
    assert.ok(used() < full / 2, `${used()} of ${full}`);
    return [...seen, db.digestAll(), db.call('DBSIZE'), used()];
  });
  assert.deepEqual(outcomes[0], outcomes[1]);
  assert.deepEqual(outcomes[0].slice(0, 6), [1, 0, 1, 1, 'stays', 0]);
});

test('a clock that fails is told, and what needs none goes on', () => {
  let now = () => 1_000_000;
  const db = new Keylatch({ now: () => now() });
  db.set('k', 'v');
  now = () => { throw new Error('no time'); };
  assert.equal(db.get('k'), 'v');
  assert.throws(() => db.set('k', 'v', { px: 50 }), { name: 'ClockError' });
  assert.throws(() => db.expire('k', 5), { name: 'ClockError' });
  now = () => db.get('k');
  assert.throws(() => db.set('k', 'v', { px: 50 }), { name: 'ClockError' });
  now = () => 1_000_000;
  assert.equal(db.set('k', 'w', { px: 50 }), 'OK');
  now = () => NaN;
  assert.throws(() => db.delex('k', { ifeq: 'w' }), { name: 'ClockError' });
  now = () => 1_000_000;
  assert.deepEqual([db.set('k', 'x', { px: 50 }), db.del('k')], ['OK', 1]);
  now = () => NaN;
  assert.equal(db.delex('k', { ifeq: 'x' }), 0);
  now = () => 1_000_000;
  db.tick();
});

test('transactions, pauses, other databases and errors are what they were', () => {
  const db = new Keylatch();
  const other = db.client({ db: 3 });
  db.set('k', 'zero');
  other.set('k', 'three');
  assert.deepEqual([db.get('k'), other.get('k')], ['zero', 'three']);
  db.call('MULTI');
  assert.equal(db.call('GET', 'k'), 'QUEUED');
  assert.deepEqual(db.call('EXEC'), ['zero']);
  db.lpush('list', 'x');
  assert.throws(() => db.get('list'), { name: 'ReplyError', code: 'WRONGTYPE', command: 'GET' });
  assert.throws(() => db.incr('list'), { name: 'ReplyError', code: 'WRONGTYPE', command: 'INCR' });
  assert.equal(db.del('list'), 1);
  db.set('n', '9007199254740991');
  assert.deepEqual([db.incr('n'), db.incr('n')], [9007199254740992n, 9007199254740993n]);
  assert.throws(() => db.get('\ud800'), TypeError);
  other.close();
  assert.throws(() => other.get('k'), { name: 'ClosedError' });
  db.close();
  assert.throws(() => db.get('k'), { name: 'ClosedError' });
});
