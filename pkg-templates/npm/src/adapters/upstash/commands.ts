/** Commands of the REST protocol, from JSON bodies and from paths. */
import { type RestRequest, Failure } from './exchange.js';
import { type Access, mayWait, onlyReads } from './access.js';
import { Encoder } from '../../base/encoders.js';
import { textOf } from '../../resp/reply.js';

/** A word of a command: text, or bytes of a path or a raw body. */
export type Word = string | Uint8Array;

export type Command = readonly Word[];

/** A request that is refused as a whole. */
export class RefusedRequest extends Error {
  // The name of the errors of @upstash/redis.
  override readonly name = 'UpstashError';
}

/** Commands that change or need the state of a connection, which a request of REST does not have. */
const OF_CONNECTIONS = new Set(
  (
    'ASKING AUTH CLIENT DISCARD EXEC HELLO MONITOR MULTI PSUBSCRIBE PUNSUBSCRIBE QUIT READONLY READWRITE RESET SELECT ' +
    'SSUBSCRIBE SUBSCRIBE SUNSUBSCRIBE UNSUBSCRIBE UNWATCH WATCH'
  ).split(' '),
);

const HINTS: Readonly<Record<string, string>> = {
  MULTI: 'send the commands to /multi-exec',
  EXEC: 'send the commands to /multi-exec',
  MONITOR: 'open /monitor',
  SUBSCRIBE: 'send the channel to /subscribe/CHANNEL',
  PSUBSCRIBE: 'send the pattern to /psubscribe/PATTERN',
};

const encoder = /* @__PURE__ */ new Encoder();

/** One command as the body of a request has it. */
export function commandOf(body: unknown): Command {
  if (!Array.isArray(body) || body.length === 0)
    throw new RefusedRequest('ERR a command is a JSON array of its name and arguments');
  return body.map((word: unknown, index) => {
    if (typeof word === 'string') return word;
    if (word === null || word === undefined) return '';
    if (typeof word === 'object' || typeof word === 'function' || typeof word === 'symbol')
      throw new RefusedRequest(`ERR argument ${index} of the command must be a string, a number, a boolean or null`);
    return String(word);
  });
}

/** Commands of a pipeline or a transaction. */
export function commandsOf(body: unknown): Command[] {
  if (Array.isArray(body) && body.every(Array.isArray)) return body.map(commandOf);
  throw new RefusedRequest('ERR a pipeline is a JSON array of commands, which are arrays');
}

/** The command of a path: its segments, then the body, then query parameters as name and value. */
export async function pathCommand(
  request: RestRequest,
  segments: readonly string[],
  maxBodyBytes: number,
): Promise<Command> {
  const command: Word[] = segments.map(segmentWord);
  if (request.method === 'POST' || request.method === 'PUT') {
    const body = await request.body(maxBodyBytes);
    if (body.length > 0) command.push(body);
  }
  for (const [name, value] of request.query) {
    if (name === '_token') continue;
    command.push(name);
    if (value !== '') command.push(value);
  }
  return command;
}

/** Word of a path segment: bytes if anything is percent-encoded, which need not be UTF-8. */
function segmentWord(segment: string): Word {
  return segment.includes('%') ? segmentBytes(segment) : segment;
}

/** Bytes of a path segment. */
export function segmentBytes(segment: string): Uint8Array {
  if (/%(?![0-9a-f]{2})/i.test(segment)) throw new Failure(400, 'ERR the path is not percent-encoded correctly');
  const bytes: number[] = [];
  for (const [piece, code] of segment.matchAll(/%([0-9a-f]{2})|[^%]+/gi)) {
    if (code === undefined) bytes.push(...encoder.encode(piece));
    else bytes.push(Number.parseInt(code, 16));
  }
  return Uint8Array.from(bytes);
}

/** Facts of a command that its name decides. */
interface Kind {
  /** In capitals. */
  readonly name: string;
  /** Why REST does not have it. */
  readonly refusal: string | undefined;
  readonly mayWait: boolean;
}

/** Kinds by the name as it was sent. Names come from clients, so their number is limited. */
const kinds = new Map<string, Kind>();
const KINDS_MAX = 1000;

function kindOf(command: Command): Kind {
  const sent = textIn(command[0]);
  const known = kinds.get(sent);
  if (known !== undefined) return known;
  const name = sent.toUpperCase();
  const kind = { name, refusal: refusalOfConnection(name), mayWait: mayWait(name) };
  if (kinds.size < KINDS_MAX && sent.length < 32) kinds.set(sent, kind);
  return kind;
}

function textIn(word: Word = ''): string {
  return typeof word === 'string' ? word : textOf(word);
}

function refusalOfConnection(name: string): string | undefined {
  if (!OF_CONNECTIONS.has(name)) return undefined;
  const hint = HINTS[name];
  return `ERR ${name} is not available over REST${hint === undefined ? '' : `: ${hint}`}`;
}

/** Name of a command, in capitals. */
export function nameOf(command: Command): string {
  return kindOf(command).name;
}

/** Whether the command may have to wait. */
export function waits(command: Command): boolean {
  return kindOf(command).mayWait;
}

/** Whether the command changes nothing, so that it may be repeated. */
export function isRead(command: Command): boolean {
  return onlyReads(nameOf(command)) || onlyReads(withSubcommand(command));
}

/** Name of a command with that of a subcommand, which may be its first argument. */
export function withSubcommand(command: Command): string {
  return `${kindOf(command).name} ${textIn(command[1]).toUpperCase()}`;
}

/** Rules of a host beside those of the protocol. Each function returns the reason against; undefined without one. */
export interface Rules {
  /** The reply of a command that does not reach the engine of a connection. */
  answer?(command: Command): Uint8Array | undefined;
  /** `name` is in capitals. */
  command(access: Access, name: string, command: Command): string | undefined;
  channel(access: Access, channel: string, isPattern: boolean): string | undefined;
}

/** Limits of the commands that a request may run. */
export interface Rights {
  readonly access: Access;
  readonly rules: Rules | undefined;
}

/** Why REST does not have a command. */
export function protocolRefusalOf(command: Command): string | undefined {
  return kindOf(command).refusal;
}

/** Why REST, the engine's host or the token does not admit a command. */
export function refusalOf(command: Command, rights: Rights): string | undefined {
  return kindOf(command).refusal ?? refusalByRights(command, rights, isRead(command));
}

/** Variant of `refusalOf` for a connection: any token may change the state of its own. */
export function refusalOnConnection(command: Command, rights: Rights): string | undefined {
  return refusalByRights(command, rights, rights.access.writes || isOfConnection(command) || isRead(command));
}

/** Whether the command changes or needs the state of a connection. */
export function isOfConnection(command: Command): boolean {
  return kindOf(command).refusal !== undefined;
}

function refusalByRights(command: Command, { access, rules }: Rights, isHarmless: boolean): string | undefined {
  const name = nameOf(command);
  if (access.writes || isHarmless) return rules?.command(access, name, command);
  return `NOPERM this token may only read, without KEYS, SCAN and scripts: it cannot run the '${name.toLowerCase()}' command`;
}

/** The first refusal among the commands of a transaction, which runs as a whole or not at all. */
export function refusalOfAny(
  commands: readonly Command[],
  refusalOfOne: (command: Command) => string | undefined,
): string | undefined {
  return commands.map(refusalOfOne).find((refusal) => refusal !== undefined);
}
