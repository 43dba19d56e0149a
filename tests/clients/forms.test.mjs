/** Commands of lessons as ioredis and node-redis send them, of the pages of the site: each has the result that is stated. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { allForms, partsOf, SESSION_START, sessionBefore, shown } from '../js/support/forms.mjs';
import { folder } from './support/server.mjs';

const scripting = (name) => import(join(`${folder}-scripting`, 'esm', `${name}.js`));
const { Keylatch, ManualClock } = await scripting('index');
const { runSessionOn } = await scripting('hints');
const { connector } = await scripting('ioredis');
const { createServer } = await scripting('server');

/** Libraries by the name of their forms: each calls `use` with a client of an engine. */
const LIBRARIES = {
  async ioredis(db, use) {
    const redis = new Redis({ maxRetriesPerRequest: 1, Connector: connector(db) });
    await use('redis', redis);
    redis.disconnect();
  },
  async nodeRedis(db, use) {
    const server = await createServer({ db, port: 0 }).listen();
    const client = createClient({ socket: { port: server.port, host: '127.0.0.1', reconnectStrategy: false } });
    client.on('error', () => {});
    await client.connect();
    await use('client', client);
    client.destroy();
    await server.close();
  },
};

describe('forms of commands', () => {
  for (const [library, open] of Object.entries(LIBRARIES))
    test(`${library}: each has the result that it states`, async () => {
      const wrong = [];
      const forms = allForms().filter((form) => form[library] !== undefined);
      assert.ok(forms.length > 150, `${forms.length} forms`);
      for (const form of forms) {
        const db = new Keylatch({ clock: new ManualClock(SESSION_START) });
        runSessionOn(db, sessionBefore(form));
        const { expression, stated } = partsOf(form[library]);
        await open(db, async (variable, client) => {
          const result = await new Function(variable, `return ${expression}`)(client).catch(String);
          if (stated !== undefined && shown(result) !== stated)
            wrong.push(`${form.name}: ${form[library]}: ${shown(result)}`);
        });
        db.close();
      }
      assert.deepEqual(wrong, []);
    });
});
