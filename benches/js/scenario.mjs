/**
 * Measures the wanted rows of the scenarios of a suite; the host tells how a process is started and how time is taken. Where
 * things come to lie in memory is the luck of a process, so every scenario has several, and a figure is of the rounds of all.
 */
import { answer, effort, isWanted, landedFolder, quick, say } from './options.mjs';
import { OPERATIONS } from './shared/operations.mjs';
import { summarise, takeRounds } from './shared/rounds.mjs';
import { scenariosOf } from './shared/scenarios.mjs';
import { NEW_KEYS_MAX } from './shared/workbench.mjs';

const TITLES = { node: 'Node', chromium: 'Chromium' };

const PROCESSES = quick ? 1 : 3;
const ROUNDS = Math.ceil(effort.rounds / PROCESSES);
/** A short round goes through every operation, on few keys. */
const QUICK_KEYS_MAX = 1000;

/** Answers the rows of a suite. `measure(scenario)` starts a process, and answers what `measureScenario` did there. */
export async function answerScenarios(suite, measure) {
  const scenarios = wantedScenarios(suite);
  for (const [index, scenario] of scenarios.entries()) {
    const processes = [];
    for (let number = 1; number <= PROCESSES; number += 1) {
      say(
        `${TITLES[suite]}, scenario ${index + 1} of ${scenarios.length}: ${scenario.name}, process ${number} of ${PROCESSES}`,
      );
      processes.push(await measure(scenario));
    }
    for (const row of scenario.rows) {
      const times = new Map(row.stores.map((store) => [store, processes.flatMap((rows) => rows[row.name][store])]));
      answer({ table: scenario.name, row: row.name, unit: 'ns', ...summarise(row.stores, times) });
    }
  }
}

/** The scenarios of a suite with the rows that were asked for. */
export function wantedScenarios(suite) {
  const scenarios = scenariosOf(suite, (store) => store !== 'landed' || landedFolder !== undefined).map((scenario) => ({
    ...scenario,
    rows: scenario.rows.filter((row) => isWanted(row.name)),
  }));
  return scenarios.filter((scenario) => scenario.rows.length > 0);
}

/** What the host is asked to fill. */
export const scenarioToPrepare = (scenario) =>
  quick ? { ...scenario, keys: Math.min(scenario.keys, QUICK_KEYS_MAX) } : scenario;

/**
 * `sample(row, store, count)` answers the nanoseconds of one sample of a prepared scenario. Answers those of a command, of every
 * round, by row and store, as what one process can hand to another.
 */
export async function measureScenario(scenario, sample) {
  const rows = {};
  for (const row of scenario.rows) {
    say(`    ${row.name}`);
    const { commands = 1, changes } = OPERATIONS[row.operation];
    const countMax = changes || row.state === 'fresh' ? NEW_KEYS_MAX / commands : Infinity;
    const times = await takeRounds({
      ...effort,
      rounds: ROUNDS,
      names: row.stores,
      countMax,
      commands,
      sample: (store, count) => sample(row, store, count),
    });
    rows[row.name] = Object.fromEntries(times);
  }
  return rows;
}
