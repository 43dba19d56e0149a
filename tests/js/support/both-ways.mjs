/** For tests that hold the short way of commands against the ordinary one. */
import { entry } from './package.mjs';

const { Keylatch } = await entry('index');

/** Two engines: the first goes the short way; the second listens, so that everything goes the ordinary way. */
export function pair(options = () => ({})) {
  const short = new Keylatch({ seed: 7n, ...options() });
  const ordinary = new Keylatch({ seed: 7n, ...options() });
  listen(ordinary);
  return [short, ordinary];
}

/** Whoever listens is answered the ordinary way. */
export function listen(db) {
  db.on('no-such-event', () => {});
}

/** What a call answers, or how it fails. */
export function outcome(run) {
  try {
    return run();
  } catch (error) {
    return `${error.name} ${error.command ?? ''} ${error.message}`;
  }
}

/** Whole numbers below an end, always the same from a seed. */
export function dice(seed) {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return (state >>> 8) % end;
  };
}
