/** Files of the package beside the command line. */
import { readFileSync } from 'node:fs';
import type { HintRow } from '../hints/hint.js';

/** A row of commands.json, with the fields that help prints. */
export interface CommandRow extends HintRow {
  readonly summary: string;
  readonly since: string;
  readonly group: string;
  readonly complexity: string;
}

/** The rows under their upper-case names; subcommands as `PARENT|CHILD`. */
export type CommandRows = ReadonlyMap<string, CommandRow>;

function readBeside(name: string): unknown {
  return JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
}

export function readRows(): CommandRows {
  const rows = readBeside('commands.json') as CommandRow[];
  return new Map(rows.map((row) => [row.name.toUpperCase(), row]));
}

export function readVersion(): string {
  return (readBeside('package.json') as { version: string }).version;
}
