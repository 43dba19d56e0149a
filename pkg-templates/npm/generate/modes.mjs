// Prints which modes of latches stand beside each other.

export function printModes(modes) {
  const list = (names) => `[${names.map((name) => `'${name}'`).join(', ')}]`;
  const rows = Object.entries(modes).map(([name, admitted]) => `  ${name}: ${list(admitted)},`);
  return `/** Printed from the modes of latches of the engine. */

/** Mode of a hold: exclusive, shared, an intention of either, or permits. */
export type LatchMode = ${Object.keys(modes)
    .map((name) => `'${name}'`)
    .join(' | ')};

/** Modes that a mode admits beside itself. */
export const ADMITTED: Readonly<Record<LatchMode, readonly LatchMode[]>> = {
${rows.join('\n')}
};
`;
}
