// Consoles, test frameworks and JSON.stringify: the text of the package's objects. And errors that name the way out.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { entry } from './support/package.mjs';

const { ClosedError, Keylatch, LoadError, NoReplyError, ReplyError } = await entry('index');

test('a console shows one line, and no command runs for it', () => {
  const db = new Keylatch();
  assert.equal(inspect(db), 'Keylatch { closed: false }');
  db.set('k', 'v');
  const client = db.client();
  client.ping();
  assert.match(inspect(client), /^Client \{ id: \d+, closed: false \}$/);
  assert.match(inspect({ nested: [db] }), /nested: \[ Keylatch \{ id: \d+, closed: false \} \]/);
  const before = db.info('commandstats');
  inspect(db);
  const counted = (text) => text.split('\n').filter((line) => !line.startsWith('cmdstat_info'));
  assert.deepEqual(counted(db.info('commandstats')), counted(before));
  db.close();
  assert.match(inspect(db), /closed: true/);
});

test('the method that Chai calls to print an object gives way, and the old use names the new one', () => {
  const db = new Keylatch();
  assert.equal(db.inspect(2, {}), 'Keylatch { closed: false }');
  for (const args of [[], [{ limit: 1 }]])
    assert.throws(() => db.inspect(...args), { name: 'TypeError', message: /db\.inspectPage\(\)/ });
  assert.deepEqual(db.inspectPage(), { cursor: '0', keys: [], total: 0 });
});

test('JSON shows what an error says, and of an engine its state', () => {
  const error = new ReplyError('WRONGTYPE no', 'GET');
  assert.deepEqual(JSON.parse(JSON.stringify([error])), [
    { name: 'ReplyError', message: 'WRONGTYPE no', code: 'WRONGTYPE', command: 'GET' },
  ]);
  assert.equal(JSON.stringify({ db: new Keylatch() }), '{"db":{"name":"Keylatch","closed":false}}');
});

test('after QUIT every use of the client says that it is closed, and by what', async () => {
  const db = new Keylatch();
  const client = db.client();
  assert.equal(client.call('QUIT'), 'OK');
  const closed = (error) => error instanceof ClosedError && /QUIT.*db\.client\(\)/.test(error.message);
  assert.throws(() => client.get('k'), closed);
  assert.throws(() => client.call('PING'), closed);
  assert.throws(() => client.callRaw('PING'), closed);
  assert.throws(() => client.multi().get('k').exec(), closed);
  await assert.rejects(() => client.blpop('k'), closed);
  assert.equal(db.get('k'), null, 'other clients go on');
});

test('a client that was killed says the same', () => {
  const db = new Keylatch();
  const client = db.client();
  assert.equal(db.call('CLIENT', 'KILL', 'ID', client.id), 1);
  assert.throws(() => client.get('k'), ClosedError);
});

test('CLIENT REPLY OFF is no error, but a reply that is missing is one that says how to turn replies on', () => {
  const client = new Keylatch().client();
  assert.equal(client.call('CLIENT', 'REPLY', 'OFF'), null);
  assert.throws(() => client.set('k', 'v'), { name: 'NoReplyError', command: 'SET', message: /CLIENT', 'REPLY', 'ON/ });
  assert.throws(() => client.multi().get('k').exec(), NoReplyError);
  assert.equal(client.call('CLIENT', 'REPLY', 'ON'), 'OK');
  assert.equal(client.get('k'), 'v', 'the command ran');
  assert.equal(client.inTransaction, false);
  assert.equal(client.call('CLIENT', 'REPLY', 'SKIP'), null);
  assert.throws(() => client.get('k'), NoReplyError);
  assert.equal(client.get('k'), 'v');
});

test('a snapshot with an unknown type is refused with type and key', () => {
  const db = new Keylatch();
  db.set('kept', '1');
  const unknown = Buffer.concat([Buffer.from('REDIS0011\x63\x08my"queue'), Buffer.from([0, 0xff]), Buffer.alloc(8)]);
  const snapshot = new Uint8Array(unknown);
  assert.throws(
    () => db.load(snapshot),
    (error) => error instanceof LoadError && /the key "my\\"queue" holds a value \(RDB type 99\)/.test(error.message),
  );
  assert.equal(db.get('kept'), '1', 'nothing has changed');
});
