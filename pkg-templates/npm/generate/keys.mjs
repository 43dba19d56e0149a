// Prints where the keys of each command are, for views of a prefix.

/** Key specs of a row as the printed table has them: `1..2` is `1 2`, and `BY?2` is a pattern behind a word. */
function positionsOf({ name, keys = [], keyPatterns = [] }) {
  const specs = keys.map((spec) => spec.replace(/^(\d)\.\.(\d)$/, '$1 $2'));
  const positions = [...specs, ...keyPatterns.map((word) => `${word}?2`)].join(' ');
  if (/^((#?\d(\.\.-\d)?(\/\d)?|#?[A-Z]+@\d(\.\.half)?|[A-Z]+\?\d)( |$))*$/.test(positions)) return positions;
  throw new Error(`${name}: src/client/key-positions.ts does not know the key specs ${positions}`);
}

/** Containers with keys, which are at one place in all their subcommands with keys. */
function containersOf(commands) {
  const containers = new Map();
  for (const row of commands.filter(({ name, keys = [] }) => name.includes('|') && keys.length > 0)) {
    const [container] = row.name.split('|');
    const positions = positionsOf(row);
    if ((containers.get(container) ?? positions) !== positions)
      throw new Error(`${row.name}: its keys are not where they are in other subcommands`);
    containers.set(container, positions);
  }
  return [...containers].map(([name, positions]) => `${name}: '${positions}'`).join(', ');
}

/** Each row as the letter of its key specs, in the order of the numbers of rows. */
export function printKeys(commands, { rows }) {
  const specs = [...new Set(commands.filter(({ name }) => !name.includes('|')).map(positionsOf))];
  if (specs.length > 36) throw new Error('more key specs than digits of base 36');
  const letters = Array(Math.max(...rows.map(({ number }) => number)) + 1).fill('-');
  for (const { number, name } of rows) {
    const row = commands.find((one) => one.name === name);
    letters[number] = specs.indexOf(positionsOf(row)).toString(36);
  }
  return `/** Printed from the table of commands: where keys are among the arguments. */

/** Positions of keys, in the notation of \`keys\` in commands.json; \`BY?2\` is a pattern behind a word. */
export const KEY_SPECS = ${JSON.stringify(specs).replaceAll('"', "'").replaceAll(',', ', ')};

/** Index in the list above for each row, in base 36. */
export const KEYS_OF_ROWS = '${letters.join('')}';

/** Positions of keys in the subcommands of containers. */
export const KEYS_OF_CONTAINERS: Readonly<Record<string, string>> = { ${containersOf(commands)} };
`;
}
