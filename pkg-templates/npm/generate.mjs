// Prints the folders `generated` of src from the tables that the engine's rows print into target/generated, and from locks/latch;
// beside those tables, forms of commands. `cargo xtask build` runs this.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { printCalls } from './generate/calls.mjs';
import { printConvention } from './generate/convention.mjs';
import { printEvents } from './generate/events.mjs';
import { forms } from './generate/forms.mjs';
import { printIndependent } from './generate/independent.mjs';
import { printKeys } from './generate/keys.mjs';
import { printLatchScript } from './generate/latch-script.mjs';
import { printMethods } from './generate/methods.mjs';
import { printModes } from './generate/modes.mjs';
import { printOptions } from './generate/options.mjs';
import { PLAIN } from './generate/plain.mjs';
import { printAwaitable } from './generate/awaitable.mjs';
import { printReads } from './generate/reads.mjs';
import { printTable } from './generate/table.mjs';

const TABLES = new URL('../../target/generated/', import.meta.url);
const TARGET = new URL('src/', import.meta.url);
/** The methods that await a command. */
const WAITING = new URL('client/sugar/blocking.ts', TARGET);

function read(name) {
  return JSON.parse(readFileSync(new URL(name, TABLES), 'utf8'));
}

const commands = read('commands.json');
const convention = read('convention.json');
/** Each file is on the floor that uses it. */
const files = {
  'base/generated/awaitable.ts': printAwaitable(commands, readFileSync(WAITING, 'utf8')),
  'client/generated/calls.ts': printCalls(commands),
  'client/generated/commands.ts': printTable(commands),
  'client/generated/key-positions.ts': printKeys(commands, convention),
  'client/generated/methods.ts': printMethods(commands, PLAIN, read('examples.json')),
  'client/generated/options.ts': printOptions(commands),
  'host/generated/convention.ts': printConvention(convention),
  'host/generated/events.ts': printEvents(read('events.json')),
  'host/generated/modes.ts': printModes(read('modes.json')),
  'client/generated/reads.ts': printReads(commands),
  'locks/generated/latch-script.ts': printLatchScript((part) =>
    readFileSync(new URL(`locks/latch/${part}`, TARGET), 'utf8'),
  ),
  'race/generated/independent.ts': printIndependent(commands),
};
writeFileSync(new URL('forms.json', TABLES), JSON.stringify(forms(commands, PLAIN, read('examples.json'))));
const isGenerated = (path) => basename(path) === 'generated';
for (const folder of readdirSync(TARGET, { recursive: true }).filter(isGenerated)) {
  rmSync(new URL(`${folder}/`, TARGET), { recursive: true, force: true });
}
for (const [name, text] of Object.entries(files)) {
  const file = new URL(name, TARGET);
  mkdirSync(new URL('./', file), { recursive: true });
  writeFileSync(file, text);
}
