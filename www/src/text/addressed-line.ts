/** Prompts of typed and pasted lines, as lines of sessions have them: `NAME> command`, `HOST:PORT[2]> command`. */

import type { SessionLine } from 'keylatch/hints';
import { firstLine } from './session-lines.ts';

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

export function addressOf({ name, client, database }: SessionLine): Address {
  return { client: name === FIRST_NAME ? FIRST_NAME : client || undefined, database };
}

export function addressedLine(line: string): AddressedLine {
  const first = firstLine(line);
  const isAddressed = first.kind === 'command' && first.head.trim() !== '>';
  if (!isAddressed) return { client: undefined, database: undefined, skipped: 0, command: line };
  const command = line.slice(first.head.length).trimStart();
  const prompt = line.slice(0, line.length - command.length);
  return { ...addressOf(first), skipped: [...prompt].length, command };
}
