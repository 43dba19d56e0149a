// Clients that outlive their engine: exported as bytes, and adopted by another engine.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entry } from './support/package.mjs';

const { Keylatch, ManualClock } = await entry('index');
const { adoptClients, exportedClient } = await entry('hints');

const START_MS = 1_800_000_000_000;
const text = (bytes) => Buffer.from(bytes).toString();

/** An engine, and another one with its keys and the exported clients. */
function moved(prepare, elapsedMs = 0) {
  const db = new Keylatch({ clock: new ManualClock(START_MS) });
  const clients = prepare(db);
  const exported = clients.map((client) => exportedClient(db, client).bytes);
  const clock = new ManualClock(START_MS + elapsedMs);
  const next = new Keylatch({ clock });
  next.load(db.snapshot());
  return { db, exported, next, clock, adopted: adoptClients(next, exported) };
}

test('name, database, protocol and subscriptions come back', () => {
  const { next, adopted } = moved((db) => {
    const client = db.client({ name: 'reader', db: 3, protocol: 3 });
    client.callRaw('SUBSCRIBE', 'news');
    return [client];
  });
  const [reader] = adopted;
  assert.deepEqual([reader.name, reader.db, reader.protocol], ['reader', 3, 3]);
  assert.equal(next.publish('news', 'hello'), 1);
  assert.match(text(reader.takeOutbox()), /^>3\r\n\$7\r\nmessage\r\n\$4\r\nnews\r\n\$5\r\nhello/);
});

test('blocked clients keep their order, and their deadlines', () => {
  const blocked = (db, seconds) => {
    const client = db.client({ protocol: 2 });
    assert.equal(client.callRaw('BLPOP', 'queue', String(seconds)).length, 0);
    return client;
  };
  // Exported in another order than that of the queue.
  const { next, clock, adopted } = moved((db) => [blocked(db, 60), blocked(db, 0)].reverse(), 1000);
  const [second, first] = adopted;
  next.rpush('queue', 'one');
  assert.match(text(first.takeOutbox()), /one/);
  assert.equal(text(second.takeOutbox()), '');
  const { adopted: others, clock: later } = moved((db) => [blocked(db, 60)], 1000);
  later.advance(58_000);
  assert.equal(text(others[0].takeOutbox()), '');
  later.advance(2000);
  assert.equal(text(others[0].takeOutbox()), '*-1\r\n');
  assert.equal(clock.now(), START_MS + 1000);
});

test('a deadline that has passed meanwhile ends the command', () => {
  const { adopted } = moved((db) => {
    const client = db.client({ protocol: 2 });
    client.callRaw('BLPOP', 'queue', '5');
    return [client];
  }, 60_000);
  assert.equal(text(adopted[0].takeOutbox()), '*-1\r\n');
});

test('a transaction and watched keys end', () => {
  const { adopted } = moved((db) => {
    const queueing = db.client();
    queueing.callRaw('MULTI');
    queueing.callRaw('SET', 'k', 'v');
    const watching = db.client();
    watching.watch('k');
    assert.deepEqual(
      [queueing, watching].map((client) => exportedClient(db, client).watches),
      [false, true],
    );
    return [queueing, watching];
  });
  assert.match(text(adopted[0].callRaw('EXEC')), /^-EXECABORT/);
  adopted[1].callRaw('MULTI');
  assert.equal(text(adopted[1].callRaw('EXEC')), '_\r\n');
});

test('a client is not adopted in the place of another one, and none that has ended is exported', () => {
  const { next, exported, adopted } = moved((db) => [db.client({ name: 'one' })]);
  assert.deepEqual(adoptClients(next, exported), [undefined]);
  assert.equal(adopted[0].name, 'one');
  const client = next.client();
  client.callRaw('QUIT');
  assert.equal(exportedClient(next, client), undefined);
});
