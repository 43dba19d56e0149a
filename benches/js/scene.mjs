/**
 * Measures the wanted rows of the scenes of a place; the host tells how a process is started and how time is taken. Where
 * things come to lie in memory is the luck of a process, so every scene has several, and a figure is of the rounds of all.
 */
import { answer, effort, isWanted, landedFolder, quick, say } from './options.mjs';
import { OPERATIONS } from './shared/operations.mjs';
import { summarise, takeRounds } from './shared/rounds.mjs';
import { scenesOf } from './shared/scenes.mjs';
import { NEW_KEYS_MAX } from './shared/workbench.mjs';

const TITLES = { node: 'Node', chromium: 'Chromium' };

const PROCESSES = quick ? 1 : 3;
const ROUNDS = Math.ceil(effort.rounds / PROCESSES);
/** A short round goes through every operation, on few keys. */
const QUICK_KEYS_MAX = 1000;

/** Answers the rows of a place. `measure(scene)` starts a process, and answers what `measureScene` did there. */
export async function answerScenes(place, measure) {
  const scenes = wantedScenes(place);
  for (const [index, scene] of scenes.entries()) {
    const processes = [];
    for (let number = 1; number <= PROCESSES; number += 1) {
      say(`${TITLES[place]}, scene ${index + 1} of ${scenes.length}: ${scene.name}, process ${number} of ${PROCESSES}`);
      processes.push(await measure(scene));
    }
    for (const row of scene.rows) {
      const times = new Map(row.stores.map((store) => [store, processes.flatMap((rows) => rows[row.name][store])]));
      answer({ table: scene.name, row: row.name, unit: 'ns', ...summarise(row.stores, times) });
    }
  }
}

/** The scenes of a place with the rows that were asked for. */
export function wantedScenes(place) {
  const scenes = scenesOf(place, (store) => store !== 'landed' || landedFolder !== undefined).map((scene) => ({
    ...scene,
    rows: scene.rows.filter((row) => isWanted(row.name)),
  }));
  return scenes.filter((scene) => scene.rows.length > 0);
}

/** What the host is asked to fill. */
export const sceneToPrepare = (scene) => (quick ? { ...scene, keys: Math.min(scene.keys, QUICK_KEYS_MAX) } : scene);

/**
 * `sample(row, store, count)` answers the nanoseconds of one sample of a prepared scene. Answers those of a command, of every
 * round, by row and store, as what one process can hand to another.
 */
export async function measureScene(scene, sample) {
  const rows = {};
  for (const row of scene.rows) {
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
