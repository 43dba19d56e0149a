/** The cells of the matrix: a kind of process, when it forces bytes to the medium, what it does, and the signal. */

const SIDES = ['open', 'serve'];
const POLICIES = ['always', 'everysec', 'no', 'snapshot'];
const MOMENTS = ['idle', 'load', 'save', 'rewrite', 'flush'];
const SIGNALS = ['SIGTERM', 'SIGKILL'];

/** The reason why there is no such cell; undefined if there is one. */
function reasonAgainst(side, policy, moment) {
  if (side === 'open' && policy === 'snapshot') return 'open always keeps a log';
  if (policy === 'snapshot' && moment === 'rewrite') return 'there is no log to rewrite';
  if (policy === 'snapshot' && moment === 'flush') return 'nothing is appended';
  if (side === 'serve' && policy === 'no' && moment === 'flush') return 'a server with no sync has no moment of a sync';
  return undefined;
}

/** All cells, and those that are left out with the reason. */
export function allCells() {
  const cells = [];
  const left = [];
  for (const side of SIDES)
    for (const policy of POLICIES)
      for (const moment of MOMENTS) {
        const reason = reasonAgainst(side, policy, moment);
        if (reason !== undefined) left.push(`${side} ${policy} ${moment}: ${reason}`);
        else for (const signal of SIGNALS) cells.push({ side, policy, moment, signal });
      }
  return { cells, left };
}

/** Name of a cell, by which it is chosen. */
export const nameOf = ({ side, policy, moment, signal }) => `${side} ${policy} ${moment} ${signal}`;

/** Cells of the test command: each kind of process, policy, moment and signal at least once. */
export const SHORT = [
  'open everysec load SIGTERM',
  'open always load SIGKILL',
  'open everysec flush SIGKILL',
  'open no rewrite SIGKILL',
  'serve everysec load SIGKILL',
  'serve always idle SIGTERM',
  'serve no load SIGTERM',
  'serve everysec rewrite SIGTERM',
  'serve snapshot save SIGTERM',
  'serve snapshot save SIGKILL',
];
