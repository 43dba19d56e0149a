/** Commands of the REST protocol, from JSON bodies and from paths. */
import { type RestRequest, Failure } from './exchange.js';
import { onlyReads, type Access } from './access.js';
import { Decoder, Encoder } from '../../base/encoders.js';

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
const decoder = /* @__PURE__ */ new Decoder();

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
  const command: Word[] = segments.map(segmentBytes);
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

/** Bytes of a path segment; what is percent-encoded need not be UTF-8. */
export function segmentBytes(segment: string): Uint8Array {
  if (/%(?![0-9a-f]{2})/i.test(segment)) throw new Failure(400, 'ERR the path is not percent-encoded correctly');
  const bytes: number[] = [];
  for (const [piece, code] of segment.matchAll(/%([0-9a-f]{2})|[^%]+/gi)) {
    if (code === undefined) bytes.push(...encoder.encode(piece));
    else bytes.push(Number.parseInt(code, 16));
  }
  return Uint8Array.from(bytes);
}

/** Name of a command, in capitals. */
export function nameOf(command: Command): string {
  return wordAt(command, 0);
}

function wordAt(command: Command, index: number): string {
  const word = command[index] ?? '';
  return (typeof word === 'string' ? word : decoder.decode(word)).toUpperCase();
}

/** Whether the command changes nothing, so that it may be repeated. */
export function isRead(command: Command): boolean {
  return onlyReads(nameOf(command), wordAt(command, 1));
}

/** Why REST, or the token, does not admit a command. */
export function refusalOf(command: Command, access: Access): string | undefined {
  const name = nameOf(command);
  if (OF_CONNECTIONS.has(name)) {
    const hint = HINTS[name];
    return `ERR ${name} is not available over REST${hint === undefined ? '' : `: ${hint}`}`;
  }
  if (access === 'full' || isRead(command)) return undefined;
  return `NOPERM this token may only read, without KEYS, SCAN and scripts: it cannot run the '${name.toLowerCase()}' command`;
}
