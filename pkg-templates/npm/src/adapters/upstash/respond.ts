/** From an admitted request of the REST protocol to its response. */
import { type Access, isUnlimited, tokenOf } from './access.js';
import { admitted, failed, pathBelow } from './admission.js';
import { type Command, commandOf, commandsOf, pathCommand, segmentBytes } from './commands.js';
import { eventStream, monitor, subscription } from './events.js';
import { Failure, type LiveBody, type RestRequest, type RestResponse } from './exchange.js';
import { formOf } from './form.js';
import { jsonIn } from './json-body.js';
import { KeptReplies } from './kept-replies.js';
import { requestIdOf } from './kept-reply.js';
import type { RestSettings } from './options.js';
import { Replies } from './replies.js';
import type { Runner } from './run.js';
import { Decoder } from '../../base/encoders.js';

const decoder = /* @__PURE__ */ new Decoder();

/** Answers a request. Never rejects. */
export function respond(runner: Runner, request: RestRequest, settings: RestSettings): Promise<RestResponse> {
  return admitted(request, settings, (access) => new Exchange(runner, request, access, settings).response());
}

/** Answers a request that was admitted elsewhere. Never rejects. */
export function respondAdmitted(
  runner: Runner,
  request: RestRequest,
  access: Access,
  settings: RestSettings,
): Promise<RestResponse> {
  return new Exchange(runner, request, access, settings).response().catch(failed);
}

/** Answers a pipeline that was admitted elsewhere, with the headers of a request. Never rejects. */
export function respondCommands(
  runner: Runner,
  commands: readonly Command[],
  request: RestRequest,
  access: Access,
  settings: RestSettings,
): Promise<RestResponse> {
  return new Exchange(runner, request, access, settings).pipeline(commands).catch(failed);
}

class Exchange {
  readonly #runner: Runner;
  readonly #request: RestRequest;
  readonly #access: Access;
  readonly #settings: RestSettings;

  constructor(runner: Runner, request: RestRequest, access: Access, settings: RestSettings) {
    this.#runner = runner;
    this.#request = request;
    this.#access = access;
    this.#settings = settings;
  }

  async response(): Promise<RestResponse> {
    const { method } = this.#request;
    const segments = this.#segments();
    const [kind = ''] = segments;
    switch (kind.toLowerCase()) {
      case '':
        if (method === 'GET' || method === 'HEAD')
          throw new Failure(400, 'ERR send a command as JSON with POST, or in the path: /GET/key');
        return this.#replies(true).ofPipeline(this.#counted([commandOf(await this.#json())]));
      case 'pipeline':
        return this.pipeline(commandsOf(await this.#json()));
      case 'multi-exec':
        if (formOf(this.#request, false).resp === 2)
          throw new Failure(400, 'ERR resp2 responses are not available for /multi-exec');
        return this.#replies(false).ofTransaction(this.#counted(commandsOf(await this.#json())));
      case 'subscribe':
      case 'psubscribe':
        return this.#subscribed(kind.toLowerCase() as 'subscribe' | 'psubscribe', segments.slice(1));
      case 'monitor':
        if (!isUnlimited(this.#access)) throw new Failure(403, 'NOPERM this token may not see the commands of others');
        this.#counted(['MONITOR']);
        return events(eventStream(monitor(this.#runner.database)));
      default: {
        const command = await pathCommand(this.#request, segments, this.#settings.maxBodyBytes);
        return this.#replies(true).ofPipeline(this.#counted([command]));
      }
    }
  }

  async pipeline(commands: readonly Command[]): Promise<RestResponse> {
    return this.#replies(false).ofPipeline(this.#counted(commands));
  }

  #counted<Counted>(commands: readonly Counted[]): readonly Counted[] {
    const { maxCommands = Infinity, count } = this.#settings;
    if (commands.length > maxCommands)
      throw new Failure(413, `ERR a request has at most ${maxCommands} commands, found ${commands.length}`);
    count?.(this.#access, commands.length);
    return commands;
  }

  /** Segments of the path below the base. */
  #segments(): string[] {
    const rest = pathBelow(this.#request, this.#settings).replace(/\/$/, '');
    return rest === '' ? [] : rest.split('/');
  }

  #replies(isSingle: boolean): Replies {
    const runner = this.#runner;
    const id = requestIdOf(this.#request.header('keylatch-request-id'));
    const { turn } = this.#settings;
    const form = formOf(this.#request, isSingle);
    const owner = `${tokenOf(this.#request)}${form.resp === 3 ? ' resp3' : ''}`;
    const kept = id === undefined ? undefined : new KeptReplies(runner, turn, id, owner);
    return new Replies(runner, this.#access, form, this.#settings, kept);
  }

  #subscribed(kind: 'subscribe' | 'psubscribe', names: readonly string[]): RestResponse {
    if (names.length === 0) throw new Failure(400, `ERR wrong number of arguments for '${kind}'`);
    const name = decoder.decode(segmentBytes(names.join('/')));
    const refusal = this.#settings.rules?.channel(this.#access, name, kind === 'psubscribe');
    if (refusal !== undefined) throw new Failure(403, refusal);
    this.#counted([kind]);
    return events(eventStream(subscription(this.#runner.database, kind, name)));
  }

  async #json(): Promise<unknown> {
    return jsonIn(await this.#request.body(this.#settings.maxBodyBytes));
  }
}

function events(body: LiveBody): RestResponse {
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body };
}
