/** A command with its reply and circumstances, as the rules of explanations read it. Pure. */

import { rowOf } from '../commands/command-names.ts';
import type { CommandRow } from '../commands/commands.ts';
import type { Circumstances, KeyFacts } from './witness.ts';

/** A command that was run, with its reply. */
export interface RunCommand {
  readonly text: string;
  /** The reply as sessions have it. */
  readonly printed: readonly string[];
  readonly nowMs: number;
  /** State at that moment; undefined for replies that need no explanation. */
  readonly circumstances?: Circumstances | undefined;
}

export interface Case {
  /** Name in capitals; of a subcommand `PARENT CHILD`. */
  readonly name: string;
  /** The words behind the name. */
  readonly args: readonly string[];
  readonly row: CommandRow | undefined;
  /** First line of the reply; "" for none yet. */
  readonly reply: string;
  readonly printed: readonly string[];
  readonly text: string;
  /** Facts of the first key; those of a missing key where the command has none. */
  readonly key: KeyFacts;
  readonly circumstances: Circumstances;
  readonly nowMs: number;
}

/** An explanation, and lines that were probably meant. */
export interface Explanation {
  readonly text: string;
  readonly drafts: readonly string[];
}

export type Rules = Readonly<Record<string, (said: Case) => string | undefined>>;

const NO_KEY: KeyFacts = {
  key: 'the key',
  type: undefined,
  size: 0,
  deadlineMs: null,
  value: undefined,
  fields: [],
  gone: undefined,
};

export function caseOf(entry: RunCommand): Case | undefined {
  const { circumstances, printed, nowMs, text } = entry;
  if (!circumstances) return undefined;
  const [first = '', second = ''] = circumstances.words.map((word) => word.toUpperCase());
  const row = rowOf(first, second);
  const isChild = row?.name.includes('|') ?? false;
  return {
    name: isChild ? `${first} ${second}` : first,
    args: circumstances.words.slice(isChild ? 2 : 1),
    row,
    reply: printed[0] ?? '',
    printed,
    text,
    key: circumstances.keys[0] ?? NO_KEY,
    circumstances,
    nowMs,
  };
}

/** The timeout of a command that blocks: its last word, or the first one of commands with a number of keys. */
export function timeoutOf({ name, args }: Case): string {
  return (/^BZ?L?MPOP$/.test(name) ? args[0] : args.at(-1)) ?? '';
}

/** The value behind an option, from an argument on; undefined: the option is not there. */
export function optionValue({ args }: Case, option: string, from = 0): string | undefined {
  const at = args.findIndex((word, index) => index >= from && word.toUpperCase() === option);
  return at === -1 ? undefined : (args[at + 1] ?? '');
}

export function hasOption(said: Case, option: string, from = 0): boolean {
  return optionValue(said, option, from) !== undefined;
}
