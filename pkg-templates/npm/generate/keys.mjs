// Prints where the keys of each command are, for views of a prefix.

/** Commands with keys behind words, which src/client/key-positions.ts finds by itself. */
const BY_WORDS = ['SORT', 'SORT_RO', 'GEORADIUS', 'GEORADIUSBYMEMBER'];

/** Containers with keys at one place in all their subcommands, which src/client/key-positions.ts names. */
const CONTAINERS = ['OBJECT', 'MEMORY'];

/** Key specs of a row as the printed table has them: `1..2` is `1 2`. */
function positionsOf({ name, keys = [] }) {
  if (BY_WORDS.includes(name)) return '1 words';
  const positions = keys.map((spec) => spec.replace(/^(\d)\.\.(\d)$/, '$1 $2')).join(' ');
  if (/^((#?\d(\.\.-\d)?(\/\d)?|#[A-Z]+@\d)( |$))*$/.test(positions)) return positions;
  throw new Error(`${name}: src/client/key-positions.ts does not know the key specs ${positions}`);
}

/** Each row as the letter of its key specs, in the order of the numbers of rows. */
export function printKeys(commands, { rows }) {
  for (const { name, keys = [] } of commands) {
    const [container, subcommand] = name.split('|');
    if (subcommand === undefined || keys.length === 0) continue;
    if (!CONTAINERS.includes(container) || keys.join() !== '2')
      throw new Error(`${name}: src/client/key-positions.ts does not know its keys`);
  }
  const specs = [...new Set(commands.filter(({ name }) => !name.includes('|')).map(positionsOf))];
  if (specs.length > 36) throw new Error('more key specs than digits of base 36');
  const letters = Array(Math.max(...rows.map(({ number }) => number)) + 1).fill('-');
  for (const { number, name } of rows) {
    const row = commands.find((one) => one.name === name);
    letters[number] = specs.indexOf(positionsOf(row)).toString(36);
  }
  return `/** Printed from the table of commands: where keys are among the arguments. */

/** Positions of keys, in the notation of \`keys\` in commands.json. */
export const KEY_SPECS = ${JSON.stringify(specs).replaceAll('"', "'").replaceAll(',', ', ')};

/** Index in the list above for each row, in base 36. */
export const KEYS_OF_ROWS = '${letters.join('')}';
`;
}
