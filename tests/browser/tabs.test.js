// keylatch/tabs in real tabs: several pages of one profile in Chromium.
import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { startSite } from './site.js';

let site;
before(async () => {
  site = await startSite();
});
after(() => site.stop());

let pages = [];
let names = 0;
let name;
afterEach(async () => {
  for (const page of pages) await page.close();
  pages = [];
});

/** Opens a page that shares a database, as `globalThis.db`. */
async function join(options = {}) {
  const page = await site.open();
  pages.push(page);
  await share(page, options);
  return page;
}

function share(page, options = {}) {
  return page.evaluate(
    async (given) => {
      globalThis.db = await keylatch.share(given);
    },
    { name, ...options },
  );
}

/** A leader and a follower of a name of their own. */
async function pair(options) {
  names += 1;
  name = `test ${names}`;
  return [await join(options), await join(options)];
}

const roleOf = (page) => page.evaluate(() => db.role);

async function until(page, role) {
  await page.waitForFunction((wanted) => db.role === wanted, role);
}

/** Ends a page at once: its renderer crashes, or the tab is closed. */
async function end(page, way) {
  pages = pages.filter((other) => other !== page);
  if (way === 'close') return page.close();
  const session = await page.context().newCDPSession(page);
  // The answer never comes.
  session.send('Page.crash').catch(() => {});
  await page.waitForEvent('crash');
  return undefined;
}

test('two tabs race for 10,000 keys: one winner each', async () => {
  const both = await pair();
  const startMs = Date.now() + 300;
  const race = (page, tab, isBackwards) =>
    page.evaluate(
      async ([value, backwards, atMs]) => {
        const order = Array.from({ length: 10_000 }, (_, index) => `k${backwards ? 9_999 - index : index}`);
        const won = [];
        await new Promise((resolve) => setTimeout(resolve, atMs - Date.now()));
        for (let at = 0; at < order.length; at += 100) {
          const keys = order.slice(at, at + 100);
          const replies = await Promise.all(keys.map((key) => db.set(key, value, { nx: true })));
          won.push(...keys.filter((_, index) => replies[index] === 'OK'));
          // The leader answers its own calls at once: others have their turn between its tasks.
          await new Promise((resolve) => setTimeout(resolve));
        }
        return won;
      },
      [tab, isBackwards, startMs],
    );
  const [ofFirst, ofSecond] = await Promise.all([race(both[0], 'first', false), race(both[1], 'second', true)]);
  const won = [...ofFirst, ...ofSecond];
  assert.equal(won.length, 10_000);
  assert.equal(new Set(won).size, 10_000);
  assert.ok(ofFirst.length > 0 && ofSecond.length > 0, `${ofFirst.length} and ${ofSecond.length}`);
  const values = await both[1].evaluate((keys) => db.mget(keys), won);
  assert.deepEqual([...new Set(values.slice(0, ofFirst.length))], ['first']);
  assert.deepEqual([...new Set(values.slice(ofFirst.length))], ['second']);
});

test('the leader is killed in mid-call, twenty times: the right answer, or a retryable error', async () => {
  let [leader, follower] = await pair({ acknowledge: 'flushed' });
  let n = 0;
  const seen = { right: 0, unknown: 0 };
  for (let round = 0; round < 20; round += 1) {
    const calls = follower.evaluate(async () => {
      const results = await Promise.allSettled(Array.from({ length: 20 }, () => db.incr('n')));
      return results.map(
        ({ value, reason }) => value ?? [reason.name, reason.code, reason.retryable, reason.mayHaveRun],
      );
    });
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 30));
    await end(leader, round % 2 === 0 ? 'crash' : 'close');
    const results = await calls;
    const right = results.filter((result) => typeof result === 'number');
    for (const result of results) {
      if (typeof result !== 'number') assert.deepEqual(result, ['TabsError', 'LEADER_CHANGED', true, true]);
    }
    assert.deepEqual(
      right,
      [...right].sort((a, b) => a - b),
      'in the order of the calls',
    );
    const now = Number(await follower.evaluate(() => db.get('n')));
    assert.ok(now >= n + right.length && now <= n + 20, `${n} + ${right.length} <= ${now} <= ${n} + 20`);
    assert.ok(
      right.every((value) => value <= now),
      'acknowledged increments are kept',
    );
    n = now;
    seen.right += right.length;
    seen.unknown += 20 - right.length;
    leader = follower;
    follower = await join({ acknowledge: 'flushed' });
    assert.equal(await roleOf(leader), 'leader');
  }
  console.log(`# ${seen.right} right answers, ${seen.unknown} unknown`);
});

