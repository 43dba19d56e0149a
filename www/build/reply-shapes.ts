/**
 * The shapes of replies as a module, `virtual:reply-shapes`: those columns of the command table from which the page knows
 * what RESP2 leaves out. Loaded with the view of bytes, while the table itself has them left out.
 */

import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

const TABLE = new URL('../../target/npm/keylatch/commands.json', import.meta.url);
const RESOLVED = '\0virtual:reply-shapes';
/** Shapes that are the same in both protocols need not be known. */
const DIFFERS = /array|map|set|double/;

export function replyShapes(): Plugin {
  return {
    name: 'keylatch-reply-shapes',
    resolveId: { filter: { id: /^virtual:reply-shapes$/ }, handler: () => RESOLVED },
    load: {
      filter: { id: /virtual:reply-shapes$/ },
      handler: () => `export const shapes = ${JSON.stringify(shapes())};`,
    },
  };
}

/** Names of commands, separated by blanks, by the shape of their reply. */
function shapes(): Record<string, string> {
  const rows = JSON.parse(readFileSync(TABLE, 'utf8')) as { name: string; reply: string }[];
  const names: Record<string, string> = {};
  for (const { name, reply } of rows.filter((row) => DIFFERS.test(row.reply)))
    names[reply] = names[reply] === undefined ? name : `${names[reply]} ${name}`;
  return names;
}
