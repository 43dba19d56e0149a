// Prints where the keys of each command are, for views of a prefix.

/** Words of one line of the printed table. */
const LINE_MAX = 110;

function lines(names) {
  const all = [''];
  for (const name of names) {
    if (all.at(-1).length + name.length > LINE_MAX) all.push('');
    all[all.length - 1] += all.at(-1) === '' ? name : ` ${name}`;
  }
  return all.map((line, index) => `'${index === 0 ? '' : ' '}${line}'`).join(' +\n    ');
}

export function printKeys(rows) {
  const byPositions = new Map();
  for (const { name, keys } of rows) {
    if (keys === undefined) continue;
    const positions = keys.join(' ');
    byPositions.set(positions, [...(byPositions.get(positions) ?? []), name]);
  }
  const entries = [...byPositions].map(([positions, names]) => `  '${positions}':\n    ${lines(names)},\n`);
  return `/** Printed from the table of commands: where keys are among the arguments. */

/** Names of commands by the positions of their keys, in the notation of \`keys\` in commands.json. */
export const KEY_POSITIONS: Readonly<Record<string, string>> = {
${entries.join('')}};
`;
}
