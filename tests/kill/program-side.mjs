/** A round of a program: a process makes steps with `open`, a signal comes, and what it reported is counted. */
import { join } from 'node:path';
import { Child, sleep } from './children.mjs';
import { packageFolder } from './package.mjs';

/** Steps are made in the first database. */
export const DATABASES = [0];

/** Longest time that a process writes before it is signalled, and for each megabyte that it saves. */
const WRITING_MS_MAX = 400;
const SAVING_MS_MAX = 40;

/** Runs a round, with the results of `serverRound`. */
export async function programRound({ policy, moment, signal }, dir, megabytes) {
  const given = JSON.stringify({ packageFolder, dir, policy, moment, megabytes, flushOnSignal: signal === 'SIGTERM' });
  const child = new Child(process.execPath, [join(import.meta.dirname, 'writer.mjs'), given]);
  const [, found] = await child.says(/open (\d+)\n/);
  await child.says(/ready\n/);
  await sleep(Math.random() * (WRITING_MS_MAX + megabytes * SAVING_MS_MAX));
  const code = await child.signal(signal);
  return {
    code,
    errors: child.errors,
    isClean: code === signal,
    found: [Number(found)],
    sent: [Number.POSITIVE_INFINITY],
    acknowledged: [lastOf(child.output)],
  };
}

/** The number in the last whole line that has one. */
function lastOf(output) {
  const whole = output.slice(0, output.lastIndexOf('\n') + 1);
  return Number([...whole.matchAll(/^(?:open )?(\d+)$/gm)].at(-1)[1]);
}
