/**
 * Signals servers and programs at random moments, opens their folders, and compares: what was acknowledged is there, and
 * nothing that was never written. `node tests/kill/matrix.mjs [--rounds N] [--cells TEXT] [--short]`.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { allCells, nameOf, SHORT } from './cells.mjs';
import { reasonIn } from './children.mjs';
import { Model, stepsOf } from './model.mjs';
import { Keylatch, open } from './package.mjs';
import * as program from './program-side.mjs';
import { Report } from './report.mjs';
import * as server from './server-side.mjs';

const { values: options } = parseArgs({
  options: {
    rounds: { type: 'string', default: '25' },
    cells: { type: 'string', default: '' },
    short: { type: 'boolean', default: false },
  },
});
const rounds = Number(options.rounds);

/** Megabytes of values, where a save has to take a while. */
const MEGABYTES = options.short ? 8 : 20;
const LARGE = ['save', 'rewrite'];
const SNAPSHOT = 'dump.rdb';

const SIDES = {
  open: { run: program.programRound, databases: program.DATABASES },
  serve: { run: server.serverRound, databases: server.DATABASES },
};

/** Opens a folder; a copy of a lone snapshot, because opening would give its folder a log. */
async function held({ policy }, dir, databases) {
  const copy = `${dir}-copy`;
  if (policy === 'snapshot') cpSync(join(dir, SNAPSHOT), join(copy, SNAPSHOT));
  try {
    const db = await open({ dir: policy === 'snapshot' ? copy : dir });
    const torn = db.persistence.restored.repairedBytes > 0;
    const state = { counts: stepsOf(db, databases), digest: db.digestAll(), torn };
    await db.close();
    return state;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** Differences between what a round should have left and what is there. */
function complaintsOf({ code, errors, isClean, found, sent, acknowledged }, { counts, digest }, { before, model }) {
  const complaints = [];
  if (!isClean) complaints.push(`it ended with ${code} ${reasonIn(errors)}`);
  if (String(found) !== String(before)) complaints.push(`it began with ${found} steps, ${before} were there`);
  if (counts.some((count, index) => count < acknowledged[index]))
    complaints.push(`${acknowledged} steps were acknowledged, ${counts} are there`);
  if (counts.some((count, index) => count > sent[index]))
    complaints.push(`${sent} steps were made, ${counts} are there`);
  if (digest !== model.digest(counts)) complaints.push(`not the state after ${counts} steps`);
  return complaints;
}

const sumOf = (numbers) => numbers.reduce((sum, number) => sum + number, 0);

/** Runs the rounds of a cell on one folder. A round that fails gets the next one a new folder. */
async function runCell(cell) {
  const { run, databases } = SIDES[cell.side];
  const megabytes = LARGE.includes(cell.moment) ? MEGABYTES : 0;
  const tally = { rounds: 0, steps: 0, acknowledged: 0, lost: 0, torn: 0, failures: [] };
  const fresh = () => ({
    home: mkdtempSync(join(tmpdir(), 'keylatch-kill-')),
    before: databases.map(() => 0),
    model: new Model(() => new Keylatch(), databases, megabytes),
  });
  let folder = fresh();
  for (; tally.rounds < rounds; tally.rounds += 1) {
    const complaints = await runRound({ cell, run, databases, megabytes, tally, folder }).catch((error) => [
      error.message,
    ]);
    if (complaints.length === 0) continue;
    tally.failures.push(`round ${tally.rounds}: ${complaints.join('; ')}`);
    rmSync(folder.home, { recursive: true, force: true });
    folder = fresh();
  }
  rmSync(folder.home, { recursive: true, force: true });
  return tally;
}

async function runRound({ cell, run, databases, megabytes, tally, folder }) {
  const dir = join(folder.home, 'data');
  const round = await run(cell, dir, megabytes);
  const state = await held(cell, dir, databases);
  const complaints = complaintsOf(round, state, folder);
  tally.steps += sumOf(state.counts) - sumOf(folder.before);
  tally.acknowledged += sumOf(round.acknowledged) - sumOf(folder.before);
  tally.lost += sumOf(round.acknowledged.map((count, index) => Math.max(0, count - state.counts[index])));
  tally.torn += state.torn ? 1 : 0;
  folder.before = state.counts;
  return complaints;
}

const { cells, left } = allCells();
const isChosen = (name) => name.includes(options.cells) && (!options.short || SHORT.includes(name));
const chosen = cells.filter((cell) => isChosen(nameOf(cell)));
if (chosen.length === 0) throw new Error(`no cell has ${options.cells} in its name`);
const report = new Report();
for (const cell of chosen) report.add(nameOf(cell), await runCell(cell));
if (!options.short) console.log(`left out:\n${left.map((line) => `  ${line}`).join('\n')}`);
console.log(`${report.sum('steps')} steps, ${report.sum('acknowledged')} acknowledged, ${report.sum('lost')} lost`);
for (const failure of report.failures) console.error(`FAILED ${failure}`);
process.exit(report.failures.length > 0 ? 1 : 0);
