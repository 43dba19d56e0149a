/** Requests by HTTP: the REST protocol of `keylatch/upstash`, with replies in RESP3. */
import { bytesOf, commandName, isBytes, type Argument } from '../base/argument.js';
import { CallerTypeError } from '../base/caller-errors.js';
import { Decoder } from '../base/encoders.js';
import { ClientState } from '../client/shared/state.js';
import { BatchLine, type BatchCall, type BatchSender, repliesIn } from './batches.js';
import { EventChannels } from './event-channels.js';
import { CallFailure } from './failure.js';
import { failureOfResponse, headersOf, reached, type RestTarget } from './rest-response.js';
import type { CallLimits, ChannelSource, Deliver, Line, Transport } from './transport.js';

const decoder = /* @__PURE__ */ new Decoder('utf-8', { fatal: true, ignoreBOM: true });

export class RestTransport implements Transport {
  readonly #target: RestTarget;
  readonly #options: CallLimits;
  #channels: EventChannels | undefined;

  constructor(target: RestTarget, options: CallLimits) {
    this.#target = target;
    this.#options = options;
  }

  line(state: ClientState): Line {
    if (state.db !== 0) throw new CallerTypeError('over REST there is database 0 alone: leave out db');
    return new BatchLine(new RestSender(this.#target), this.#options);
  }

  waitingLine(db: number): Line {
    return this.line(new ClientState({ db }));
  }

  channels(deliver: Deliver): ChannelSource {
    this.#channels = new EventChannels(this.#target, this.#options, deliver);
    return this.#channels;
  }

  close(): void {
    this.#channels?.close();
  }
}

class RestSender implements BatchSender {
  readonly hasIds = true;
  readonly #target: RestTarget;

  constructor(target: RestTarget) {
    this.#target = target;
  }

  isAlone(argv: readonly Argument[]): boolean {
    return jsonOf(argv) === undefined;
  }

  async call({ kind, commands, id, signal }: BatchCall): Promise<readonly Uint8Array[]> {
    const headers: Record<string, string> = { ...(await headersOf(this.#target)), 'upstash-response-format': 'resp3' };
    if (id !== undefined) headers['keylatch-request-id'] = id;
    const { path, body } = requestOf(kind, commands);
    const response = await reached(
      fetch(`${this.#target.base}${path}`, { method: 'POST', headers, body: body as BodyInit, signal }),
    );
    const name = kind === 'transaction' ? 'EXEC' : commandName(commands[0]?.[0]);
    if (response.status !== 200) throw await failureOfResponse(response, name);
    const bytes = new Uint8Array(await response.arrayBuffer());
    return repliesIn(bytes, kind === 'transaction' ? 1 : commands.length);
  }
}

interface HttpRequest {
  readonly path: string;
  readonly body: string | Uint8Array;
}

function requestOf(kind: BatchCall['kind'], commands: BatchCall['commands']): HttpRequest {
  const texts = commands.map(jsonOf);
  if (texts.every((argv) => argv !== undefined))
    return { path: kind === 'transaction' ? '/multi-exec' : '/pipeline', body: JSON.stringify(texts) };
  if (kind === 'transaction')
    throw new CallFailure(
      'refused',
      new CallerTypeError(
        'over REST the arguments of a transaction must be UTF-8: encode bytes as text, such as base64',
      ),
    );
  return pathRequest(commands[0] as readonly Argument[]);
}

/** A command as texts; undefined if bytes of it are not UTF-8, for which JSON has no form. */
function jsonOf(argv: readonly Argument[]): string[] | undefined {
  try {
    return argv.map((argument) => (isBytes(argument) ? decoder.decode(argument) : String(argument)));
  } catch {
    return undefined;
  }
}

/** A command as the segments of a path, with the last argument as body: they carry any bytes. */
function pathRequest(argv: readonly Argument[]): HttpRequest {
  const words = argv.map((argument, index) => bytesOf(argument, index, commandName(argv[0])));
  const last = words.at(-1) as Uint8Array;
  const inPath = last.length > 0 ? words.slice(0, -1) : words;
  const segments = inPath.map(segmentOf);
  if (segments.some((segment) => /^(%2E){1,2}$/.test(segment)))
    throw new CallFailure(
      'refused',
      new CallerTypeError('over REST a command with bytes that are not UTF-8 cannot have the argument "." or ".."'),
    );
  // The server takes one slash at the end away: it must not be that of an empty argument.
  return { path: `/${segments.join('/')}${segments.at(-1) === '' ? '/' : ''}`, body: last };
}

function segmentOf(word: Uint8Array): string {
  return Array.from(word, (byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join('');
}
