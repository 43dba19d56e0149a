/** Prompts of typed and pasted lines, as lines of sessions have them: `NAME> command`, `HOST:PORT[2]> command`. Pure. */

import { kindedLine } from '../../../pkg-templates/npm/src/element/line-kinds.ts';

/** Prompt name of the first client, which session files read as the default client. */
export const FIRST_NAME = 'keylatch';

const PROMPT =
  /^\s*(?:[A-Za-z_][\w.-]*|(?:redis )?(?:[\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5})(?:\[\d+\])?(?:\(TX\))?> *(?=\S)/;

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
  const own = /^\s*keylatch(?=[[(>])/.test(prompt) ? FIRST_NAME : undefined;
  const digits = /\[(\d+)\](?:\(TX\))?>\s*$/.exec(prompt)?.[1];
  return { client: own ?? (kindedLine(prompt).client || undefined), database: digits ? Number(digits) : undefined };
}

export function addressedLine(line: string): AddressedLine {
  const [prompt = ''] = PROMPT.exec(line) ?? [];
  return { ...addressOf(prompt), skipped: [...prompt].length, command: line.slice(prompt.length) };
}
