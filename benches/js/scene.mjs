/** Measures the wanted rows of one scene; the host tells how time is taken. */
import { answer, effort, isWanted, quick } from './options.mjs';
import { OPERATIONS } from './shared/operations.mjs';
import { measureRow } from './shared/rounds.mjs';
import { scenesOf } from './shared/scenes.mjs';
import { NEW_KEYS_MAX } from './shared/workbench.mjs';

/** A short round goes through every operation, on few keys. */
const QUICK_KEYS_MAX = 1000;

/** The scenes of a place with the rows that were asked for. */
export function wantedScenes(place) {
  const scenes = scenesOf(place).map((scene) => ({ ...scene, rows: scene.rows.filter((row) => isWanted(row.name)) }));
  return scenes.filter((scene) => scene.rows.length > 0);
}

/** What the host is asked to fill. */
export const sceneToPrepare = (scene) => (quick ? { ...scene, keys: Math.min(scene.keys, QUICK_KEYS_MAX) } : scene);

/** `sample(row, store, count)` answers the nanoseconds of one sample of a prepared scene. */
export async function measureScene(scene, sample) {
  for (const row of scene.rows) {
    const { commands = 1, missing } = OPERATIONS[row.operation];
    const countMax = missing || row.state === 'fresh' ? NEW_KEYS_MAX : Infinity;
    const measured = await measureRow({
      ...effort, names: row.stores, countMax, commands, sample: (store, count) => sample(row, store, count),
    });
    answer({ table: scene.name, row: row.name, unit: 'ns', ...measured });
  }
}
