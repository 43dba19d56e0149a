// Prints the options of SET and of its relatives from the arguments of their rows, for checks at run time.

/** Rows with options that a method takes as an object. */
const ROWS = ['SET', 'DELEX', 'MSETEX', 'GETEX', 'HSETEX'];

/** The kind of value that `option-check.ts` expects of an option. */
function kindOf({ type, name }) {
  if (type === 'pure-token') return 'flag';
  if (type === 'integer' || type === 'unix-time') return 'integer';
  return name.endsWith('-digest') ? 'text' : 'argument';
}

/** Options of a row with their kinds. Times are first: messages show the first option as an example. */
function optionsOf({ arguments: all }) {
  const optional = all.filter((one) => one.optional);
  const flat = optional.flatMap((one) => (one.type === 'oneof' ? one.arguments : [one]));
  const options = flat.filter(({ token, type }) => token !== undefined && type !== 'block');
  const isTime = (option) => kindOf(option) === 'integer';
  const sorted = [...options.filter(isTime), ...options.filter((option) => !isTime(option))];
  return sorted.map((option) => [option.token.toLowerCase(), kindOf(option)]);
}

export function printOptions(commands) {
  const rows = ROWS.map((name) => [name, optionsOf(commands.find((row) => row.name === name))]);
  const shape = ([name, options]) =>
    `export const ${name} = { ${options.map(([option, kind]) => `${option}: '${kind}'`).join(', ')} } as const;\n`;
  const names = rows.find(([name]) => name === 'SET')[1].map(([option]) => option);
  return `/** Printed from the table of commands: options of SET and of its relatives, with the kinds of their values. */

${rows.map(shape).join('')}
/** A switch, because a lookup by a name in a variable takes ten times as long. */
export function isSetOption(name: string): name is keyof typeof SET {
  switch (name) {
${names.map((name) => `    case '${name}':\n`).join('')}      return true;
    default:
      return false;
  }
}
`;
}
