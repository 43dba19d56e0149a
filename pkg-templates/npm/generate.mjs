// Prints src/generated from the tables that the engine's rows print into target/generated. `cargo xtask build` runs this.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { printCalls } from './generate/calls.mjs';
import { printConvention } from './generate/convention.mjs';
import { printEvents } from './generate/events.mjs';
import { printIndependent } from './generate/independent.mjs';
import { printKeys } from './generate/keys.mjs';
import { printMethods } from './generate/methods.mjs';
import { printModes } from './generate/modes.mjs';
import { PLAIN } from './generate/plain.mjs';
import { printReads } from './generate/reads.mjs';
import { printTable } from './generate/table.mjs';

const TABLES = new URL('../../target/generated/', import.meta.url);
const TARGET = new URL('src/generated/', import.meta.url);

function read(name) {
  return JSON.parse(readFileSync(new URL(name, TABLES), 'utf8'));
}

const commands = read('commands.json');
const convention = read('convention.json');
const files = {
  'calls.ts': printCalls(commands),
  'commands.ts': printTable(commands),
  'independent.ts': printIndependent(commands),
  'key-positions.ts': printKeys(commands, convention),
  'convention.ts': printConvention(convention),
  'events.ts': printEvents(read('events.json')),
  'modes.ts': printModes(read('modes.json')),
  'reads.ts': printReads(commands),
  'methods.ts': printMethods(commands, PLAIN, read('examples.json')),
};
rmSync(TARGET, { recursive: true, force: true });
mkdirSync(TARGET, { recursive: true });
for (const [name, text] of Object.entries(files)) writeFileSync(new URL(name, TARGET), text);
