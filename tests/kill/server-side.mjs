/** A round of a server: connections make steps, a signal comes, and what was replied to is counted. */
import { Connection } from './connection.mjs';
import { sleep } from './children.mjs';
import { fillingOf } from './model.mjs';
import { serve } from './package.mjs';

/** Databases with steps, one a connection. */
export const DATABASES = [1, 2, 3];

const IN_FLIGHT = 32;
/** Time from the first append to the sync of `everysec`. */
const SYNC_MS = 1000;

const optionsOf = (dir, policy) => [
  ...['--dir', dir],
  ...(policy === 'snapshot' ? ['--appendonly', 'no', '--save', '3600 1'] : ['--appendfsync', policy]),
];

/** Runs a round. `steps`: numbers of steps per database; `code`: how the server ended. */
export async function serverRound({ policy, moment, signal }, dir, megabytes) {
  const { child, port } = await serve(optionsOf(dir, policy));
  const control = new Connection(port);
  await fill(control, megabytes);
  const writers = DATABASES.map(() => new Connection(port));
  const found = await Promise.all(writers.map((writer, index) => writer.begin(DATABASES[index])));
  const acknowledged = () => writers.map((writer) => writer.acknowledged);
  const saved = { steps: found };
  if (policy === 'snapshot') await makeSaved(control, writers, saved);
  await MOMENTS[moment]({ control, writers, policy, saved });
  const code = await child.signal(signal);
  await Promise.all([control, ...writers].map(({ ended }) => ended));
  const isSnapshotLost = policy === 'snapshot' && signal === 'SIGKILL';
  return {
    code,
    errors: child.errors,
    isClean: signal === 'SIGKILL' ? code === 'SIGKILL' : code === 0,
    found,
    sent: writers.map(({ sent }) => sent),
    acknowledged: isSnapshotLost ? saved.steps : acknowledged(),
  };
}

async function fill(control, megabytes) {
  const filling = fillingOf(megabytes);
  if (filling.length === 0 || (await control.ask(['EXISTS', filling.at(-1)[0]])) === ':1\r\n') return;
  for (const [key, value] of filling) await control.ask(['SET', key, value]);
}

/** Writes, and saves in the middle; what was acknowledged before is kept from then on. */
async function makeSaved(control, writers, saved) {
  for (const writer of writers) writer.write(IN_FLIGHT);
  await sleep(Math.random() * 30);
  const steps = writers.map(({ acknowledged }) => acknowledged);
  const reply = await control.ask(['SAVE']);
  if (reply !== '+OK\r\n') throw new Error(`SAVE: ${reply}`);
  saved.steps = steps;
  await Promise.all(writers.map((writer) => writer.settled()));
}

const load = (writers, inFlight = IN_FLIGHT) => {
  for (const writer of writers) writer.write(inFlight);
};

const MOMENTS = {
  idle: async ({ control, writers, policy, saved }) => {
    load(writers);
    await sleep(Math.random() * 50);
    await Promise.all(writers.map((writer) => writer.settled()));
    if (policy === 'snapshot' && Math.random() < 0.5) await savedInBackground(control, writers, saved);
    await sleep(Math.random() * 100);
  },
  load: async ({ writers }) => {
    load(writers);
    await sleep(Math.random() * 300);
  },
  save: ({ control, writers }) => underWay(control, writers, 'BGSAVE'),
  rewrite: ({ control, writers }) => underWay(control, writers, 'BGREWRITEAOF'),
  flush: async ({ writers, policy }) => {
    // One step at a time: each reply waits for its own append.
    load(writers, 1);
    await sleep(policy === 'everysec' ? SYNC_MS - 60 + Math.random() * 120 : Math.random() * 200);
  },
};

/** Signals come while the command's work runs: before the next one begins, or soon after. */
async function underWay(control, writers, name) {
  load(writers);
  await sleep(Math.random() * 50);
  const [, text] = /^([+-][^\r]*)/.exec(await control.ask([name])) ?? [];
  if (!/started/.test(text)) throw new Error(`${name}: ${text}`);
  await sleep(Math.random() * 200);
}

/** Saves by BGSAVE; the end is where LASTSAVE moves, which counts seconds. */
async function savedInBackground(control, writers, saved) {
  const steps = writers.map(({ acknowledged }) => acknowledged);
  const before = await control.ask(['LASTSAVE']);
  for (let left = 30; left > 0; left -= 1) {
    await control.ask(['BGSAVE']);
    await sleep(50);
    if ((await control.ask(['LASTSAVE'])) === before) continue;
    saved.steps = steps;
    return;
  }
  throw new Error('LASTSAVE does not move');
}
