// Prints the calling convention: numbers of rows and bits of the status as enums that esbuild inlines.

/**
 * Set in the printed number of a command that needs the time, and of one that may run a script; the numbers of rows have
 * sixteen bits.
 */
const TIMED = 1 << 16;
const SCRIPT = 1 << 17;

/** Name of a row as an identifier: `LATCH_LIMIT` for `LATCH.LIMIT`. */
export function identifier(name) {
  return name.replaceAll('.', '_');
}

export function printConvention({ hash, status, rows }) {
  const members = rows.flatMap(({ number, name, timed, timedByOptions, scripts }) => [
    `  ${identifier(name)} = ${number | (timed ? TIMED : 0) | (scripts ? SCRIPT : 0)},\n`,
    ...(timedByOptions ? [`  ${identifier(name)}_WITHOUT_OPTIONS = ${number},\n`] : []),
  ]);
  const bits = Object.entries(status).map(([name, bit]) => `  ${name} = ${bit},\n`);
  const names = rows.map(({ number, name }) => `  ${number}: '${name}',\n`);
  return `/** Printed from the table of commands: how they are called by number. */

/** Rows by command, with the bits of RowBit. */
export const enum Row {
${members.join('')}}

/** Bits of rows: those that have to know the time, and those that may run a script. */
export const enum RowBit {
  Timed = ${TIMED},
  Script = ${SCRIPT},
}

/** Bits of the word that a call returns: work that is left to the host. */
export const enum Status {
${bits.join('')}}

/** Hash of rows and bits; an engine with another one has other numbers. */
export const CONVENTION = ${hash};

/** Names of commands by row. */
export const NAMES: Readonly<Record<number, string>> = {
${names.join('')}};
`;
}