test('failover keeps flushed writes, subscriptions and waits', async () => {
  const [leader, follower] = await pair();
  const third = await join();
  await follower.evaluate(async () => {
    globalThis.heard = [];
    await db.subscribe('news', (message) => heard.push(message));
    await db.on('set', ({ key }) => heard.push(key));
    for (let key = 0; key < 1000; key += 1) db.set(`k${key}`, 'x'.repeat(100));
    await db.flush();
    heard.length = 0;
  });
  await end(leader, 'crash');
  assert.equal(await third.evaluate(() => db.dbsize()), 1000);
  await until(follower, 'leader');
  const popped = follower.evaluate(() => db.blpop('queue', 10));
  await third.evaluate(async () => {
    await db.publish('news', 'hello');
    await db.set('last', 1);
    await db.rpush('queue', 'element');
  });
  assert.deepEqual(await popped, ['queue', 'element']);
  assert.deepEqual(await follower.evaluate(() => heard), ['hello', 'last']);
  // A tab that is closed hands its waits over if it has the time.
  const waiting = third.evaluate(() => db.blpop('queue', 10)).catch((error) => error.message);
  await follower.evaluate(() => new Promise((resolve) => setTimeout(resolve, 50)));
  await end(follower, 'close');
  await until(third, 'leader');
  await third.evaluate(() => db.rpush('queue', 'after'));
  assert.match(String(await waiting), /^queue,after$|unknown whether the command ran/);
});

test('a leader that reloads hands over, and finds its data', async () => {
  const [leader, follower] = await pair();
  await leader.evaluate(() => db.set('k', 'v'));
  await leader.reload();
  await leader.waitForFunction(() => globalThis.keylatch !== undefined);
  await share(leader);
  assert.equal(await leader.evaluate(() => db.get('k')), 'v');
  assert.deepEqual([await roleOf(leader), await roleOf(follower)], ['follower', 'leader']);
});

