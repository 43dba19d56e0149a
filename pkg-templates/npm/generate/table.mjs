// Prints the types of `call`: the arguments and the reply of each command.
import { label, replyType } from './replies.mjs';

/** Leading plain arguments one by one; from the first optional or repeated one on, anything. */
function argumentTypes(row) {
  const types = [];
  for (const argument of row.arguments) {
    const name = label(argument.name);
    const plain = !argument.optional && !['oneof', 'block', 'pure-token'].includes(argument.type) && !argument.token;
    if (plain) types.push(`${name}: Argument`);
    if (plain && !argument.multiple) continue;
    types.push(`...${argument.multiple ? 'more' : 'options'}: Argument[]`);
    break;
  }
  return types;
}

function tuple(types) {
  return `[${types.join(', ')}]`;
}

/** A container takes the words of any of its subcommands; some also run on their own. */
function containerEntry(row, children) {
  const shapes = children.map((child) => {
    const word = child.name.split('|')[1];
    return tuple([`subcommand: '${word}' | '${word.toLowerCase()}'`, ...argumentTypes(child)]);
  });
  if (Math.abs(row.arity) === 1) shapes.unshift('[]');
  const replies = [...(Math.abs(row.arity) === 1 ? [row] : []), ...children].map((one) => replyType(one.reply, one));
  return { arguments: shapes.join(' | '), reply: [...new Set(replies)].join(' | ') };
}

function entry(row, rows, described) {
  const children = rows.filter(({ name }) => name.startsWith(`${row.name}|`));
  const types =
    children.length > 0
      ? containerEntry(row, children)
      : { arguments: tuple(argumentTypes(row)), reply: replyType(row.reply, row) };
  const summary = described(row.name) ? '' : `  /** ${row.summary} */\n`;
  return `${summary}  ${row.name}: { arguments: ${types.arguments}; reply: ${types.reply} };\n`;
}

/** True from `described` names a command that has its summary at a printed method: one place is enough for files that are installed. */
export function printTable(rows, described) {
  const entries = rows.filter(({ name }) => !name.includes('|')).sort((a, b) => (a.name < b.name ? -1 : 1));
  return `/** Printed from the table of commands: arguments and reply of each. */
import type { Argument } from '../argument.js';
import type { Reply } from '../reply.js';

export interface CommandTable<Text> {
${entries.map((row) => entry(row, rows, described)).join('')}}
`;
}
