// The page that is killed: writes step after step to IndexedDB, and reports the number of steps after each flush.
import { open } from '/package/esm/persist-browser.js';
import { step } from './steps.mjs';

const durability = new URLSearchParams(location.search).get('durability');
const report = (path, given) => fetch(`/${path}?${new URLSearchParams(given)}`, { method: 'POST' });

async function write() {
  const db = await open({ name: 'kill', durability });
  let steps = Number(db.get('steps') ?? 0);
  await report('opened', { steps, digest: db.digestAll() });
  let isReporting = false;
  for (;;) {
    for (let left = 1 + (steps % 50); left > 0; left -= 1) {
      step(db, steps);
      steps += 1;
    }
    // Replacements by hand, beside those of a long log.
    if (steps % 900 < 50) void db.rewrite();
    await db.flush();
    if (isReporting) continue;
    isReporting = true;
    void report('flushed', { steps }).then(() => {
      isReporting = false;
    });
  }
}

write().catch(({ message }) => report('failed', { message }));