for (const way of ['navigate', 'reload', 'close'])
  test(`no acknowledged increment is lost when the leader leaves by ${way}`, async () => {
    const [leader, follower] = await pair();
    await follower.evaluate(() => {
      globalThis.acknowledged = 0;
      const increment = async () => {
        while (!globalThis.isOver) {
          const results = Array.from({ length: 20 }, () => db.incr('n').then(() => globalThis.acknowledged++));
          await Promise.allSettled(results);
          await new Promise((resolve) => setTimeout(resolve, 1));
        }
      };
      globalThis.incrementing = increment();
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    if (way === 'close') await leader.close({ runBeforeUnload: true });
    else if (way === 'reload') await leader.reload();
    else await leader.goto(`${site.origin}/fixtures/package.html?next`);
    await until(follower, 'leader');
    const [acknowledged, counted] = await follower.evaluate(async () => {
      globalThis.isOver = true;
      await globalThis.incrementing;
      return [globalThis.acknowledged, Number(await db.get('n'))];
    });
    assert.ok(acknowledged > 0 && counted >= acknowledged, `${counted} of ${acknowledged}`);
  });

test('a leader that is busy does not answer in time; its lock is not taken, and it goes on afterwards', async () => {
  const [leader, follower] = await pair({ deadlineMs: 300 });
  await follower.evaluate(() => db.set('k', 1));
  const busy = leader.evaluate(() => {
    for (const endMs = Date.now() + 4000; Date.now() < endMs; );
  });
  const failure = await follower.evaluate(async () => {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const error = await db.incr('k').catch((reason) => reason);
    return [error.name, error.code, error.retryable, error.mayHaveRun];
  });
  assert.deepEqual(failure, ['TabsError', 'NO_ANSWER', true, true]);
  await busy;
  const read = () => follower.evaluate(() => db.get('k'));
  assert.equal(await read(), '2');
  assert.deepEqual([await roleOf(leader), await roleOf(follower)], ['leader', 'follower']);
});

test('a leader that is about to be frozen hands over at once, and comes back as a follower', async () => {
  const [leader, follower] = await pair();
  await follower.evaluate(() => db.set('k', 'v'));
  // Headless pages are never frozen: this one gets the event, and then runs nothing for six seconds.
  await leader.evaluate(() => {
    setTimeout(() => document.dispatchEvent(new Event('freeze')));
    setTimeout(() => {
      globalThis.frozenMs = Date.now();
      while (Date.now() < frozenMs + 6000);
      document.dispatchEvent(new Event('resume'));
    });
  });
  await until(follower, 'leader');
  const followedMs = await follower.evaluate(() => Date.now());
  assert.equal(await follower.evaluate(() => db.get('k')), 'v');
  await follower.evaluate(() => db.set('k', 'w'));
  assert.equal(await leader.evaluate(() => db.get('k')), 'w');
  assert.ok(followedMs < (await leader.evaluate(() => frozenMs)) + 6000, 'before the leader went on');
  assert.equal(await roleOf(leader), 'follower');
});

test('the database is deleted while open: the tabs go on with an empty one', async () => {
  const [leader, follower] = await pair();
  await follower.evaluate(async () => {
    await db.set('k', 'v');
    await db.flush();
  });
  await follower.evaluate(
    (database) =>
      new Promise((resolve, reject) => {
        const request = indexedDB.deleteDatabase(database);
        request.onsuccess = resolve;
        request.onerror = reject;
      }),
    `keylatch:${name}`,
  );
  const read = (page) =>
    page.evaluate(async () => {
      for (let attempt = 0; attempt < 50; attempt += 1) {
        const value = await db.get('k').catch((error) => error.code);
        if (value === null) return null;
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return db.get('k');
    });
  assert.deepEqual([await read(leader), await read(follower)], [null, null]);
  assert.equal(await follower.evaluate(() => db.set('k', 'new')), 'OK');
  assert.equal(await leader.evaluate(() => db.get('k')), 'new');
});

test('a tab of a newer version upgrades the database: this version stops with an error that says so', async () => {
  const [leader, follower] = await pair();
  await leader.evaluate(() => db.set('k', 'v'));
  await follower.evaluate(
    (database) =>
      new Promise((resolve, reject) => {
        const request = indexedDB.open(database, 2);
        request.onsuccess = () => resolve(request.result.close());
        request.onerror = reject;
      }),
    `keylatch:${name}`,
  );
  const failure = await follower.evaluate(async () => {
    for (let attempt = 0; attempt < 100; attempt += 1) {
      const error = await db.get('k').then(
        () => undefined,
        (reason) => reason,
      );
      if (error?.code === 'NEWER_VERSION') return [error instanceof keylatch.PersistenceError, error.message];
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return [];
  });
  assert.equal(failure[0], true);
  assert.match(failure[1], /newer version.*reload/);
});

test('a leader of another version is not obeyed', async () => {
  const [leader] = await pair();
  const page = await site.open();
  pages.push(page);
  const failure = await page.evaluate(async () => {
    const room = new BroadcastChannel('keylatch:other');
    room.onmessage = ({ data }) =>
      data.kind === 'hello' && room.postMessage({ kind: 'leads', from: 'x', version: 2, epoch: 1, isReady: true });
    navigator.locks.request('keylatch:other', () => new Promise(() => {}));
    const error = await keylatch.share({ name: 'other' }).catch((reason) => reason);
    return [error.name, error.code, error.retryable];
  });
  assert.deepEqual(failure, ['TabsError', 'OTHER_VERSION', false]);
  assert.equal(await leader.evaluate(() => db.ping()), 'PONG');
});

test('a worker takes part as a tab does', async () => {
  const [leader] = await pair();
  const started = (page) =>
    page.evaluate(
      (shared) =>
        new Promise((resolve) => {
          globalThis.worker = new Worker('/fixtures/worker.js', { type: 'module' });
          worker.onmessage = ({ data }) => resolve(data);
          worker.postMessage(shared);
        }),
      name,
    );
  assert.deepEqual(await started(leader), ['follower', 'OK', 'worker']);
  assert.equal(await leader.evaluate(() => db.get('job')), 'worker');
  names += 1;
  name = `test ${names}`;
  const page = await site.open();
  pages.push(page);
  assert.deepEqual(await started(page), ['leader', 'OK', 'worker']);
  await share(page);
  assert.deepEqual([await roleOf(page), await page.evaluate(() => db.get('job'))], ['follower', 'worker']);
  await page.evaluate(async () => {
    await db.flush();
    worker.terminate();
  });
  await until(page, 'leader');
  assert.equal(await page.evaluate(() => db.get('job')), 'worker');
});

test('a tab that is closed by its program hands over, and its calls are refused', async () => {
  const [leader, follower] = await pair();
  await leader.evaluate(async () => {
    db.set('k', 'unflushed');
    await db.close();
  });
  assert.equal(await follower.evaluate(() => db.get('k')), 'unflushed');
  assert.match(await leader.evaluate(() => db.get('k').catch((error) => error.name)), /ClosedError/);
});
