/** The explorer of races without a limit of time: on a busy machine it would only sample the orders. */
import { exploreRace as explore } from '../../../target/npm/keylatch/esm/testing.js';
import { exploreRace as exploreScripts } from '../../../target/npm/keylatch-scripting/esm/testing.js';

const PATIENCE = { maxMs: 600_000 };

export const exploreRace = (text, options) => explore(text, { ...PATIENCE, ...options });
export const exploreWithScripts = (text, options) => exploreScripts(text, { ...PATIENCE, ...options });
