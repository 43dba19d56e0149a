/** The kind of each line of a session text, for its colour only: the engine parses the lines. Pure. */

/** Kind of a line of a session. */
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

/** A line of a session with its kind. */
export interface KindedLine {
  /** Kind of the line, from the line alone. */
  readonly kind: LineKind;
  /** Client named by the prompt; "" is the default client. */
  readonly client: string;
  /** Prompt or mark. */
  readonly head: string;
  /** The line behind `head`. */
  readonly rest: string;
}

/** The state of a client, which redis-cli shows behind its name: `[2]`, `(TX)` and `(subscribed mode)`. */
const STATE = /(?:\[\d+\])?(?:\(TX\))?(?:\(subscribed mode\))?$/;
const NAME = /^[A-Za-z_][\w.-]*$/;
const ADDRESS = /^(?:redis )?(?:[\w.-]+|\[[\da-fA-F:.]+\]):\d{1,5}$/;
/** The path of a Unix socket, which redis-cli shows behind its own name. */
const SOCKET_HEAD = 'redis ';
const NOT_CONNECTED = 'not connected';
const RECEIVE = /^(\s*([A-Za-z_][\w.-]*)[<+-])(\s*)$/;
const KINDS: Readonly<Record<string, LineKind>> = { '<': 'receive', '+': 'mark', '-': 'mark' };
/** Longest state: a database has few digits. */
const STATE_MAX = 64;
const DEFAULT_NAMES = new Set(['redis', 'redis-cli', 'valkey', 'keylatch']);

/** The kind of a line and its parts, for colours: what runs is decided by the engine. */
export function kindedLine(line: string): KindedLine {
  const text = line.trim();
  if (text === '') return plain('blank', line);
  if (text.startsWith('##')) return plain('heading', line);
  if (text.startsWith('#')) return plain('comment', line);
  if (text.startsWith('@')) return plain('clock', line);
  if (text.startsWith('!')) return plain('event', line);
  if (text === '...') return plain('anything', line);
  return command(line) ?? received(line) ?? plain('reply', line);
}

/** The state that ends a prompt, and what stands in front of it. */
export function promptParts(prompt: string): { readonly base: string; readonly state: string } {
  const text = prompt.trim();
  // A state is short: no prompt is searched from each of its characters.
  const at = Math.max(0, text.length - STATE_MAX);
  const [state = ''] = STATE.exec(text.slice(at)) ?? [];
  return { base: text.slice(0, text.length - state.length), state };
}

function command(line: string): KindedLine | undefined {
  const end = line.indexOf('>');
  if (end === -1) return undefined;
  const { base } = promptParts(line.slice(0, end));
  const isNamed = NAME.test(base);
  if (!(base === '' || isNamed || ADDRESS.test(base) || base === NOT_CONNECTED || isSocket(base))) return undefined;
  const client = isNamed && !DEFAULT_NAMES.has(base.toLowerCase()) ? base : '';
  return { kind: 'command', client, head: line.slice(0, end + 1), rest: line.slice(end + 1) };
}

function isSocket(base: string): boolean {
  const path = base.slice(SOCKET_HEAD.length);
  return base.startsWith(SOCKET_HEAD) && (path.includes('/') || path.endsWith('.sock')) && !/\s/.test(path);
}

function received(line: string): KindedLine | undefined {
  const [, head = '', name = '', rest = ''] = RECEIVE.exec(line) ?? [];
  const kind = KINDS[head.at(-1) ?? ''];
  return kind && { kind, client: DEFAULT_NAMES.has(name.toLowerCase()) ? '' : name, head, rest };
}

function plain(kind: LineKind, rest: string): KindedLine {
  return { kind, client: '', head: '', rest };
}
