/** A typed line that names its client, as lines of sessions do: `NAME> command`. Pure. */

const ADDRESSED = /^(\s*([A-Za-z_][\w.-]*)(?:\[\d+\])?(?:\(TX\))?> *)(\S.*)$/s;
const FIRST_NAMES = new Set(['redis', 'redis-cli', 'valkey', 'valkey-cli', 'keylatch']);

export interface AddressedLine {
  /** Undefined: the line names no client, or the first one by a name of its programs. */
  readonly client: string | undefined;
  /** Characters before the command. */
  readonly skipped: number;
  readonly command: string;
}

export function addressedLine(line: string): AddressedLine {
  const [, head = '', name = '', command = ''] = ADDRESSED.exec(line) ?? [];
  if (head === '') return { client: undefined, skipped: 0, command: line };
  const client = FIRST_NAMES.has(name.toLowerCase()) ? undefined : name;
  return { client, skipped: [...head].length, command };
}
