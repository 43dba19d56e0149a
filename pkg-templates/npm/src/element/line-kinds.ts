/** The kind of each line of a session text, for its colour only: the engine parses the lines. Pure. */

export type LineKind =
  | 'command'
  | 'receive'
  | 'heading'
  | 'comment'
  | 'clock'
  | 'mark'
  | 'event'
  | 'anything'
  | 'reply'
  | 'blank';

export interface KindedLine {
  readonly kind: LineKind;
  /** Client named by the prompt; "" is the default client. */
  readonly client: string;
  /** The line in two parts: prompt or mark, and the rest. */
  readonly head: string;
  readonly rest: string;
}

const COMMAND = /^(\s*([A-Za-z_][\w.-]*)?(?:[\w. :[\]-]*:\d+)?(?:\[\d+\])?(?:\(TX\))?>)(.*)$/s;
const RECEIVE = /^(\s*([A-Za-z_][\w.-]*)[<+-])(\s*)$/;
const KINDS: Readonly<Record<string, LineKind>> = { '<': 'receive', '+': 'mark', '-': 'mark' };
const DEFAULT_NAMES = new Set(['redis', 'redis-cli', 'valkey', 'keylatch']);

export function kindedLine(line: string): KindedLine {
  const text = line.trim();
  if (text === '') return plain('blank', line);
  if (text.startsWith('##')) return plain('heading', line);
  if (text.startsWith('#')) return plain('comment', line);
  if (text.startsWith('@')) return plain('clock', line);
  if (text.startsWith('!')) return plain('event', line);
  if (text === '...') return plain('anything', line);
  const match = COMMAND.exec(line) ?? RECEIVE.exec(line);
  if (!match) return plain('reply', line);
  const [, head = '', name = '', rest = ''] = match;
  const client = DEFAULT_NAMES.has(name.toLowerCase()) ? '' : name;
  return { kind: KINDS[head.at(-1) ?? ''] ?? 'command', client, head, rest };
}

function plain(kind: LineKind, rest: string): KindedLine {
  return { kind, client: '', head: '', rest };
}
