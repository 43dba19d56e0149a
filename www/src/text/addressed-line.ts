/** Prompts of typed and pasted lines, as lines of sessions have them: `NAME> command`, `HOST:PORT[2]> command`. Pure. */

import { kindedLine, promptParts } from 'keylatch/element';

/** Prompt name of the first client, which session files read as the default client. */
export const FIRST_NAME = 'keylatch';

/** Client and database that a prompt names. */
export interface Address {
  /** Undefined: none of this page, as in the prompts of other programs. */
  readonly client: string | undefined;
  /** Undefined: the one that the client has. */
  readonly database: number | undefined;
}

export interface AddressedLine extends Address {
  /** Characters before the command. */
  readonly skipped: number;
  readonly command: string;
}

export function addressOf(prompt: string): Address {
  const { kind, client, head } = kindedLine(prompt);
  if (kind !== 'command') return { client: undefined, database: undefined };
  const { base, state } = promptParts(head.slice(0, -1));
  const digits = /^\[(\d+)\]/.exec(state)?.[1];
  const own = base === FIRST_NAME ? FIRST_NAME : undefined;
  return { client: own ?? (client || undefined), database: digits ? Number(digits) : undefined };
}

export function addressedLine(line: string): AddressedLine {
  const { kind, head, rest } = kindedLine(line);
  const isAddressed = kind === 'command' && head.trim() !== '>' && rest.trim() !== '';
  const prompt = isAddressed ? line.slice(0, line.length - rest.trimStart().length) : '';
  return { ...addressOf(prompt), skipped: [...prompt].length, command: line.slice(prompt.length) };
}
